package trial_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/audit"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/scenario"
	"kcompare/internal/trial"
	"kcompare/internal/verdict"
)

// setting is a lie about settings: the client is made with another value.
func setting(key, value string) meddler {
	return meddler{settings: func(set map[string]string) {
		if _, producing := set["acks"]; producing {
			set[key] = value
		}
	}}
}

// producing is a lie of producers.
func producing(wrap func(drivers.Producer) drivers.Producer) meddler {
	return meddler{producer: wrap}
}

// checkLie plays a variant with a client that lies. It has to be violated, with an
// anomaly of that kind; "" where only the checks fail.
func checkLie(t *testing.T, s trial.Spec, lie meddler, want evidence.AnomalyKind) {
	t.Helper()
	lie.Driver = franz.New()
	s.Driver = lie
	got := play(t, s)
	named := want == "" || slices.ContainsFunc(got.Anomalies, func(a evidence.Anomaly) bool { return a.Kind == want && !a.Allowed })
	if got.Verdict != evidence.Violated || !named {
		t.Errorf("verdict is %s: %q, anomalies %v; want violated with %q", got.Verdict, got.Reasons, got.Anomalies, want)
	}
}

// TestLiesOfReorder: each claim fails for a client that breaks it.
func TestLiesOfReorder(t *testing.T) {
	inFlight := "max.in.flight.requests.per.connection"
	for name, tt := range map[string]struct {
		variant string
		lie     meddler
		want    evidence.AnomalyKind
	}{
		"not idempotent":            {"enable.idempotence=true,max.in.flight=5", setting("enable.idempotence", "false"), evidence.Reordered},
		"five in flight by default": {"enable.idempotence=true,max.in.flight=default", meddler{settings: fiveInFlight}, evidence.Reordered},
		"five in flight":            {"enable.idempotence=false,max.in.flight=1", setting(inFlight, "5"), evidence.Reordered},
		"one in flight":             {"enable.idempotence=false,max.in.flight=5", setting(inFlight, "1"), ""},
		"retries":                   {"enable.idempotence=false,retries=0", setting("retries", "30"), evidence.Reordered},
		"sent twice":                {"enable.idempotence=false,retries=0", producing(func(p drivers.Producer) drivers.Producer { return twice{p} }), evidence.Duplicate},
		"kept to itself":            {"enable.idempotence=false,retries=0", producing(func(p drivers.Producer) drivers.Producer { return &secretive{Producer: p} }), evidence.Lost},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkLie(t, specOf(t, "reorder", tt.variant, nil), tt.lie, tt.want)
		})
	}
}

func fiveInFlight(set map[string]string) {
	if _, producing := set["acks"]; producing {
		set["enable.idempotence"], set["max.in.flight.requests.per.connection"] = "false", "5"
	}
}

// TestD12 is case D12: six payments in a burst, the first Produce is answered
// NOT_ENOUGH_REPLICAS and not written. librdkafka alone, which has as many in flight as
// it may from the first request on.
func TestD12(t *testing.T) {
	inOrder := []int{0, 1, 2, 3, 4, 5}
	for variant, tt := range map[string]struct {
		log   []int // in order; nil: all of them in another order
		acked int64
	}{
		"enable.idempotence=false,max.in.flight=default": {nil, 6},
		"enable.idempotence=false,max.in.flight=5":       {nil, 6},
		"enable.idempotence=true,max.in.flight=5":        {inOrder, 6},
		"enable.idempotence=true,max.in.flight=default":  {inOrder, 6},
		"enable.idempotence=false,retries=0":             {inOrder[1:], 5},
	} {
		for _, d := range clients(t) {
			if d.Client() != "librdkafka" {
				continue
			}
			t.Run(variant, func(t *testing.T) {
				t.Parallel()
				s := specOf(t, "reorder", variant, d)
				s.Parameters.Messages = len(inOrder)
				s.Variant.Run, s.Variant.Plan = burstAtOnce, refuseFirst
				seen, err := trial.Run(t.Context(), s)
				if err != nil {
					t.Fatal(err)
				}
				got := audit.Audit(seen)
				log := paymentsInLog(seen)
				if tt.log != nil && !cmp.Equal(tt.log, log) || tt.log == nil && (len(log) != len(inOrder) || cmp.Equal(inOrder, log)) {
					t.Errorf("log is %v, want %v", log, tt.log)
				}
				if v, reasons := verdict.Judge(got); got.Counts[evidence.Acked] != tt.acked || v == evidence.Violated {
					t.Errorf("%d acknowledged, want %d; verdict is %s: %q", got.Counts[evidence.Acked], tt.acked, v, reasons)
				}
			})
		}
	}
}

func refuseFirst(scenario.Parameters) fault.Plan {
	return fault.Plan{{
		Name: "refuse-first", Action: fault.AnswerInstead, Code: 19,
		Select: fault.Selector{API: "Produce", Record: "payments/0", Attempts: 1, Probability: 1},
	}}
}

func burstAtOnce(ctx context.Context, s *scenario.Stage) error {
	p, err := s.NewProducer("")
	if err != nil {
		return err
	}
	for n := range s.Parameters.Messages {
		p.Send(ctx, scenario.Message{Topic: "payments", ID: evidence.RecordID{Role: "payments", N: n}, Key: []byte("order"), Value: []byte("payment")})
	}
	return p.Wait(ctx)
}

func paymentsInLog(seen *evidence.Observed) []int {
	var log []int
	for _, p := range seen.Log.Partitions {
		for _, b := range p.Batches {
			for _, r := range b.Records {
				log = append(log, r.ID.N)
			}
		}
	}
	return log
}

// TestInFlightAtOnce: what a variant leaves to the library is found out on the wire.
func TestInFlightAtOnce(t *testing.T) {
	want := map[string]map[string]string{
		"enable.idempotence=true,max.in.flight=default":  {"franz": "5", "librdkafka": "5"},
		"enable.idempotence=false,max.in.flight=default": {"franz": "1", "librdkafka": "12"}, // all behind the first
		"enable.idempotence=false,max.in.flight=5":       {"franz": "5", "librdkafka": "5"},
		"enable.idempotence=false,max.in.flight=1":       {"franz": "1", "librdkafka": "1"},
	}
	for variant, of := range want {
		for _, d := range clients(t) {
			t.Run(variant+" "+d.Client(), func(t *testing.T) {
				t.Parallel()
				s := specOf(t, "reorder", variant, d)
				s.Timeout = 20 * time.Second
				got := play(t, s)
				wanted := []evidence.Answer{{Question: "Produce requests in flight at once", Answer: of[d.Client()], Measured: true}}
				if diff := cmp.Diff(wanted, got.Answers); diff != "" {
					t.Errorf("answers (-want +got):\n%s", diff)
				}
				if _, set := got.Config["max.in.flight.requests.per.connection"]; set != (got.Variant == "enable.idempotence=false,max.in.flight=5" || got.Variant == "enable.idempotence=false,max.in.flight=1") {
					t.Errorf("config %v: a setting that is left to the library is not set", got.Config)
				}
			})
		}
	}
}
