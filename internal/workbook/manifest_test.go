package workbook

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/lang"
)

func known() []string { return []string{"franz", "librdkafka", "sarama", "python", "java"} }

func TestReadManifest(t *testing.T) {
	const text = `# of a course
clients: [franz, python]
evidence: proof/runs
language: ru
programs:
  - name: franz/transaction
    client: franz
    file: examples/franz/transaction
    topics: [orders:3, "totals:1"]
    sources: [examples/franz/shop/*.go]
  - name: hello
    client: python
    file: examples/hello.py
`
	want := Manifest{
		Clients: []string{"franz", "python"}, Evidence: "proof/runs", Language: lang.Russian,
		Programs: []Program{
			{Name: "franz/transaction", Client: "franz", File: "examples/franz/transaction",
				Topics: []string{"orders:3", "totals:1"}, Sources: []string{"examples/franz/shop/*.go"}},
			{Name: "hello", Client: "python", File: "examples/hello.py"},
		},
	}
	got, err := ReadManifest("kcompare.yaml", []byte(text), known())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestManifestDefaults(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "evidence: evidence\n"} {
		got, err := ReadManifest("kcompare.yaml", []byte(text), known())
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if d := cmp.Diff(DefaultManifest(), got); d != "" {
			t.Errorf("%q (-want +got):\n%s", text, d)
		}
	}
}

func TestManifestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"client: [franz]\n":                          `f:1:1: unknown key "client": did you mean clients?`,
		"evidense: x\n":                              `f:1:1: unknown key "evidense": did you mean evidence?`,
		"pages: x\n":                                 `f:1:1: unknown key "pages": expected clients, evidence, language, programs`,
		"programs:\n  - flie: x\n":                   `f:2:5: unknown key "flie" of a program: did you mean file?`,
		"clients: [franz, pyton]\n":                  `f:1:18: unknown client "pyton": did you mean python?`,
		"clients: [franz, franz]\n":                  `f:1:18: clients: franz is named twice`,
		"clients: franz\n":                           `f:1:10: string was used where sequence is expected`,
		"clients: [1.10]\n":                          `f:1:11: expected text, got "1.10"`,
		"language: rus\n":                            `f:1:11: language: unknown language "rus": expected en or ru`,
		"evidence: ../x\n":                           `f:1:11: evidence: "../x": expected a path below the folder of kcompare.yaml, with slashes`,
		"evidence: /x\n":                             `f:1:11: evidence: "/x": expected a path below the folder of kcompare.yaml, with slashes`,
		"evidence: x\nevidence: y\n":                 `f:2:1: mapping key "evidence" already defined at [1:1]`,
		"programs:\n  - name: a\n    client: java\n": `f:2:11: a program: expected the key file`,
		"programs:\n  - name: A\n    client: java\n    file: x\n":                                             `f:2:11: name: "A": expected small letters, digits and hyphens, as franz/transaction`,
		"programs:\n  - name: a\n    client: java\n    file: x\n    topics: [orders]\n":                       `f:5:14: topics: "orders": expected a name and how many partitions, 1 to 100, as orders:3`,
		"programs:\n  - name: a\n    client: java\n    file: x\n    sources: ['a[']\n":                        `f:5:15: sources: "a[": not a pattern such as examples/franz/*.go`,
		"programs:\n  - name: a\n    client: java\n    file: x\n  - name: a\n    client: java\n    file: y\n": `f:5:11: name: "a" is the name of another program already`,
		"programs:\n  - {}\n": `f:1:1: programs: one of them is empty, expected name, client and file`,
		"clients: [franz\n":   `f:1:10: sequence end token ']' not found`,
	} {
		_, err := ReadManifest("f", []byte(text), known())
		if err == nil || err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
}
