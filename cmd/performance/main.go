// Command performance measures how fast kcompare itself is and writes docs/performance.md.
// `make bench` starts it; users do not need it, so it is no part of kcompare.
//
//	go run ./cmd/performance bench --date=2026-12-01   benchmarks, then the page
//	go run ./cmd/performance large --date=2026-12-01   20 million records of each client, audited
//	go run ./cmd/performance soak --date=2026-12-01    half an hour at full speed; what is held must not grow
//	go run ./cmd/performance page                      the page alone, from what was measured before
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"kcompare/internal/cost"
	"kcompare/internal/performance"
)

func main() { os.Exit(run(os.Args[1:])) }

const usage = "usage: performance bench|large|soak|page [--date=YYYY-MM-DD] [--root=DIR] [--go=COMMAND] [--records=N] [--clients=A,B] [--kcompare=PROGRAM] [--for=30m] [--every=10s]"

// options are what all commands share.
type options struct {
	date, root, goCommand string
	lasting, every        time.Duration // of soak
	records               int64         // of large
	clients               string        // of large, with commas between them
	kcompare              string        // the program, which is Go clients too
}

func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var o options
	flags := flag.NewFlagSet("performance", flag.ContinueOnError)
	flags.StringVar(&o.date, "date", "", "of the measurement, as it is to stand on the page")
	flags.StringVar(&o.root, "root", ".", "where the repository is")
	flags.StringVar(&o.goCommand, "go", "go", "the go command")
	flags.DurationVar(&o.lasting, "for", performance.SoakTime, "how long soak works")
	flags.DurationVar(&o.every, "every", 10*time.Second, "from one sample of soak to the next")
	flags.Int64Var(&o.records, "records", performance.VolumeRecords, "what each client of large writes")
	flags.StringVar(&o.clients, "clients", strings.Join(performance.VolumeClients(), ","), "of large; those that are not named are not measured")
	flags.StringVar(&o.kcompare, "kcompare", "bin/kcompare", "the program, as make build makes it; large starts it as a client")
	if len(args) == 0 || flags.Parse(args[1:]) != nil || flags.NArg() > 0 {
		fmt.Fprintln(os.Stderr, usage)
		return 2
	}
	var err error
	switch args[0] {
	case "bench":
		err = o.bench(ctx)
	case "large":
		err = o.large(ctx)
	case "soak":
		err = o.soak(ctx)
	case "page":
		err = o.page()
	default:
		fmt.Fprintf(os.Stderr, "unknown command %q: expected bench, large, soak or page\n%s\n", args[0], usage)
		return 2
	}
	return code(err)
}

// code is the exit code, as kcompare's own: a requirement that is not met is 3, one that was not
// measured 4.
func code(err error) int {
	var missed *performance.MissedError
	switch {
	case err == nil:
		return 0
	case !errors.As(err, &missed):
		fmt.Fprintln(os.Stderr, "performance:", err)
		return 1
	}
	fmt.Fprintln(os.Stderr, err)
	if missed.Measured() {
		return 3
	}
	return 4
}

func (o options) bench(ctx context.Context) error {
	return o.record(ctx, performance.Bench, func(out io.Writer) error {
		return performance.Play(ctx, o.goCommand, o.root, performance.Suite(), out)
	})
}

// record writes the file of a run, then the page, and says what was missed. What failed was
// not measured; where the run was interrupted the page stays as it is.
func (o options) record(ctx context.Context, r performance.Run, measure func(io.Writer) error) error {
	if o.date == "" {
		return errors.New("--date is missing: expected the day of the measurement, 2026-12-01")
	}
	versions, err := performance.Versions(o.root)
	if err != nil {
		return err
	}
	partial := o.file(r) + ".part"
	if err := os.MkdirAll(filepath.Dir(partial), 0o755); err != nil {
		return err
	}
	file, err := os.Create(partial)
	if err != nil {
		return err
	}
	header := performance.Header{Date: o.date, Go: runtime.Version(), Machine: cost.ThisMachine(), Versions: versions}
	headed, failed := header.Write(file), measure(io.MultiWriter(file, os.Stdout))
	if err := errors.Join(headed, file.Close(), context.Cause(ctx)); err != nil {
		return fmt.Errorf("%w: what was measured is in %s, the page is as it was", err, partial)
	}
	if err := os.Rename(partial, o.file(r)); err != nil {
		return err
	}
	results, err := performance.ReadAll(o.folder())
	if err != nil {
		return err
	}
	if err := o.write(results); err != nil {
		return err
	}
	return errors.Join(failed, performance.Missed(r, performance.Judge(performance.Requirements(), results)))
}

func (o options) folder() string { return filepath.Join(o.root, "docs", "performance") }

func (o options) file(r performance.Run) string {
	return filepath.Join(o.folder(), performance.File(r))
}

func (o options) page() error {
	results, err := performance.ReadAll(o.folder())
	if err != nil {
		return err
	}
	return o.write(results)
}

func (o options) write(results map[performance.Run]performance.Results) error {
	page := performance.Page(performance.Requirements(), results)
	return os.WriteFile(filepath.Join(o.root, "docs", "performance.md"), []byte(page), 0o644)
}
