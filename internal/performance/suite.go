package performance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"time"

	"kcompare/internal/child"
)

// Group is benchmarks of one package that are run alike.
type Group struct {
	Package string // "internal/proxy"
	Pattern string // of -bench
	Count   int    // six values have an interval
	Time    string // of -benchtime
}

// Suite is what `make bench` runs, in this order: twenty-five minutes on two cores, most of them rounds of clients in other languages.
func Suite() []Group {
	return []Group{
		{"internal/proxy", "Produce1MiB$", 6, "1s"},
		{"internal/proxy", "BesideToxiproxy1MiB$", 12, "1s"},
		{"internal/proxy", "SmallRequests$", 6, "1s"},
		{"internal/proxy", "ProduceCodecs$", 1, "1s"},
		{"internal/audit", "Audit$", 6, "1s"},
		{"internal/audit", "Audit20M$", 2, "1x"},
		{"internal/batch", ".", 6, "300ms"},
		{"internal/report", "Large$", 6, "1x"},
		{"cmd/kcompare", "Help$", 6, "100x"},
		{"clients", "Produce", 6, "300ms"},
		{"clients", "Overhead$/^python$", 8, "4x"}, // pairs of processes
		{"clients", "Overhead$/^java$/^numbered$", 6, "3x"},
		{"clients", "Overhead$/^java$/^counted$", 1, "2x"},
		{"clients", "Overhead$/^kafkajs$", 6, "2x"},
		{"clients", "Overhead$/^aiokafka$", 1, "2x"},
		{"clients", "Overhead$/^kafka-python$", 1, "1x"},
		{"franz", "Overhead", 6, "3x"},
		{"librdkafka", "Overhead$", 6, "1x"},
		{"sarama", "Overhead$", 6, "1x"},
		{"internal/bench", "ReadBack$", 6, "1x"},
		{"internal/kafkatools", "PerfTest$", 3, "2x"},
	}
}

// groupTime is how long one group may take, building included.
const groupTime = 10 * time.Minute

// Play runs the groups with the go command, from the folder root, and writes what they
// print to out. One that fails does not keep the others from running: what it did not print
// is not measured. The error names all that failed.
func Play(ctx context.Context, goCommand, root string, groups []Group, out io.Writer) error {
	starter := child.NewStarter()
	defer starter.Close()
	var failed []error
	for _, g := range groups {
		if err := g.play(ctx, starter, goCommand, root, out); err != nil {
			failed = append(failed, fmt.Errorf("benchmarks %s of %s: %w", g.Pattern, g.Package, err))
		}
	}
	return errors.Join(failed...)
}

func (g Group) play(ctx context.Context, starter *child.Starter, goCommand, root string, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, groupTime)
	defer cancel()
	cmd := exec.Command(goCommand, "test", "-run=^$", "-bench="+g.Pattern, "-benchmem",
		"-count="+strconv.Itoa(g.Count), "-benchtime="+g.Time, "-timeout="+groupTime.String(), "./"+g.Package)
	cmd.Dir, cmd.Stdout, cmd.Stderr = root, out, out
	p, err := starter.Start(cmd)
	if err != nil {
		return err
	}
	select {
	case <-p.Done():
		return p.Err()
	case <-ctx.Done():
		p.KillGroup()
		<-p.Done()
		return fmt.Errorf("not finished: %w", ctx.Err())
	}
}
