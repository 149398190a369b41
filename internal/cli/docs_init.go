package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"kcompare/internal/page"
	"kcompare/internal/workbook"
)

type docsInitOptions struct {
	state *State
	file  string
	write bool
}

func newDocsInit(s *State) *cobra.Command {
	opts := &docsInitOptions{state: s}
	cmd := &cobra.Command{
		Use:   "init FILE",
		Short: "Propose blocks for a page that was written by hand",
		Long: `init looks for what a page has of runs and sources: tables METRIC and VALUE, tables of
settings or clients, sequence diagrams, listings, what programs printed. Behind each it
proposes an empty block, as a diff. --write puts the markers into the page. The author's
text stays where it is: render the blocks, compare, and delete what is not needed any more.

What it says of scenario, variant and rows is guessed from the words around, and told on
stderr with what is left to do.`,
		Example: `  kcompare docs init lesson.md
  kcompare docs init lesson.md --write && kcompare docs render lesson.md`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("docs init: expected one page, such as kcompare docs init lesson.md")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			opts.file = filepath.Clean(args[0])
			return runDocsInit(opts)
		},
	}
	cmd.Flags().BoolVar(&opts.write, "write", false, "put the markers into the page")
	return cmd
}

func runDocsInit(opts *docsInitOptions) error {
	source, err := os.ReadFile(opts.file)
	if err != nil {
		return usagef("docs init: %w", err)
	}
	p, err := page.Parse(opts.file, source)
	if err != nil {
		return pageError(err)
	}
	root, err := workbook.RootOf(opts.file)
	if err != nil {
		return err
	}
	m, err := readManifest(root)
	if err != nil {
		return err
	}
	proposals, text := workbook.Proposals(p, source, m, sourcesBelow(root))
	if _, err := page.Parse(opts.file, text); err != nil {
		return fmt.Errorf("docs init: the markers do not fit into the page: %w", err)
	}
	opts.tell(proposals)
	if !opts.write {
		_, err := fmt.Fprint(opts.state.Stdout, udiff.Unified(opts.file, opts.file, string(source), string(text)))
		return err
	}
	if string(text) == string(source) {
		return nil
	}
	if err := replaceFile(workbook.File{Path: opts.file, Content: text}); err != nil {
		return fmt.Errorf("write %s: %w", opts.file, err)
	}
	_, err = fmt.Fprintln(opts.state.Stdout, opts.file)
	return err
}

// tell says on stderr what was found, and what is left to the author.
func (opts *docsInitOptions) tell(proposals []workbook.Proposal) {
	blocks := 0
	for _, p := range proposals {
		what := p.What
		if p.ID != "" {
			what += fmt.Sprintf(", block %q", p.ID)
			blocks++
		}
		fmt.Fprintf(opts.state.Stderr, "%s:%d:1: %s: %s\n", opts.file, p.Line, what, p.Todo)
	}
	fmt.Fprintf(opts.state.Stderr, "%s proposed\n", counted(blocks, "block"))
}

// mostSources bounds what init reads of a course.
const mostSources = 2000

// sourcesBelow is the programs of a course, by path from its root. What cannot be read is
// left out: it only serves to recognise listings.
func sourcesBelow(root string) map[string]string {
	files := map[string]string{}
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // see above
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || !slices.Contains([]string{".go", ".py", ".java"}, filepath.Ext(path)):
			return nil
		case len(files) == mostSources:
			return fs.SkipAll
		}
		content, err := os.ReadFile(path)
		if name, bad := filepath.Rel(root, path); err == nil && bad == nil {
			files[filepath.ToSlash(name)] = string(content)
		}
		return nil
	})
	return files
}
