package workbook

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kcompare/internal/lang"
	"kcompare/internal/page"
)

// Chapter is a page with blocks of a course.
type Chapter struct {
	File   string // as the user named it, or the folder that it is in
	Path   string // from the root of the course, with slashes
	Lang   lang.Language
	Source []byte
	Page   page.Page
}

// Block is a block with what its page says.
func (c Chapter) block(b page.Block) Block {
	return Block{Block: b, Page: c.Path, Lang: c.Lang}
}

// Book is the pages of one course that a command is about.
type Book struct {
	Root     string // the folder of the course, as the user would name it
	Chapters []Chapter
}

// Blocks is how many there are in it.
func (b Book) Blocks() int {
	n := 0
	for _, c := range b.Chapters {
		n += len(c.Page.Blocks)
	}
	return n
}

// IDs lists the ids of all blocks, in the order of the pages.
func (b Book) IDs() []string {
	var ids []string
	for _, c := range b.Chapters {
		for _, block := range c.Page.Blocks {
			ids = append(ids, block.ID)
		}
	}
	return ids
}

// Open reads the pages that paths name, and those in the folders among them, and puts them
// together by course. Pages without blocks are left out. The error is page.Problems where
// markers are wrong, those of all pages.
func Open(paths ...string) ([]Book, error) {
	files, err := pagesOf(paths)
	if err != nil {
		return nil, err
	}
	var books []Book
	var problems page.Problems
	for _, file := range files {
		c, root, err := openPage(file)
		if wrong := (page.Problems)(nil); errors.As(err, &wrong) {
			problems = append(problems, wrong...)
			continue
		}
		if err != nil {
			return nil, err
		}
		if len(c.Page.Blocks) == 0 {
			continue
		}
		at := slices.IndexFunc(books, func(b Book) bool { return b.Root == root })
		if at < 0 {
			at = len(books)
			books = append(books, Book{Root: root})
		}
		books[at].Chapters = append(books[at].Chapters, c)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return books, nil
}

// openPage reads one page.
func openPage(file string) (c Chapter, root string, err error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return c, "", err
	}
	c = Chapter{File: file, Source: source}
	if bytes.Contains(bytes.ToLower(source), []byte("kcompare")) { // few pages are worth a parser
		if c.Page, err = page.Parse(file, source); err != nil {
			return c, "", err
		}
	}
	if root, err = RootOf(file); err != nil {
		return c, "", err
	}
	path, err := filepath.Rel(root, file)
	if err != nil {
		return c, "", err
	}
	c.Path = filepath.ToSlash(path)
	c.Lang = languageOf(c.Path, lang.English)
	return c, root, lang.Check(c.Lang)
}

// SetLanguage makes a language, the manifest's, that of the pages in no folder named after
// one.
func (b Book) SetLanguage(l lang.Language) {
	for i := range b.Chapters {
		b.Chapters[i].Lang = languageOf(b.Chapters[i].Path, l)
	}
}

// languageOf is the language that a folder on the way to a page is named after, or else
// the one of the course.
func languageOf(path string, course lang.Language) lang.Language {
	for _, segment := range slices.Backward(strings.Split(path, "/")) {
		if slices.Contains(lang.Languages(), lang.Language(segment)) {
			return lang.Language(segment)
		}
	}
	return course
}

// RootOf is the root of the course that a page belongs to: the nearest folder at or above
// it with a kcompare.yaml, within its repository, or its own folder.
func RootOf(file string) (string, error) {
	own := filepath.Dir(file)
	absolute, err := filepath.Abs(own)
	if err != nil {
		return "", err
	}
	at := own
	for {
		if isThere(filepath.Join(absolute, ManifestFile)) {
			return filepath.Clean(at), nil
		}
		above := filepath.Dir(absolute)
		if above == absolute || isThere(filepath.Join(absolute, ".git")) {
			return own, nil
		}
		absolute = above
		at = folderAbove(at)
	}
}

// folderAbove is the folder above one, named as relatively as that one.
func folderAbove(folder string) string {
	if base := filepath.Base(folder); base == "." || base == ".." {
		return filepath.Join(folder, "..")
	}
	return filepath.Dir(folder)
}

func isThere(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// pagesOf lists the markdown files that paths name, each once, in order.
func pagesOf(paths []string) ([]string, error) {
	var files []string
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: expected a page or a folder: %w", path, errors.Unwrap(err))
		case info.IsDir():
			found, err := pagesBelow(path)
			if err != nil {
				return nil, err
			}
			files = append(files, found...)
		case !isPage(path):
			return nil, fmt.Errorf("%s: expected a markdown page (.md) or a folder", path)
		default:
			files = append(files, filepath.Clean(path))
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

func pagesBelow(folder string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "testdata"
		switch {
		case err != nil:
			return err
		case d.IsDir() && hidden && path != folder:
			return fs.SkipDir
		case !d.IsDir() && isPage(path):
			files = append(files, path)
		}
		return nil
	})
	return files, err
}

func isPage(path string) bool {
	extension := strings.ToLower(filepath.Ext(path))
	return extension == ".md" || extension == ".markdown"
}
