package source

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"kcompare/internal/scripttest"
)

var updatePython = flag.Bool("update-python", false, "write testdata/python/*.golden again")

// TestPythonBlocks compares all that is found in files with what is beside them: merges,
// constants, imports, branches, keyword arguments.
func TestPythonBlocks(t *testing.T) {
	for _, f := range readPythonFiles(t, "testdata/python/blocks/*.py") {
		comparePython(t, strings.TrimSuffix(f.Path, ".py")+".golden", f)
	}
}

// TestPythonListings reads a text with listings that nothing marks.
func TestPythonListings(t *testing.T) {
	const path = "testdata/python/listings/notes.txt"
	files := readPython(t.Context(), []input{{path: path, text: readTestFile(t, path), unfenced: true}})
	comparePython(t, strings.TrimSuffix(path, ".txt")+".golden", files[0])
}

// TestPythonFences reads fenced blocks: lines count from the top of the page, a block sees
// what those before it bind, and another page's do not.
func TestPythonFences(t *testing.T) {
	files := readPython(t.Context(), []input{
		{path: "a.md", firstLine: 10, text: []byte("from confluent_kafka import Producer, KafkaError\nBASE = {'bootstrap.servers': 'b:1'}\n")},
		{path: "a.md", firstLine: 20, text: []byte("p = Producer({**BASE, 'acks': 'all'})\nprint(KafkaError._NOPE)\n")},
		{path: "b.md", firstLine: 30, text: []byte("p = Producer({**BASE, 'acks': 'all'})\n")},
		{path: "a.md", firstLine: 40, text: []byte("p = Producer({\n")},
	})
	if last := &files[len(files)-1]; !strings.HasPrefix(last.Unread, "not Python: line 41:") {
		t.Errorf("found %q, expected line 41", last.Unread)
	} else {
		last.Unread = "not Python: line 41" // each version of Python has words of its own for the rest
		last.Mistakes[0].At.Column, last.Mistakes[0].Message = 0, ""
	}
	comparePython(t, "testdata/python/fences.golden", files)
}

func comparePython(t *testing.T, path string, found any) {
	t.Helper()
	text, err := json.MarshalIndent(found, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	if *updatePython {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := gocmp.Diff(string(readTestFile(t, path)), string(text)); diff != "" {
		t.Errorf("%s: (-want +found)\n%s", path, diff)
	}
}

// TestPythonSyntax says where a file stops being Python; the next file is read all the same.
func TestPythonSyntax(t *testing.T) {
	files := readPython(t.Context(), []input{
		{path: "bad.py", text: []byte("from confluent_kafka import Producer\np = Producer({'acks' 'all' 1})\n")},
		{path: "deep.py", text: []byte("import confluent_kafka\nx = " + strings.Repeat("(", 5000) + strings.Repeat(")", 5000))},
		{path: "nul.py", text: []byte("import kafka\x00\n")},
		{path: "good.py", text: []byte("from confluent_kafka import Producer\np = Producer({'acks': 'all'})\n")},
	})
	if got := files[0].Unread; !strings.HasPrefix(got, "not Python: line 2:") {
		t.Errorf("found %q, expected line 2", got)
	}
	for _, i := range []int{1, 2} {
		if files[i].Unread == "" {
			t.Errorf("%s: found no reason, expected Unread", files[i].Path)
		}
	}
	if files[3].Unread != "" || len(files[3].Blocks) != 1 {
		t.Errorf("the file after them: found %+v, expected one block", files[3])
	}
}

// TestPythonMissing: a machine without Python, or with an old one, is told so.
func TestPythonMissing(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"none", "", "not checked: needs Python 3.8 or newer as python3 or python on the PATH"},
		{"old", "#!/bin/sh\necho old 3.6.15\n", "not checked: needs Python 3.8 or newer, found 3.6.15 (PATH/python3)"},
		{"broken", "#!/bin/sh\necho no such library >&2\nexit 1\n", "not checked: Python did not start: EOF: no such library (PATH/python3)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			if c.script != "" {
				scripttest.Write(t, folder, "python3", c.script)
			}
			t.Setenv("PATH", folder)
			files := readPython(t.Context(), []input{{path: "a.py", text: []byte("import kafka\n")}})
			got := strings.ReplaceAll(files[0].Unread, folder, "PATH")
			if got != c.want {
				t.Errorf("found %q, expected %q", got, c.want)
			}
		})
	}
}

