package workbook

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
)

// files is a course of files alone.
func files(texts map[string]string) Course {
	fsys := fstest.MapFS{}
	for name, text := range texts {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return Course{Files: fsys}
}

// inBoth renders a block in both languages.
func inBoth(t *testing.T, c Course, b Block, name string) {
	t.Helper()
	for _, l := range lang.Languages() {
		b.Lang = l
		content, err := kindNamed(t, b.Kind).Render(c, b)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name+"."+string(l)+".md", content.Markdown)
	}
}

func kindNamed(t *testing.T, name string) Kind {
	t.Helper()
	for _, k := range Kinds() {
		if k.Name == name {
			return k
		}
	}
	t.Fatalf("no kind %s", name)
	return Kind{}
}

// wrongAttribute is the error of a block that is wrong in the page.
func wrongAttribute(t *testing.T, c Course, b Block) *AttributeError {
	t.Helper()
	content, err := kindNamed(t, b.Kind).Render(c, b)
	var wrong *AttributeError
	if !errors.As(err, &wrong) {
		t.Fatalf("found %q, %v, expected an error about an attribute", content.Markdown, err)
	}
	return wrong
}

const goProgram = "package main\n\n// kcompare:region produce\nfunc produce() {\n\t// kcompare:region send\n\tif ok {\n\n\t\tsend() // `x`\n\t}\n\t// kcompare:end send\n\tflush()\n}\n\n// kcompare:end\n"

const pythonProgram = "class A:\r\n    def produce(self):\r\n        # kcompare:region send\r\n        if ok:\r\n            send(\"\"\"\r\n```\r\n\"\"\")   \r\n\r\n        # kcompare:end\r\n    # kcompare:region close\r\n    # kcompare:end\r\n"

func TestCode(t *testing.T) {
	c := files(map[string]string{
		"workbook/examples/franz/produce/main.go": goProgram, "workbook/examples/python/produce.py": pythonProgram,
		"other (1)/Main.java": "class Main { }\n", "producer.properties": "acks=all\n",
	})
	c.Manifest.Programs = []Program{{Name: "java/main", Client: "java", File: "other (1)/Main.java"}}
	const both = "files=workbook/examples/franz/produce/main.go, workbook/examples/python/produce.py"
	inBoth(t, c, block("code", both, "region=send"), "code")
	inBoth(t, c, block("code", both+",other (1)/Main.java", "region=produce"), "code-outer")
	inBoth(t, c, block("code", "files=producer.properties"), "code-whole")
}

func TestCodeWrong(t *testing.T) {
	c := files(map[string]string{
		"a/main.go": goProgram, "a/send.py": "# kcompare:region snd\nx\n# kcompare:end\n", "a/none.go": "package a\n",
		"a/open.go": "// kcompare:region x\n", "a/end.go": "// kcompare:end\n", "a/twice.go": "// kcompare:region x\n// kcompare:end\n// kcompare:region x\n// kcompare:end\n",
		"a/nameless.go": "// kcompare:region\n// kcompare:end\n", "a/crossed.go": "// kcompare:region x\n// kcompare:region y\n// kcompare:end x\n// kcompare:end\n",
	})
	for _, test := range []struct {
		files, region, want string
		broken              bool
	}{
		{"", "send", `files: is missing: expected paths of sources, with commas between`, false},
		{"../a/main.go", "send", `files: "../a/main.go": expected a path below the root of the course, with slashes, such as examples/producer.properties`, false},
		{"/etc/passwd", "send", `files: "/etc/passwd": expected a path below the root of the course, with slashes, such as examples/producer.properties`, false},
		{"a", "send", `files: "a" is a folder: expected a file`, false},
		{"a/mian.go", "send", `files: there is no file "a/mian.go": did you mean a/main.go?`, true},
		{"b/zzzzzz.go", "send", `files: there is no file "b/zzzzzz.go": in . there is a`, true},
		{"a/main.go,a/main.go", "send", `files: a/main.go stands there twice`, false},
		{"a/main.go", "sned", `region: no region "sned" in a/main.go: did you mean send?`, true},
		{"a/main.go", "abcdefgh", `region: no region "abcdefgh" in a/main.go: expected one of produce, send`, true},
		{"a/none.go", "send", `region: no region "send" in a/none.go: expected a comment kcompare:region send, and kcompare:end behind what is shown`, true},
		{"a/main.go,a/send.py", "send", `region: a/send.py has no region "send": did you mean snd?`, true},
		{"a/open.go", "x", `region: a/open.go: line 1: region "x" has no kcompare:end`, true},
		{"a/end.go", "x", `region: a/end.go: line 1: kcompare:end without a region that it ends`, true},
		{"a/twice.go", "x", `region: a/twice.go: line 3: region "x" begins a second time, the first is on line 1`, true},
		{"a/nameless.go", "x", `region: a/nameless.go: line 1: a kcompare:region has no name`, true},
		{"a/crossed.go", "x", `region: a/crossed.go: line 3: kcompare:end of region "x" within region "y", which begins on line 2`, true},
	} {
		wrong := wrongAttribute(t, c, block("code", "files="+test.files, "region="+test.region))
		if wrong.Error() != test.want || wrong.Broken != test.broken {
			t.Errorf("%s %s: found %v, broken %v\nexpected %s", test.files, test.region, wrong, wrong.Broken, test.want)
		}
	}
}

