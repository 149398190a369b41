package soak

import (
	"context"
	"fmt"
	"strings"
	"time"

	"kcompare/drivers"
	"kcompare/internal/audit"
	"kcompare/internal/evidence"
	"kcompare/internal/scenario"
	"kcompare/internal/trial"
	"kcompare/internal/verdict"
)

// Trials plays a trial as `kcompare run` does, on a broker and a proxy of its own: faults fire,
// the log is read back, audited and judged. What does not hold is an error, one of
// ErrInconclusive where nothing was found out.
func Trials(d drivers.Driver, name, variant string, now func() time.Time) (Work, error) {
	s, known := scenario.ByName(name)
	if !known {
		return Work{}, fmt.Errorf("unknown scenario %q: expected one of %s", name, strings.Join(scenario.Names(), ", "))
	}
	spec := trial.Spec{Scenario: s, Driver: d, Parameters: scenario.DefaultParameters(), Seed: 1, Nodes: 3, Timeout: patience, Now: now}
	for _, v := range s.Variants {
		if v.Name == variant {
			spec.Variant = v
		}
	}
	if spec.Variant.Name == "" {
		return Work{}, fmt.Errorf("%s has no variant %q", name, variant)
	}
	return Work{Name: spec.Name(), Times: 1, Do: func(ctx context.Context) (int64, error) { return play(ctx, spec) }}, nil
}

func play(ctx context.Context, spec trial.Spec) (int64, error) {
	seen, err := trial.Run(ctx, spec)
	if err != nil {
		return 0, err
	}
	judged := audit.Audit(seen)
	judged.Verdict, judged.Reasons = verdict.Judge(judged)
	switch judged.Verdict {
	case evidence.Holds:
	case evidence.Inconclusive:
		return 0, fmt.Errorf("%w: %s", ErrInconclusive, strings.Join(judged.Reasons, "; "))
	default:
		return 0, fmt.Errorf("%s: %s", judged.Verdict, strings.Join(judged.Reasons, "; "))
	}
	return judged.Counts[evidence.LogRecords], nil
}
