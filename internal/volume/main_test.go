package volume_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"kcompare/clients"
	"kcompare/drivers"
	"kcompare/franz"
)

// TestMain runs the tests, or plays a client program, as which tests start this binary again.
func TestMain(m *testing.M) {
	lie, asked := os.LookupEnv(asProgram)
	if !asked {
		os.Exit(m.Run())
	}
	if err := clients.Serve(os.Stdin, os.Stdout, liar{franz.New(), lie}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const asProgram = "KCOMPARE_TEST_PROGRAM"

// The lies.
const (
	honest  = ""
	twice   = "sends a record twice"
	skips   = "says written of a record that it never sent"
	offsets = "tells the offset of another record"
	doctors = "sends other content"
	refused = "says of a record that failed"
)

// liar sends what it is told, and lies about the records whose number ends in 07.
type liar struct {
	drivers.Driver
	lie string
}

func (l liar) NewProducer(s drivers.Settings) (drivers.Producer, error) {
	p, err := l.Driver.NewProducer(s)
	if err != nil || l.lie == honest {
		return p, err
	}
	return &liarsProducer{Producer: p, lie: l.lie}, nil
}

// liarsProducer has no methods for bulks, so that records come one by one.
type liarsProducer struct {
	drivers.Producer
	lie string
	n   int
}

func (p *liarsProducer) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	p.n++
	if p.n%100 != 7 {
		p.Producer.Produce(ctx, r, report)
		return
	}
	switch p.lie {
	case twice:
		p.Producer.Produce(ctx, r, func(drivers.Delivery) {})
	case skips:
		report(drivers.Delivery{Outcome: drivers.Acked, Partition: 0, Offset: 0})
		return
	case doctors:
		r.Value = append([]byte(nil), r.Value...)
		r.Value[len(r.Value)-1] = '!'
	}
	p.Producer.Produce(ctx, r, func(d drivers.Delivery) {
		switch p.lie {
		case offsets:
			d.Offset++
		case refused:
			d = drivers.Delivery{Outcome: drivers.Failed, Partition: drivers.AnyPartition, Offset: -1, Err: &drivers.Error{Call: "produce", Class: drivers.Retriable, Code: "X", Text: "no"}}
		}
		report(d)
	})
}
