package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"kcompare/drivers"
	"kcompare/drivers/drivertest"
	"kcompare/drivers/drivertest/kfaketest"
)

// checksAtOnce is how many checks run side by side. They mostly wait.
const checksAtOnce = 4

type checkOptions struct {
	state    *State
	client   string
	only     []string
	format   string
	progress string
}

func newClientsCheck(s *State) *cobra.Command {
	opts := &checkOptions{state: s}
	cmd := &cobra.Command{
		Use:   "check CLIENT|exec:COMMAND",
		Short: "Run the conformance suite on one client, or on a program of yours",
		Long: `check runs the suite that every driver of kcompare passes: does the client report what
its library said, and is that what stands in the log? It runs on an embedded broker, and a
program gets a process of its own for each check. What a library is not able to do is
said by its abilities, or by an error that names the setting, and is not wrong.

docs/write-a-client.md writes a program, clients/PROTOCOL.md says what it speaks.

Exit codes: 0 nothing is wrong; 1 the client cannot be started; 2 usage; 3 something is wrong.`,
		Example: `  kcompare clients check exec:'python3 docs/examples/tiny_client.py'
  kcompare clients check java --only=transaction/fencing`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("expected one client, or exec:COMMAND, got %d arguments", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.client = args[0]
			return runCheck(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringSliceVar(&opts.only, "only", nil, "only these checks, or those whose names begin so")
	cmd.Flags().StringVar(&opts.format, "format", formatText, "text or json")
	cmd.Flags().StringVar(&opts.progress, "progress", progressAuto, "auto, plain or none, on stderr")
	return cmd
}

// The results of a check.
const (
	checkOK      = "ok"
	checkNotAble = "not able"
	checkWrong   = "wrong"
)

// checkRow is one line of the answer.
type checkRow struct {
	Check  string `json:"check"`
	Result string `json:"result"`
	Reason string `json:"reason,omitempty"` // unless it is ok
}

// checkAnswer is the document of --format=json.
type checkAnswer struct {
	Command string     `json:"command"`
	Schema  string     `json:"schema"`
	Client  string     `json:"client"`
	Library string     `json:"library"`
	Lacks   []string   `json:"lacks"`
	Checks  []checkRow `json:"checks"`
	OK      int        `json:"ok"`
	NotAble int        `json:"not_able"`
	Wrong   int        `json:"wrong"`
}

func runCheck(ctx context.Context, opts *checkOptions) error {
	if err := errors.Join(
		oneOf("format", opts.format, formatText, formatJSON),
		oneOf("progress", opts.progress, progressAuto, progressPlain, progressNone),
	); err != nil {
		return err
	}
	checks, err := chosenChecks(opts.only)
	if err != nil {
		return err
	}
	driver, err := opts.state.contestant(ctx, opts.client)
	if err != nil {
		return err
	}
	cluster, stop, err := kfaketest.Start()
	if err != nil {
		return err
	}
	defer stop()
	answer := opts.answer(driver, opts.runAll(ctx, checks, drivertest.Subject{Driver: driver, Cluster: cluster}))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := opts.render(answer); err != nil {
		return err
	}
	if answer.Wrong > 0 {
		return codeError(exitWrong)
	}
	return nil
}

// chosenChecks is those whose name is, or begins with, one of these; all if there are none.
func chosenChecks(only []string) ([]drivertest.Check, error) {
	all := drivertest.Checks()
	if len(only) == 0 {
		return all, nil
	}
	for _, name := range only {
		if !slices.ContainsFunc(all, func(c drivertest.Check) bool { return strings.HasPrefix(c.Name, name) }) {
			return nil, unknown("check", name, checkNames(all))
		}
	}
	return slices.DeleteFunc(all, func(c drivertest.Check) bool {
		return !slices.ContainsFunc(only, func(name string) bool { return strings.HasPrefix(c.Name, name) })
	}), nil
}

func checkNames(checks []drivertest.Check) []string {
	var names []string
	for _, c := range checks {
		names = append(names, c.Name)
	}
	return names
}

// runAll runs the checks side by side, in the order of the suite.
func (o *checkOptions) runAll(ctx context.Context, checks []drivertest.Check, s drivertest.Subject) []checkRow {
	shown := newProgress(o.state, o.progress)
	defer shown.close()
	rows := make([]checkRow, len(checks))
	var group errgroup.Group
	group.SetLimit(checksAtOnce)
	for i, check := range checks {
		group.Go(func() error {
			_, end := shown.begin(check.Name, 0)
			rows[i] = checkOne(ctx, check, s)
			end(rows[i].Result)
			return nil
		})
	}
	_ = group.Wait() // none returns one
	return rows
}

// checkOne gives a program a process of its own, and looks at its end as well.
func checkOne(ctx context.Context, check drivertest.Check, s drivertest.Subject) checkRow {
	program, is := s.Driver.(drivers.Program)
	if !is || !check.Needs.In(program.Abilities()) {
		return rowOf(check, check.Try(ctx, s))
	}
	running, err := program.Start(ctx)
	if err != nil {
		return rowOf(check, drivertest.Result{Wrong: err})
	}
	s.Driver = running
	result := check.Try(ctx, s)
	running.Close()
	if fault := running.Fault(); fault != nil {
		result = drivertest.Result{Wrong: fault} // whatever followed from it
	}
	return rowOf(check, result)
}

func rowOf(check drivertest.Check, r drivertest.Result) checkRow {
	switch {
	case r.Wrong != nil:
		return checkRow{check.Name, checkWrong, r.Wrong.Error()}
	case r.Unable != "":
		return checkRow{check.Name, checkNotAble, r.Unable}
	}
	return checkRow{check.Name, checkOK, ""}
}

func (o *checkOptions) answer(d drivers.Driver, rows []checkRow) checkAnswer {
	a := checkAnswer{
		Command: "clients check", Schema: "kcompare/clients-check/v1",
		Client: d.Client(), Library: d.Library().String(), Lacks: lacks(d), Checks: rows,
	}
	for _, r := range rows {
		switch r.Result {
		case checkOK:
			a.OK++
		case checkNotAble:
			a.NotAble++
		default:
			a.Wrong++
		}
	}
	return a
}

func (o *checkOptions) render(a checkAnswer) error {
	if o.format == formatJSON {
		return writeJSON(o.state.Stdout, a)
	}
	return renderChecks(o.state.Stdout, a)
}

// renderChecks shows a reason of several lines below its check.
func renderChecks(w io.Writer, a checkAnswer) error {
	wide := 0
	for _, r := range a.Checks {
		wide = max(wide, len(r.Check))
	}
	var b strings.Builder
	for _, r := range a.Checks {
		fmt.Fprintf(&b, "%-*s  %s", wide, r.Check, r.Result)
		if r.Reason != "" {
			fmt.Fprintf(&b, ": %s", strings.ReplaceAll(r.Reason, "\n", "\n    "))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "\n%s, %s: %d ok, %d not able, %d wrong\n", a.Client, a.Library, a.OK, a.NotAble, a.Wrong)
	_, err := io.WriteString(w, b.String())
	return err
}
