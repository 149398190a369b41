package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"kcompare/internal/page"
	"kcompare/internal/workbook"
)

type docsCheckOptions struct {
	state  *State
	paths  []string
	choice workbook.Choice
	out    output
}

func newDocsCheck(s *State) *cobra.Command {
	opts := &docsCheckOptions{state: s}
	cmd := &cobra.Command{
		Use:   "check PATH...",
		Short: "Say which blocks are no longer what render would write; writes nothing, needs no network",
		Long: `check compares the blocks of pages with what render would write, and their evidence
with what it was made of. It plays nothing and writes nothing.

    render-stale     the evidence or a source gives another text or picture
    input-stale      a library, a broker, a scenario or a program has changed since the
                     evidence was made, or there is none
    hand-edited      somebody changed the text of a block
    broken-region    a listing names a part of a source that is not there
    orphan-evidence  no block of the course tells of it
    orphan-picture   the block of a picture is gone
    lint             a listing that the author wrote is wrong

It ends with 3 where it found something, with a diff and the command that ends it, and
with 4 where it did not, but this machine lacks what something is checked with.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.paths = args
			return runDocsCheck(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringSliceVar(&opts.choice.Only, "only", nil, "the block with this `ID` alone; repeatable")
	cmd.Flags().StringVar(&opts.out.format, "format", formatText, "text or json")
	cmd.Flags().StringVarP(&opts.out.file, "output", "o", "", "write to this `file` instead of stdout")
	return cmd
}

func runDocsCheck(ctx context.Context, opts *docsCheckOptions) error {
	if err := oneOf("format", opts.out.format, formatText, formatJSON); err != nil {
		return err
	}
	if err := opts.out.checkFile(); err != nil {
		return err
	}
	courses, err := opts.state.openDocs("docs check", opts.paths, opts.choice)
	if err != nil {
		return err
	}
	wants, err := wantsOf(courses, opts.choice)
	if err != nil {
		return err
	}
	doc := checkDocument{Command: "docs check", Schema: "kcompare/docs-check/v1", Findings: []workbook.Finding{}, Unchecked: []string{}}
	doc.Pages, doc.Blocks = countsOf(courses)
	var problems linesError
	for i, c := range courses {
		err := opts.check(ctx, c, wants[i], &doc)
		if wrong := (page.Problems)(nil); err != nil && !errors.As(err, &wrong) {
			return err
		}
		problems.add(err)
	}
	if len(problems.Problems) > 0 {
		return problems
	}
	return opts.print(doc, sizeOf(courses))
}

// checkDocument is the JSON of the contract.
type checkDocument struct {
	Command   string             `json:"command"`
	Schema    string             `json:"schema"`
	Pages     int                `json:"pages"`
	Blocks    int                `json:"blocks"`
	Findings  []workbook.Finding `json:"findings"`
	Skipped   int                `json:"skipped"`  // listings of the author's below kcompare:skip
	Warnings  int                `json:"warnings"` // of lint, about such listings
	Unchecked []string           `json:"unchecked"`
}

// check looks at the pages of one course, and where all blocks are asked for at what stands
// between and lies beside them. Listings wait for parsers of other languages to start:
// those of blocks and those between them do so at the same time.
func (opts *docsCheckOptions) check(ctx context.Context, c docsCourse, w workbook.Wants, doc *checkDocument) error {
	var fences workbook.Fences
	beside, besideCtx := errgroup.WithContext(ctx)
	if len(opts.choice.Only) == 0 {
		beside.Go(func() (err error) {
			fences, err = c.Fences(besideCtx)
			return err
		})
	}
	err := opts.checkBlocks(ctx, c, w, doc)
	if waited := beside.Wait(); err == nil {
		err = waited
	}
	if err != nil || len(opts.choice.Only) > 0 {
		return err
	}
	orphans, note := c.orphans()
	if note != "" {
		doc.Unchecked = append(doc.Unchecked, note)
	}
	doc.Findings = slices.Concat(doc.Findings, fences.Findings, orphans)
	doc.Unchecked = append(doc.Unchecked, fences.Unread...)
	doc.Skipped, doc.Warnings = doc.Skipped+fences.Skipped, doc.Warnings+fences.Warnings
	return nil
}

// checkBlocks holds what stands in blocks to evidence and sources.
func (opts *docsCheckOptions) checkBlocks(ctx context.Context, c docsCourse, w workbook.Wants, doc *checkDocument) error {
	if err := c.listings(ctx, w); err != nil {
		return err
	}
	found, unchecked, err := c.Check(c.course, c.source, opts.choice)
	doc.Findings, doc.Unchecked = append(doc.Findings, found...), append(doc.Unchecked, unchecked...)
	return err
}

// orphans needs every page of the course: where another one is wrong nobody can say what
// it tells of, and note says so.
func (c docsCourse) orphans() (found []workbook.Finding, note string) {
	books, err := workbook.Open(c.Root)
	for _, b := range books {
		if err == nil && b.Root == c.Root {
			found, err = c.Orphans(b, c.course.Manifest, c.source)
		}
	}
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return nil, fmt.Sprintf("evidence and pictures without a block, because another page of the course is wrong: %s", first)
	}
	return found, ""
}

// print writes the findings to stdout, and how many there are to stderr.
func (opts *docsCheckOptions) print(doc checkDocument, size string) error {
	var b bytes.Buffer
	if opts.out.format == formatJSON {
		if err := writeJSON(&b, doc); err != nil {
			return err
		}
	} else {
		for _, f := range doc.Findings {
			b.WriteString(textOf(f))
		}
	}
	if err := opts.out.put(opts.state, b.Bytes()); err != nil {
		return err
	}
	notChecked(opts.state, doc.Unchecked)
	fmt.Fprintf(opts.state.Stderr, "%s: %s%s\n", size, counted(len(doc.Findings), "finding"), doc.beside())
	switch {
	case len(doc.Findings) > 0:
		return finish(exitWrong)
	case len(doc.Unchecked) > 0:
		return finish(exitUnproven)
	}
	return nil
}

// beside is what else was found in listings of the author's.
func (d checkDocument) beside() string {
	text := ""
	if d.Warnings > 0 {
		text += ", " + counted(d.Warnings, "warning") + " (kcompare lint lists them)"
	}
	if d.Skipped > 0 {
		text += ", " + counted(d.Skipped, "listing") + " skipped"
	}
	return text
}

// textOf is a finding as a person reads it, with its diff and what to do.
func textOf(f workbook.Finding) string {
	text := f.String() + "\n" + f.Diff
	if f.Fix != "" {
		text += "fix: " + f.Fix + "\n"
	}
	return text
}
