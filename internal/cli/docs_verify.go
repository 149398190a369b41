package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"kcompare/internal/evidence"
	"kcompare/internal/workbook"
)

type docsVerifyOptions struct {
	state  *State
	paths  []string
	choice workbook.Choice

	twice    bool
	progress string

	drifted, unclear, unsteady int // trials and programs
}

func newDocsVerify(s *State) *cobra.Command {
	opts := &docsVerifyOptions{state: s}
	cmd := &cobra.Command{
		Use:   "verify PATH...",
		Short: "Play again what pages tell of, and say what comes out otherwise; writes nothing",
		Long: `verify plays the trials that the blocks of pages tell of, and the programs whose output
they show, and compares what comes out with the evidence. What the same seed does not
repeat is no difference, nor is a time; a verdict, an anomaly, an answer, and a count of a
story that sends one record at a time are, with the libraries of both sides:

  evidence/idempotent-librdkafka.json: idempotent ...: librdkafka 2.11.1 -> 2.16.0: duplicates 3 -> 0

--twice plays everything twice and names each fact in which the two differ: what a page
tells of it would not be the same each time.

Exit codes: 0 the same; 1 kcompare itself failed; 2 usage; 3 something differs; 4 something
is inconclusive or could not be compared. Nothing is written.`,
		Example: `  kcompare docs verify docs/workbook/en/02-idempotent.md
  kcompare docs verify docs --only lost-ack --twice`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.paths = args
			return runDocsVerify(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringSliceVar(&opts.choice.Only, "only", nil, "the block with this `ID` alone; repeatable")
	cmd.Flags().BoolVar(&opts.twice, "twice", false, "play everything twice, and name the facts that differ")
	cmd.Flags().StringVar(&opts.progress, "progress", progressAuto, "auto, plain or none, on stderr")
	return cmd
}

func runDocsVerify(ctx context.Context, opts *docsVerifyOptions) error {
	if err := oneOf("progress", opts.progress, progressAuto, progressPlain, progressNone); err != nil {
		return err
	}
	courses, err := opts.state.openDocs("docs verify", opts.paths, opts.choice)
	if err != nil {
		return err
	}
	wants, err := wantsOf(courses, opts.choice)
	if err != nil {
		return err
	}
	trials, benches, programs := 0, 0, 0
	for i, c := range courses {
		plays := c.source.Replays(wants[i].Needs)
		trials, benches, programs = trials+len(plays), benches+len(wants[i].Benches), programs+len(wants[i].Programs)
		if err := opts.trials(ctx, c, plays); err != nil {
			return err
		}
		if err := opts.programs(ctx, c, wants[i].Programs); err != nil {
			return err
		}
		if err := opts.benches(ctx, c, wants[i].Benches); err != nil {
			return err
		}
	}
	fmt.Fprintf(opts.state.Stderr, "%s played again: %s\n", toPlay(trials, benches, programs), opts.summary())
	switch {
	case opts.drifted+opts.unsteady > 0:
		return finish(exitWrong)
	case opts.unclear > 0:
		return finish(exitUnproven)
	}
	return nil
}

// summary is what came out, in one line.
func (opts *docsVerifyOptions) summary() string {
	var parts []string
	for _, part := range []struct {
		n    int
		text string
	}{{opts.drifted, "otherwise than the evidence"}, {opts.unsteady, "otherwise the second time"}, {opts.unclear, "inconclusive or not compared"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.text))
		}
	}
	if parts == nil {
		return "as the evidence says"
	}
	return strings.Join(parts, ", ")
}

// trials plays trials once or twice and compares.
func (opts *docsVerifyOptions) trials(ctx context.Context, c docsCourse, plays []workbook.Play) error {
	player := &docsPlayer{state: opts.state, progress: opts.progress}
	played, err := player.trials(ctx, plays)
	if err != nil {
		return err
	}
	drifts, err := c.source.Verify(played)
	if err != nil {
		return err
	}
	told := map[workbook.Need]bool{}
	for _, d := range drifts {
		told[d.Need] = true
		d.File = c.at(d.File)
		fmt.Fprintln(opts.state.Stdout, d)
		if len(d.Changes) > 0 {
			opts.drifted++
		} else {
			opts.unclear++
		}
	}
	for _, r := range played {
		if r.Trial.Verdict == evidence.Inconclusive && !told[r.Need] {
			opts.unclear++
			fmt.Fprintf(opts.state.Stdout, "%s: %s %s: inconclusive: %s\n", c.at(c.source.FileOf(r.Need)), r.Need.Scenario, r.Need.Variant, strings.Join(r.Trial.Reasons, "; "))
		}
	}
	if !opts.twice {
		return nil
	}
	again, err := player.trials(ctx, plays)
	if err != nil {
		return err
	}
	return opts.compareTwice(c, played, again)
}

// compareTwice names the facts in which two plays differ. Both have every trial: whatever
// was not finished was an error.
func (opts *docsVerifyOptions) compareTwice(c docsCourse, first, second []workbook.Replayed) error {
	by := map[workbook.Need]evidence.Trial{}
	for _, r := range second {
		by[r.Need] = r.Trial
	}
	for _, r := range first {
		differ, err := workbook.Unsteady(r.Need, r.Trial, by[r.Need])
		if err != nil {
			return err
		}
		if len(differ) > 0 {
			opts.unsteady++
		}
		for _, fact := range differ {
			fmt.Fprintf(opts.state.Stdout, "%s: %s %s: played twice: %s\n", c.at(c.source.FileOf(r.Need)), r.Need.Scenario, r.Need.Variant, fact)
		}
	}
	return nil
}

// programs plays programs again and compares what they print.
func (opts *docsVerifyOptions) programs(ctx context.Context, c docsCourse, names []string) error {
	programs, err := c.source.OutputPlays(names, func(string) bool { return true })
	if err != nil {
		return usageError{err}
	}
	differs := map[string][]int{} // the line, of each play, from which on it is not the evidence; 0: it is
	for range opts.times() {
		err := opts.state.playPrograms(ctx, c.Root, programs, func(p workbook.Program, lines []string) error {
			same, line := c.source.SameOutput(p.Name, lines)
			if same {
				line = 0
			}
			differs[p.Name] = append(differs[p.Name], line)
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, p := range programs {
		opts.tellProgram(c, p.Name, differs[p.Name])
	}
	return nil
}

func (opts *docsVerifyOptions) times() int {
	if opts.twice {
		return 2
	}
	return 1
}

// tellProgram says what the plays of a program printed otherwise than the evidence, and
// than each other.
func (opts *docsVerifyOptions) tellProgram(c docsCourse, name string, differs []int) {
	file, first, last := c.at(c.source.OutputFileOf(name)), differs[0], differs[len(differs)-1]
	if first != 0 {
		opts.drifted++
		fmt.Fprintf(opts.state.Stdout, "%s: %s prints something else from line %d on\n", file, name, first)
	}
	if first != last {
		opts.unsteady++
		fmt.Fprintf(opts.state.Stdout, "%s: %s: played twice: prints something else from line %d on\n", file, name, cmp.Or(min(first, last), max(first, last)))
	}
}
