package source

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// folder makes files; one whose text is "big" is above the limit.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		if text == "big" {
			text = "# kafka\n" + strings.Repeat("x: y\n", maxSize/5)
		}
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestReadWalks(t *testing.T) {
	root := folder(t, map[string]string{
		"b.properties": "acks=1\n", "a/x.YML": "acks: 1\n", "a/big.yaml": "big", "a/notes.txt": "acks=1\n", "a/y.json": "{}",
		".git/a.properties": "acks=1\n", "vendor/a.properties": "acks=1\n", "node_modules/a.json": "{}", ".venv/a.py": "import kafka",
	})
	if err := os.Symlink(root, filepath.Join(root, "a", "loop")); err != nil {
		t.Fatal(err)
	}
	files, err := Read(t.Context(), Options{}, root, filepath.Join(root, "b.properties"), filepath.Join(root, "a", "big.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		name, _ := filepath.Rel(root, f.Path)
		got = append(got, fmt.Sprintf("%s %s %d %s", filepath.ToSlash(name), f.Language, len(f.Blocks), f.Unread))
	}
	want := []string{"a/x.YML yaml 1 ", "a/y.json json 0 ", "b.properties properties 1 ", "a/big.yaml yaml 0 larger than 1 MB"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-expected +found)\n%s", diff)
	}
}

func TestReadNamed(t *testing.T) {
	root := folder(t, map[string]string{"settings.txt": "acks=1\n"})
	path := filepath.Join(root, "settings.txt")
	files, err := Read(t.Context(), Options{As: Properties}, path)
	if err != nil || len(files) != 1 || len(files[0].Blocks) != 1 || files[0].Path != path {
		t.Errorf("--as: found %+v, %v", files, err)
	}
	for _, c := range []struct {
		options Options
		path    string
		want    string
	}{
		{Options{}, path, "--as=LANGUAGE says what another one is"},
		{Options{As: "cobol"}, path, "--as=cobol: expected python, go, java"},
		{Options{}, path + "x", "no such file"},
	} {
		if _, err := Read(t.Context(), c.options, c.path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v %s: found %v, expected %q", c.options, c.path, err, c.want)
		}
	}
}

// TestReadPages: every listing of Go and Python is parsed, whatever it is about, and what
// does not parse has its place in the page. An indented part of a program is Python, too.
func TestReadPages(t *testing.T) {
	page := "```go\nx := 1\n```\n\n- in a list\n\n  ```go\n  if x {\n  ```\n\n```python\nprint(1\n```\n\n```py\n    return 1\n```\n\n" +
		"```java\nnot about it (\n```\n\n```java\nnew KafkaProducer<>(;\n```\n"
	files := ReadPages(t.Context(), []Page{{Path: "a.md", Content: []byte(page)}, {Path: "b.md", Content: []byte("```go\n)\n```\n")}})
	var got []string
	for _, f := range files {
		for _, m := range f.Mistakes {
			got = append(got, fmt.Sprintf("%s:%d %s", f.Path, m.At.Line, m.Language))
		}
	}
	want := []string{"a.md:8 go", "a.md:12 python", "a.md:24 java", "b.md:2 go"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-expected +found)\n%s\n%+v", diff, files)
	}
}
