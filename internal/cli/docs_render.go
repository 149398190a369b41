package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2/maybe"
	"github.com/spf13/cobra"

	"kcompare/internal/workbook"
)

type docsRenderOptions struct {
	state  *State
	paths  []string
	choice workbook.Choice
	rerun  []string // ids of blocks whose trials are played although they are fresh
	player docsPlayer
}

func newDocsRender(s *State) *cobra.Command {
	opts, watch := &docsRenderOptions{state: s, player: docsPlayer{state: s}}, false
	cmd := &cobra.Command{
		Use:   "render PATH...",
		Short: "Play what blocks tell of and is missing or stale, and write the blocks",
		Long: `render fills the blocks of pages, and of all pages below folders. Trials whose evidence
is missing, or was made of something that has changed since, are played first. Pages,
pictures and evidence are written at the end, in one step each, where their bytes change;
their names go to stdout.

A block whose text somebody changed is not overwritten: nothing is written then, and
render ends with 3. --accept ID writes it.`,
		Example: `  kcompare docs render docs
  kcompare docs render docs/workbook/en/02-idempotent.md --only lost-ack`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.paths = args
			if watch {
				return s.watchDocs(cmd.Context(), args, func(ctx context.Context) error {
					defer opts.once()
					return runDocsRender(ctx, opts)
				})
			}
			return runDocsRender(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringSliceVar(&opts.choice.Only, "only", nil, "the block with this `ID` alone; repeatable")
	cmd.Flags().StringSliceVar(&opts.choice.Accept, "accept", nil, "write the block with this `ID` although somebody changed its text; repeatable")
	cmd.Flags().StringSliceVar(&opts.rerun, "rerun", nil, "play what the block with this `ID` tells of although its evidence is fresh; repeatable")
	cmd.Flags().StringVar(&opts.player.progress, "progress", progressAuto, "auto, plain or none, on stderr")
	cmd.Flags().BoolVar(&watch, "watch", false, "render again whenever something in the folder of the course changes, until Ctrl-C")
	return cmd
}

// once forgets what is asked for the first time alone.
func (opts *docsRenderOptions) once() {
	opts.rerun, opts.choice.Accept, opts.player.unclear = nil, nil, 0
}

// runDocsRender writes nothing before everything is rendered.
func runDocsRender(ctx context.Context, opts *docsRenderOptions) error {
	if err := oneOf("progress", opts.player.progress, progressAuto, progressPlain, progressNone); err != nil {
		return err
	}
	courses, err := opts.state.openDocs("docs render", opts.paths, opts.choice)
	if err != nil {
		return err
	}
	wants, err := wantsOf(courses, opts.choice)
	if err != nil {
		return err
	}
	again, err := opts.again(courses)
	if err != nil {
		return err
	}
	var all workbook.Rendering
	for i, c := range courses {
		made, err := opts.render(ctx, c, wants[i], again[i])
		if err != nil {
			return err
		}
		all.Files, all.Refused, all.Unchecked = append(all.Files, made.Files...), append(all.Refused, made.Refused...), append(all.Unchecked, made.Unchecked...)
	}
	if len(all.Refused) > 0 {
		return opts.refuse(all.Refused)
	}
	return opts.write(courses, all)
}

// wantsOf is what each course has to have, once all of their markers are right.
func wantsOf(courses []docsCourse, choice workbook.Choice) ([]workbook.Wants, error) {
	wants := make([]workbook.Wants, len(courses))
	var problems linesError
	for i, c := range courses {
		var err error
		if wants[i], err = c.Wants(c.course.Manifest, choice); err != nil {
			problems.add(err)
		}
	}
	if len(problems.Problems) > 0 {
		return nil, problems
	}
	for i, c := range courses {
		if err := c.source.Read(wants[i]); err != nil {
			return nil, fmt.Errorf("%s%w", strings.TrimSuffix(c.at("x"), "x"), err) // it begins with the file
		}
	}
	return wants, nil
}

// render plays what a course lacks, and gives the files that change: evidence first, so that
// whoever stops render while it writes has pages that are stale, which check says, and none
// that tell of what is not there.
func (opts *docsRenderOptions) render(ctx context.Context, c docsCourse, w, again workbook.Wants) (workbook.Rendering, error) {
	if edited := opts.choice.Edited(c.Book); len(edited) > 0 && w.Lacking(c.source) {
		return workbook.Rendering{Refused: edited}, nil // a play takes minutes: not for what is not written then
	}
	if err := c.listings(ctx, w); err != nil {
		return workbook.Rendering{}, err
	}
	played, err := opts.player.lacking(ctx, c, w, again)
	if err != nil {
		return workbook.Rendering{}, err
	}
	r, err := c.Render(c.course, opts.choice)
	if err != nil {
		return workbook.Rendering{}, opts.player.keepFor(played, pageError(err))
	}
	r.Files = append(played, r.Files...)
	return r, nil
}

// again is what the blocks of --rerun want, of each course.
func (opts *docsRenderOptions) again(courses []docsCourse) ([]workbook.Wants, error) {
	if len(opts.rerun) == 0 {
		return make([]workbook.Wants, len(courses)), nil
	}
	for _, id := range opts.rerun {
		if !slices.ContainsFunc(courses, func(c docsCourse) bool { return slices.Contains(c.IDs(), id) }) {
			return nil, unknownBlock("rerun", id, courses)
		}
	}
	return wantsOf(courses, workbook.Choice{Only: opts.rerun})
}

func unknownBlock(flag, id string, courses []docsCourse) error {
	var known []string
	for _, c := range courses {
		known = append(known, c.IDs()...)
	}
	return fmt.Errorf("--%s: %w", flag, unknown("block", id, known))
}

// refuse says which blocks a person changed.
func (opts *docsRenderOptions) refuse(edited []workbook.Finding) error {
	for _, f := range edited {
		fmt.Fprint(opts.state.Stderr, textOf(f))
	}
	fmt.Fprintf(opts.state.Stderr, "nothing is written: %s changed by hand\n", counted(len(edited), "block"))
	return finish(exitWrong)
}

// write puts the files where they belong.
func (opts *docsRenderOptions) write(courses []docsCourse, r workbook.Rendering) error {
	for _, f := range r.Files {
		if err := replaceFile(f); err != nil {
			return fmt.Errorf("write %s: %w", f.Path, err)
		}
		fmt.Fprintln(opts.state.Stdout, f.Path)
	}
	notChecked(opts.state, r.Unchecked)
	fmt.Fprintf(opts.state.Stderr, "%s, %s written\n", sizeOf(courses), counted(len(r.Files), "file"))
	if opts.player.unclear+len(r.Unchecked) > 0 {
		return finish(exitUnproven)
	}
	return nil
}

// notChecked says what this machine lacks, and for what.
func notChecked(s *State, unchecked []string) {
	for _, line := range unchecked {
		fmt.Fprintln(s.Stderr, "not checked: "+line)
	}
}

// replaceFile writes a file in one step. Its mode stays, and so does a symbolic link.
func replaceFile(f workbook.File) error {
	path, mode := f.Path, os.FileMode(0o644)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	} else if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return maybe.WriteFile(path, f.Content, mode)
}
