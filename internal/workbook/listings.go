package workbook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"kcompare/internal/config"
	"kcompare/internal/source"
)

// ReadListings reads the files that blocks ask for (Kind.Listings), all at once, because
// the reader of a language may be a process of its own. root is the folder of the course.
// A path that is no file of a language that package source knows is left out: the block
// that names it says so. The error is that of a canceled context.
func ReadListings(ctx context.Context, root string, files fs.FS, paths []string) (map[string]source.File, error) {
	all := map[string]source.File{}
	var there []string
	for _, name := range slices.Compact(slices.Sorted(slices.Values(paths))) {
		if _, known := source.LanguageOf(name); known && checkFile(files, "file", name) == nil {
			there = append(there, filepath.Join(root, filepath.FromSlash(name)))
		}
	}
	if len(there) == 0 {
		return all, nil
	}
	read, err := source.Read(ctx, source.Options{}, there...)
	if err != nil {
		return nil, err
	}
	for _, f := range read {
		belowRoot(&f, root)
		all[f.Path] = f
	}
	return all, ctx.Err()
}

// belowRoot names a file, and those that it takes constants from, from the root of the
// course, wherever that is.
func belowRoot(f *source.File, root string) {
	f.Path = pathBelow(f.Path, root)
	for i := range f.Blocks {
		for j := range f.Blocks[i].Entries {
			e := &f.Blocks[i].Entries[j]
			e.Path = pathBelow(e.Path, root)
		}
	}
}

func pathBelow(name, root string) string {
	below, err := filepath.Rel(root, name)
	if name == "" || err != nil {
		return name
	}
	return filepath.ToSlash(below)
}

// listing is a file that was read for a block.
func (c Course) listing(attribute, name string) (source.File, error) {
	if err := checkFile(c.Files, attribute, name); err != nil {
		return source.File{}, err
	}
	if _, known := source.LanguageOf(name); !known {
		return source.File{}, attributeError(attribute, "%q: expected a file that ends in .py .go .java .properties .yaml .json or .md", name)
	}
	f, ok := c.Listings[name]
	if !ok {
		return source.File{}, fmt.Errorf("%s was not read", name)
	}
	if f.Unread != "" && len(f.Mistakes) == 0 && needsProgram(f.Language) {
		return source.File{}, &UncheckedError{name + ": " + f.Unread}
	}
	return f, nil
}

// needsProgram reports whether a language is read by a program that a machine may not have.
func needsProgram(l source.Language) bool { return l == source.Python || l == source.Java }

// listingOf is the file that the attribute file names.
func listingOf(b Block) []string {
	if name := b.Get("file"); name != "" {
		return []string{name}
	}
	return nil
}

// checkFile refuses what is no file of the course, and names the nearest one in its folder.
func checkFile(files fs.FS, attribute, name string) error {
	if !fs.ValidPath(name) || name == "." {
		return attributeError(attribute, "%q: expected a path below the root of the course, with slashes, such as examples/producer.properties", name)
	}
	info, err := fs.Stat(files, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return noFile(files, attribute, name)
	case err != nil:
		return attributeError(attribute, "%q cannot be read: %w", name, err)
	case info.IsDir():
		return attributeError(attribute, "%q is a folder: expected a file", name)
	}
	return nil
}

// noFile names the nearest file, in the folder that was meant where there is one.
func noFile(files fs.FS, attribute, name string) error {
	folder := path.Dir(name)
	for folder != "." && !isFolder(files, folder) {
		folder = path.Dir(folder)
	}
	entries, err := fs.ReadDir(files, folder)
	if err != nil {
		return broken(attribute, "there is no file %q", name)
	}
	var known []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			known = append(known, path.Join(folder, e.Name()))
		}
	}
	if near := config.Nearest(name, known); near != "" {
		return broken(attribute, "there is no file %q: did you mean %s?", name, near)
	}
	return broken(attribute, "there is no file %q: in %s there is %s", name, folder, cmp.Or(strings.Join(known, ", "), "nothing"))
}

func isFolder(files fs.FS, name string) bool {
	info, err := fs.Stat(files, name)
	return err == nil && info.IsDir()
}
