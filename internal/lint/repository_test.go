package lint

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kcompare/internal/source"
)

// TestRepository lints this repository's own code, which is correct: no errors, no
// warnings. What testdata folders and the listings of the workbook have in them is wrong on
// purpose, its chapters show those, its evidence has the settings of experiments, and the
// few files in Java are not worth the start of a JVM.
func TestRepository(t *testing.T) {
	var paths []string
	root := filepath.Join("..", "..")
	wrong := []string{
		filepath.Join(root, "docs", "evidence"), filepath.Join(root, "docs", "workbook", "listings"),
		filepath.Join(root, "docs", "workbook", "en"), filepath.Join(root, "docs", "workbook", "ru"),
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		language, known := source.LanguageOf(path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") || slices.Contains(wrong, path)):
			return filepath.SkipDir
		case d.Type().IsRegular() && known && language != source.Java:
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil || !slices.Contains(paths, filepath.Join(root, "librdkafka", "settings.go")) {
		t.Fatalf("%d files, without librdkafka/settings.go: %v", len(paths), err)
	}
	for _, f := range lintPaths(t, paths...) {
		if f.Severity != Info {
			t.Errorf("%s:%d:%d: %s: %s: %s", f.File, f.Line, f.Column, f.Severity, f.Rule, f.Message)
		}
	}
}
