package bench

import (
	"errors"
	"fmt"
	"slices"

	"kcompare/internal/evidence"
)

// check says which options make no sense.
func (o Options) check() error {
	if works := evidence.BenchWorks(); !slices.Contains(works, o.Work) {
		return fmt.Errorf("bench %s: no such work: expected one of %v", o.Work, works)
	}
	if len(o.Contestants) == 0 {
		return errors.New("bench: nobody to play: expected at least one contestant")
	}
	names := map[string]bool{}
	for _, c := range o.Contestants {
		if names[c.Name] {
			return fmt.Errorf("bench: two contestants are called %s", c.Name)
		}
		names[c.Name] = true
		if err := o.checkLoad(o.loadOf(c)); err != nil {
			return fmt.Errorf("bench %s: %w", o.Work, err)
		}
	}
	return nil
}

func (o Options) checkLoad(l evidence.BenchLoad) error {
	transacts := o.Work == evidence.BenchTransactions || o.Work == evidence.BenchRPW
	for _, c := range []struct {
		wrong bool
		what  string
		got   any
	}{
		{l.Rounds < 1, "rounds", l.Rounds},
		{l.WarmUp < 0, "warm-up rounds", l.WarmUp},
		{l.Records < 1, "records", l.Records},
		{l.RecordBytes < 1, "bytes of a record", l.RecordBytes},
		{l.Keys < 0, "keys", l.Keys},
		{l.Partitions < 1, "partitions", l.Partitions},
		{o.Work == evidence.BenchLatency && l.Rate <= 0, "records a second", l.Rate},
		{transacts && l.Transaction < 1, "records of a transaction", l.Transaction},
	} {
		if c.wrong {
			return fmt.Errorf("%s: expected at least 1 (0 for warm-up rounds and keys), got %v", c.what, c.got)
		}
	}
	return nil
}
