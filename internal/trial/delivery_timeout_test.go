package trial_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/evidence"
)

// beautifier reports as written whatever fails.
type beautifier struct{ drivers.Producer }

func (p beautifier) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	p.Producer.Produce(ctx, r, func(d drivers.Delivery) {
		d.Outcome, d.Err = drivers.Acked, nil
		report(d)
	})
}

// pessimist reports as not written whatever was.
type pessimist struct{ drivers.Producer }

func (p pessimist) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	p.Producer.Produce(ctx, r, func(d drivers.Delivery) {
		d.Outcome, d.Err = drivers.Failed, failure("produce", drivers.UnknownOutcome, "PESSIMIST")
		report(d)
	})
}

// original tells the offset of the first copy of a record, where there are two.
type original struct{ drivers.Producer }

func (p original) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	p.Producer.Produce(ctx, r, func(d drivers.Delivery) {
		d.Offset = max(0, d.Offset-1)
		report(d)
	})
}

// reuser is franz-go before 1.20.7: a record that is given up leaves its sequence number
// to the next one, which the broker takes for the repetition and acknowledges.
type reuser struct {
	drivers.Producer
	reuse atomic.Bool
}

func (p *reuser) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	if p.reuse.Swap(false) {
		report(drivers.Delivery{Outcome: drivers.Acked, Partition: 0, Offset: 0})
		return
	}
	var first sync.Once
	p.Producer.Produce(context.WithoutCancel(ctx), r, func(d drivers.Delivery) { first.Do(func() { report(d) }) })
	context.AfterFunc(ctx, func() {
		first.Do(func() {
			p.reuse.Store(true)
			report(drivers.Delivery{
				Outcome: drivers.Failed, Partition: 0, Offset: drivers.NoOffset,
				Err: failure("produce", drivers.UnknownOutcome, "GIVEN_UP"),
			})
		})
	})
}

// TestLiesOfDeliveryTimeout: each claim fails for a client that breaks it.
func TestLiesOfDeliveryTimeout(t *testing.T) {
	optimistic := producing(func(p drivers.Producer) drivers.Producer { return beautifier{p} })
	pessimistic := producing(func(p drivers.Producer) drivers.Producer { return pessimist{p} })
	secret := producing(func(p drivers.Producer) drivers.Producer { return &secretive{Producer: p} })
	doubled := producing(func(p drivers.Producer) drivers.Producer { return twice{p} })
	first := producing(func(p drivers.Producer) drivers.Producer { return original{p} })
	reusing := producing(func(p drivers.Producer) drivers.Producer { return &reuser{Producer: p} })
	idempotent, repeating := setting("enable.idempotence", "true"), setting("enable.idempotence", "false")
	for name, tt := range map[string]struct {
		variant string
		lie     meddler
		want    evidence.AnomalyKind
	}{
		"retries, kept to itself":        {"enable.idempotence=false,exhausted=retries", secret, evidence.Lost},
		"retries, reported as written":   {"enable.idempotence=false,exhausted=retries", optimistic, evidence.Lost},
		"retries, never used up":         {"enable.idempotence=false,exhausted=retries", setting("retries", "30"), ""},
		"no retries, sent twice":         {"enable.idempotence=false,retries=0", doubled, evidence.Duplicate},
		"no retries, sent again":         {"enable.idempotence=false,retries=0", setting("retries", "30"), evidence.Duplicate},
		"time, reported as written":      {"enable.idempotence=false,exhausted=time", optimistic, evidence.Lost},
		"time, never used up":            {"enable.idempotence=false,exhausted=time", setting("delivery.timeout.ms", "60000"), ""},
		"idempotent, reported written":   {"enable.idempotence=true,exhausted=time,in-flight=given-up", optimistic, evidence.Lost},
		"idempotent, is not":             {"enable.idempotence=true,exhausted=time,in-flight=given-up", repeating, evidence.Duplicate},
		"warm-up, no retries":            {"enable.idempotence=false,warmup=connection", setting("retries", "0"), evidence.FailedButPresent},
		"alone, all fail":                {"retries=2,sends=sequential", pessimistic, ""},
		"beside others, kept to itself":  {"retries=2,sends=concurrent", secret, evidence.Lost},
		"beside others, none fails":      {"retries=2,sends=concurrent", optimistic, ""},
		"in one batch, none fails":       {"retries=2,sends=batched", optimistic, ""},
		"timed out, not twice":           {"answer=REQUEST_TIMED_OUT,enable.idempotence=false", idempotent, ""},
		"timed out, twice":               {"answer=REQUEST_TIMED_OUT,enable.idempotence=true", repeating, evidence.Duplicate},
		"timed out, first copy reported": {"answer=REQUEST_TIMED_OUT,enable.idempotence=false", first, ""},
		"given up, its sequence reused":  {"cancel=timed-out,in-flight=default", reusing, evidence.Lost},
		"given up in flight, reused":     {"cancel=timed-out,in-flight=given-up", reusing, evidence.Lost},
		"epoch raised, sent again":       {"epoch=raised", repeating, evidence.Duplicate},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := specOf(t, "delivery-timeout", tt.variant, nil)
			s.Timeout = 20 * time.Second
			checkLie(t, s, tt.lie, tt.want)
		})
	}
}

// TestWithoutWarmup: the control is one. Where a connection lets its handshake pass and
// nothing else, payments are sent again and again.
func TestWithoutWarmup(t *testing.T) {
	s := specOf(t, "delivery-timeout", "enable.idempotence=false,warmup=connection", franz.New())
	s.Parameters.Warmup = 1
	got := play(t, s)
	if got.Verdict != evidence.Violated || !strings.Contains(strings.Join(got.Reasons, ""), "most attempts at one payment") {
		t.Errorf("verdict is %s: %q, want violated for the attempts", got.Verdict, got.Reasons)
	}
}

// TestNothingFired: a rule whose points nobody could plan has to fire all the same.
func TestNothingFired(t *testing.T) {
	s := specOf(t, "delivery-timeout", "enable.idempotence=false,warmup=connection", franz.New())
	s.Sabotage.FaultsOff = true
	got := play(t, s)
	if got.Verdict != evidence.Inconclusive || !strings.Contains(strings.Join(got.Reasons, ""), "never fired") {
		t.Errorf("verdict is %s: %q, want inconclusive because it never fired", got.Verdict, got.Reasons)
	}
}

// hanging keeps every third record to itself and says that it was written; of the last
// it says nothing, for ever.
type hanging struct {
	drivers.Producer
	n, last int
}

func (p *hanging) Produce(ctx context.Context, r drivers.Record, report func(drivers.Delivery)) {
	switch p.n++; {
	case p.n == p.last:
	case p.n%3 == 0:
		report(drivers.Delivery{Outcome: drivers.Acked, Partition: drivers.AnyPartition, Offset: drivers.NoOffset})
	default:
		p.Producer.Produce(ctx, r, report)
	}
}

// TestNoLossBehindAHang: a client that loses records and hangs does not hide the one
// behind the other.
func TestNoLossBehindAHang(t *testing.T) {
	s := specOf(t, "delivery-timeout", "enable.idempotence=false,exhausted=retries", nil)
	s.Timeout = 4 * time.Second
	checkLie(t, s, producing(func(p drivers.Producer) drivers.Producer {
		return &hanging{Producer: p, last: s.Parameters.Messages}
	}), evidence.Lost)
}