// printed is evidence of outputs alone.
type printed map[string]string

func (p printed) Trial(Need) (t evidence.Trial, of evidence.Document, ok bool) { return t, of, false }

func (printed) Bench(BenchNeed) (evidence.Bench, bool) { return evidence.Bench{}, false }

func (p printed) Output(program string) ([]string, bool) {
	text, ok := p[program]
	return strings.Split(text, "\n"), ok
}

func TestOutput(t *testing.T) {
	c := Course{
		Manifest: Manifest{Programs: []Program{{Name: "franz/transaction"}, {Name: "python/transaction"}}},
		Evidence: printed{"franz/transaction": "begin\norder-1 | sent\ncommit\nbegin\norder-2 sent\ncommit"},
	}
	for _, test := range []struct {
		attributes []string
		want       string
	}{
		{nil, "begin\norder-1 | sent\ncommit\nbegin\norder-2 sent\ncommit"},
		{[]string{"lines=2-3"}, "order-1 | sent\ncommit"},
		{[]string{"lines=5-"}, "order-2 sent\ncommit"},
		{[]string{"lines=1"}, "begin"},
		{[]string{"from=order-1", "to=commit"}, "order-1 | sent\ncommit"},
		{[]string{"to=order-1"}, "begin\norder-1 | sent"},
		{[]string{"from=order-2"}, "order-2 sent\ncommit"},
	} {
		content, err := kindNamed(t, "output").Render(c, block("output", append(test.attributes, "program=franz/transaction")...))
		if want := "```text\n" + test.want + "\n```"; err != nil || content.Markdown != want {
			t.Errorf("%v: found %q, %v", test.attributes, content.Markdown, err)
		}
	}
	for _, test := range []struct {
		attributes []string
		want       string
	}{
		{[]string{"program=franz/transactoin"}, `program: unknown program "franz/transactoin": did you mean franz/transaction?`},
		{[]string{"lines=3-2"}, `lines: "3-2": expected lines such as 3-10`},
		{[]string{"lines=x"}, `lines: "x": expected lines such as 3-10`},
		{[]string{"lines=1-7"}, `lines: "1-7": franz/transaction printed 6 lines`},
		{[]string{"lines=1-2", "to=x"}, `lines: stands beside from or to: expected one way to say what is shown`},
		{[]string{"from=order-3"}, `from: no line of what franz/transaction printed has "order-3"`},
		{[]string{"from=order-2", "to=begin"}, `to: no line of what franz/transaction printed has "begin"`},
	} {
		if wrong := wrongAttribute(t, c, block("output", append(test.attributes, "program=franz/transaction")...)); wrong.Error() != test.want {
			t.Errorf("%v: found %v\nexpected %s", test.attributes, wrong, test.want)
		}
	}
	if wrong := wrongAttribute(t, Course{}, block("output", "program=x")); !strings.Contains(wrong.Error(), "has no programs") {
		t.Errorf("found %v", wrong)
	}
}
