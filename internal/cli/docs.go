package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"kcompare/internal/page"
	"kcompare/internal/workbook"
)

func newDocs(s *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "docs",
		Short: "Keep the tables, diagrams and listings of a course true",
		Long: `docs fills blocks in the markdown pages of a course from evidence. A block stands
between two markers, which a person writes once:

    <!-- kcompare:begin id="lost-ack" kind="compare" scenario="idempotent" clients="franz,python" -->
    <!-- kcompare:end id="lost-ack" -->

A page names scenarios and files; nothing that stands in it is run. No byte outside
blocks changes. The root of a course is the nearest folder at or above a page with a
kcompare.yaml, otherwise the page's own folder; its evidence is in evidence/ there.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknown("docs command", args[0], commandNames(cmd))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newDocsRender(s), newDocsCheck(s), newDocsVerify(s), newDocsInit(s))
	return cmd
}

// docsCourse is a course that a command works on.
type docsCourse struct {
	workbook.Book
	course workbook.Course
	source *workbook.Store
}

// openDocs opens the pages that paths name, a course at a time. What is wrong with them is
// a usage error that has a line for each mistake.
func (s *State) openDocs(command string, paths []string, choice workbook.Choice) ([]docsCourse, error) {
	if len(paths) == 0 {
		return nil, usagef("%s: expected a page or a folder, such as kcompare %s docs", command, command)
	}
	books, err := workbook.Open(paths...)
	if err != nil {
		return nil, pageError(err)
	}
	if err := choice.Check(books); err != nil {
		return nil, usageError{err}
	}
	var all []docsCourse
	for _, book := range books {
		one, err := s.openCourse(book)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// openCourse reads what a course has beside pages.
func (s *State) openCourse(book workbook.Book) (docsCourse, error) {
	m, err := readManifest(book.Root)
	if err != nil {
		return docsCourse{}, err
	}
	book.SetLanguage(m.Language)
	files := courseFiles(book.Root)
	source := s.evidenceOf(files, m)
	return docsCourse{book, workbook.Course{Manifest: m, Files: files, Evidence: source}, source}, nil
}

// listings reads the files that blocks ask for.
func (c *docsCourse) listings(ctx context.Context, w workbook.Wants) error {
	var err error
	c.course.Listings, err = workbook.ReadListings(ctx, c.Root, c.course.Files, w.Listings)
	return err
}

// readManifest is that of the course at a root.
func readManifest(root string) (workbook.Manifest, error) {
	file := filepath.Join(root, workbook.ManifestFile)
	content, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return workbook.DefaultManifest(), nil
	}
	if err != nil {
		return workbook.Manifest{}, err
	}
	m, err := workbook.ReadManifest(file, content, workbook.Clients())
	if err != nil {
		return workbook.Manifest{}, usageError{err}
	}
	return m, nil
}

// pageError makes the mistakes of pages usage errors, each on a line of its own.
func pageError(err error) error {
	if problems := (page.Problems)(nil); errors.As(err, &problems) {
		return linesError{problems}
	}
	if errors.Is(err, fs.ErrPermission) {
		return err
	}
	return usageError{err}
}

// linesError is a usage error whose lines stand alone: each begins with its place.
type linesError struct{ page.Problems }

// add takes what is wrong with more pages.
func (e *linesError) add(err error) {
	if problems := (page.Problems)(nil); errors.As(err, &problems) {
		e.Problems = append(e.Problems, problems...)
	}
}

// sizeOf is what courses have, in words.
func sizeOf(courses []docsCourse) string {
	pages, blocks := countsOf(courses)
	if blocks == 0 {
		return "no page with blocks (kcompare docs init FILE proposes some)"
	}
	return counted(blocks, "block") + " in " + counted(pages, "page")
}

func countsOf(courses []docsCourse) (pages, blocks int) {
	for _, c := range courses {
		pages, blocks = pages+len(c.Chapters), blocks+c.Blocks()
	}
	return pages, blocks
}
