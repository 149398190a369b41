package drivers_test

import (
	"context"
	"errors"
	"testing"

	"kcompare/drivers"
)

func TestOutstanding(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	var o drivers.Outstanding
	for round := range 2 {
		if err := o.Wait(ended); err != nil {
			t.Errorf("round %d: nothing is outstanding, and Wait returned %v", round, err)
		}
		o.Add()
		o.Add()
		o.Done()
		none := o.None()
		if err := o.Wait(ended); !errors.Is(err, context.Canceled) || o.Count() != 1 {
			t.Errorf("round %d: %d outstanding and Wait returned %v, want 1 and %v", round, o.Count(), err, context.Canceled)
		}
		select {
		case <-none:
			t.Errorf("round %d: None is closed with one outstanding", round)
		default:
		}
		o.Done()
		<-none
		if o.Count() != 0 {
			t.Errorf("round %d: %d outstanding, want 0", round, o.Count())
		}
	}
}
