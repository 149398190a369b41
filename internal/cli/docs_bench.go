package cli

import (
	"context"
	"fmt"
	"strings"

	"kcompare/internal/bench"
	"kcompare/internal/evidence"
	"kcompare/internal/workbook"
)

// benches plays what pages tell of, one after the other, and stores it. It says so where
// nothing may be compared.
func (p *docsPlayer) benches(ctx context.Context, c docsCourse, plays []workbook.BenchPlay) error {
	for _, play := range plays {
		b, err := p.bench(ctx, play.BenchNeed)
		if err != nil {
			return err
		}
		if bench.Exit(b) != exitOK {
			p.unclear++
			fmt.Fprintf(p.state.Stderr, "kcompare: bench %s ranks nobody, and is stored as that: %s\n", strings.Join(play.Words(), " "), whyOpen(b))
		}
		if err := c.source.PutBench(play.BenchNeed, b); err != nil {
			return err
		}
	}
	return nil
}

// whyOpen is what keeps a bench from being judged.
func whyOpen(b evidence.Bench) string {
	var all []string
	for _, u := range b.Judgement.Unequal {
		all = append(all, u.Setting+" is not equal")
	}
	all = append(all, b.Judgement.Open...)
	for _, r := range b.Rounds {
		if why := b.Uncounted(r); why != "" {
			all = append(all, fmt.Sprintf("round %d of %s: %s", r.Round, r.Contestant, why))
		}
	}
	return strings.Join(all, "; ")
}

// bench plays one as `kcompare bench` would.
func (p *docsPlayer) bench(ctx context.Context, n workbook.BenchNeed) (evidence.Bench, error) {
	opts := &benchOptions{state: p.state}
	cmd, words := benchCommand(opts), n.Words()
	if err := cmd.ParseFlags(words[1:]); err != nil {
		return evidence.Bench{}, usageError{err}
	}
	opts.progress = p.progress
	plan, err := opts.plan(ctx, words[:1])
	if err != nil {
		return evidence.Bench{}, fmt.Errorf("bench %s: %w", strings.Join(words, " "), err)
	}
	b, err := opts.measure(ctx, plan)
	if err == nil {
		err = context.Cause(ctx) // an interrupted one is no error of its own
	}
	return b, err
}

// benches plays them again, and compares what they conclude.
func (opts *docsVerifyOptions) benches(ctx context.Context, c docsCourse, needs []workbook.BenchNeed) error {
	player := &docsPlayer{state: opts.state, progress: opts.progress}
	for _, n := range needs {
		b, err := player.bench(ctx, n)
		if err != nil {
			return err
		}
		d, differs := c.source.VerifyBench(n, b)
		if !differs {
			continue
		}
		d.File = c.at(d.File)
		fmt.Fprintln(opts.state.Stdout, d)
		if len(d.Changes) > 0 {
			opts.drifted++
		} else {
			opts.unclear++
		}
	}
	return nil
}