// TestPythonCanceled: nothing waits for a helper whose context has ended.
func TestPythonCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	files := readPython(ctx, []input{{path: "a.py", text: []byte("import kafka\n")}})
	if !strings.Contains(files[0].Unread, context.Canceled.Error()) {
		t.Errorf("found %q, expected that it was canceled", files[0].Unread)
	}
}

// TestPythonVersions: exact versions beside a file or above it count, ranges do not.
func TestPythonVersions(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"exact", map[string]string{"requirements.txt": "requests\nConfluent_Kafka[avro] == 2.11.1 ; python_version > '3.7'\n"}, "2.11.1"},
		{"with a hash", map[string]string{"requirements.txt": "confluent-kafka==2.11.1 \\\n    --hash=sha256:00\n"}, "2.11.1"},
		{"of Python alone", map[string]string{"requirements-dev.txt": "confluent-kafka==2.16.1\n"}, "2.16.0"},
		{"range", map[string]string{"requirements.txt": "confluent-kafka>=2.11\n"}, ""},
		{"any of a series", map[string]string{"requirements.txt": "confluent-kafka==2.11.*\n"}, ""},
		{"two", map[string]string{"requirements.txt": "confluent-kafka==2.11.1\n", "requirements-ci.txt": "confluent-kafka==2.16.1\n"}, ""},
		{"pyproject", map[string]string{"pyproject.toml": "[project]\ndependencies = [\"confluent-kafka==2.11.1\"]\n"}, "2.11.1"},
		{"lock beside a range", map[string]string{"pyproject.toml": "[project]\ndependencies = [\"confluent-kafka\"]\n", "uv.lock": "[[package]]\nname = \"confluent-kafka\"\nversion = \"2.11.1\"\n"}, "2.11.1"},
		{"Pipfile", map[string]string{"Pipfile.lock": `{"default": {"confluent-kafka": {"version": "==2.11.1"}}}`}, "2.11.1"},
		{"above", map[string]string{"../requirements.txt": "confluent-kafka==2.11.1\n"}, "2.11.1"},
		{"nearest", map[string]string{"../requirements.txt": "confluent-kafka==2.11.1\n", "requirements.txt": "confluent-kafka==2.10.0\n"}, "2.10.0"},
		{"another project's", map[string]string{"../requirements.txt": "confluent-kafka==2.11.1\n", ".git/HEAD": ""}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := t.TempDir()
			folder := filepath.Join(top, "app")
			c.files["../.git/HEAD"] = "" // the project ends here, whatever is above the test's folder
			for name, text := range c.files {
				writeTestFile(t, filepath.Join(folder, name), text)
			}
			if got := (pythonVersions{}).beside(folder).byClient()["python"]; got != c.want {
				t.Errorf("found %q, expected %q", got, c.want)
			}
		})
	}
}

func writeTestFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestPythonShares: each text is in exactly one share, and one page's blocks are in one.
func TestPythonShares(t *testing.T) {
	for _, n := range []int{1, 2, 299, 300, 301, 1000, 5000} {
		inputs := make([]input, n)
		for i := range inputs {
			inputs[i].path = string(rune('a' + i/7))
		}
		for from, to := 0, 0; from < n; from = to {
			to = endOfShare(inputs, from)
			if to <= from || to > n || to < n && inputs[to].path == inputs[to-1].path {
				t.Fatalf("%d texts: share from %d ends at %d", n, from, to)
			}
		}
	}
}
