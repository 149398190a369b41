package programs_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/clienttest"
	"kcompare/internal/pythontest"
	"kcompare/internal/workbook"
	"kcompare/librdkafka"
)

// TestCourse plays every program of the course, with the clients that there are. Each ends
// with exit code 0; the same program prints the same with every library, but for what a
// library calls a thing, which stands in brackets; and what a page shows is what it prints
// now.
func TestCourse(t *testing.T) {
	t.Parallel()
	root := filepath.Join(pythontest.Repository(t), "docs")
	content, err := os.ReadFile(filepath.Join(root, workbook.ManifestFile))
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := workbook.ReadManifest(workbook.ManifestFile, content, []string{"franz", "librdkafka", "python", "java"})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	err = player(t, root).Play(t.Context(), playable(t, manifest.Programs), func(p workbook.Program, lines []string) error {
		got[p.Name] = lines
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	store := workbook.NewStore(os.DirFS(root), manifest, workbook.Made{})
	for name, lines := range got {
		if _, stored := store.Output(name); stored {
			if same, at := store.SameOutput(name, lines); !same {
				t.Errorf("%s: line %d is not what %s has: %q", name, at, store.OutputFileOf(name), lines)
			}
		}
		if alike, ok := got["franz/"+path.Base(name)]; ok {
			if diff := cmp.Diff(withoutNames(alike), withoutNames(lines)); diff != "" {
				t.Errorf("%s prints something else than franz/%s (-franz +%s):\n%s", name, path.Base(name), path.Dir(name), diff)
			}
		}
	}
}

var inBrackets = regexp.MustCompile(` \(.*\)$`)

// withoutNames leaves out what the libraries call things.
func withoutNames(lines []string) []string {
	var bare []string
	for _, line := range lines {
		bare = append(bare, inBrackets.ReplaceAllString(line, ""))
	}
	return bare
}

// playable leaves out the programs of clients that are not there; with CI=true that is a
// failure.
func playable(t *testing.T, all []workbook.Program) []workbook.Program {
	t.Helper()
	there := map[string]bool{"franz": true}
	_, err := librdkafka.New()
	switch there["librdkafka"] = err == nil; {
	case err != nil && os.Getenv("CI") == "true":
		t.Errorf("programs of librdkafka: %v", err)
	case err != nil:
		t.Logf("not played: programs of librdkafka: %v", err)
	}
	for _, client := range []string{"python", "java"} {
		t.Run(client, func(t *testing.T) {
			clienttest.Program(t, client)
			there[client] = true
		})
	}
	var list []workbook.Program
	for _, p := range all {
		if there[p.Client] {
			list = append(list, p)
		}
	}
	return list
}
