package cli

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

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

It ends with 3 where it found something, with a diff and the command that ends it.`,
		RunE: func(_ *cobra.Command, args []string) error {
			opts.paths = args
			return runDocsCheck(opts)
		},
	}
	cmd.Flags().StringSliceVar(&opts.choice.Only, "only", nil, "the block with this `ID` alone; repeatable")
	cmd.Flags().StringVar(&opts.out.format, "format", formatText, "text or json")
	cmd.Flags().StringVarP(&opts.out.file, "output", "o", "", "write to this `file` instead of stdout")
	return cmd
}

func runDocsCheck(opts *docsCheckOptions) error {
	if err := oneOf("format", opts.out.format, formatText, formatJSON); err != nil {
		return err
	}
	courses, err := opts.state.openDocs("docs check", opts.paths, opts.choice)
	if err != nil {
		return err
	}
	if _, err := wantsOf(courses, opts.choice); err != nil {
		return err
	}
	doc := checkDocument{Command: "docs check", Schema: "kcompare/docs-check/v1", Findings: []workbook.Finding{}}
	doc.Pages, doc.Blocks = countsOf(courses)
	var problems linesError
	for _, c := range courses {
		found, err := opts.check(c)
		problems.add(err)
		doc.Findings = append(doc.Findings, found...)
	}
	if len(problems.Problems) > 0 {
		return problems
	}
	return opts.print(doc, sizeOf(courses))
}

// checkDocument is the JSON of the contract.
type checkDocument struct {
	Command  string             `json:"command"`
	Schema   string             `json:"schema"`
	Pages    int                `json:"pages"`
	Blocks   int                `json:"blocks"`
	Findings []workbook.Finding `json:"findings"`
}

// check looks at the pages of one course, and at what lies beside them where all blocks
// are asked for.
func (opts *docsCheckOptions) check(c docsCourse) ([]workbook.Finding, error) {
	found, err := c.Check(c.course, c.source, opts.choice)
	if err != nil || len(opts.choice.Only) > 0 {
		return found, err
	}
	orphans, note := c.orphans()
	if note != "" {
		fmt.Fprintln(opts.state.Stderr, note)
	}
	return append(found, orphans...), nil
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
		return nil, fmt.Sprintf("not checked: evidence and pictures without a block, because another page of the course is wrong: %s", first)
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
	fmt.Fprintf(opts.state.Stderr, "%s: %s\n", size, counted(len(doc.Findings), "finding"))
	if len(doc.Findings) > 0 {
		return finish(exitWrong)
	}
	return nil
}

// textOf is a finding as a person reads it, with its diff and what to do.
func textOf(f workbook.Finding) string {
	text := f.String() + "\n" + f.Diff
	if f.Fix != "" {
		text += "fix: " + f.Fix + "\n"
	}
	return text
}
