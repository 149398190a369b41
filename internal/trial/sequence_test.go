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
	"kcompare/internal/trial"
	"kcompare/librdkafka"
)

// handmade is franz, whose batches made by hand go through a liar.
type handmade struct {
	drivers.Driver
	answer func(drivers.RawBatch, drivers.RawAnswer) drivers.RawAnswer
	change func(*drivers.RawBatch)
}

func (h handmade) NewRaw(s drivers.Settings) (drivers.Raw, error) {
	r, err := h.Driver.(drivers.RawDriver).NewRaw(s)
	return lyingRaw{r, h}, err
}

type lyingRaw struct {
	drivers.Raw
	handmade
}

func (r lyingRaw) Produce(ctx context.Context, b drivers.RawBatch) (drivers.RawAnswer, error) {
	if r.change != nil {
		r.change(&b)
	}
	answer, err := r.Raw.Produce(ctx, b)
	if err == nil && r.answer != nil {
		answer = r.answer(b, answer)
	}
	return answer, err
}

// TestSequenceLies: each claim about batches made by hand fails where the broker seems
// to answer otherwise, or gets something else.
func TestSequenceLies(t *testing.T) {
	forgiving := func(_ drivers.RawBatch, a drivers.RawAnswer) drivers.RawAnswer {
		if a.Code != "" {
			return drivers.RawAnswer{Offset: 0}
		}
		return a
	}
	off := func(_ drivers.RawBatch, a drivers.RawAnswer) drivers.RawAnswer {
		a.Offset++
		return a
	}
	told := func() func(drivers.RawBatch, drivers.RawAnswer) drivers.RawAnswer {
		seen := map[int32]bool{}
		return func(b drivers.RawBatch, a drivers.RawAnswer) drivers.RawAnswer {
			if seen[b.Sequence] {
				return drivers.RawAnswer{Code: "DUPLICATE_SEQUENCE_NUMBER", Offset: drivers.NoOffset}
			}
			seen[b.Sequence] = true
			return a
		}
	}
	anonymous := func(b *drivers.RawBatch) { b.ID, b.Epoch, b.Sequence = -1, -1, -1 }
	youngest := func(b *drivers.RawBatch) { b.Epoch = 7 }
	for name, lie := range map[string]handmade{
		"batch=next":                 {answer: off},
		"batch=repeated":             {answer: told()},
		"batch=repeated,value=other": {change: anonymous},
		"batch=gap":                  {answer: forgiving},
		"batch=replayed":             {answer: forgiving},
		"batch=overlap":              {answer: forgiving},
		"epoch=old":                  {change: youngest},
		"epoch=raised":               {answer: forgiving},
		"producer=fresh":             {answer: forgiving},
		"producer=unknown":           {change: anonymous},
		"acks=0":                     {change: anonymous},
		"acks=1":                     {change: anonymous},
		"acks=2":                     {change: func(b *drivers.RawBatch) { b.Acks = 1 }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lie.Driver = franz.New()
			got := play(t, specOf(t, "sequence", name, lie))
			if got.Verdict != evidence.Violated {
				t.Errorf("verdict is %s: %q", got.Verdict, got.Reasons)
			}
		})
	}
}

// TestSequenceNeedsKafka: what needs Apache Kafka fails on the embedded broker, which
// answers otherwise, or where a gap seems to be taken.
func TestSequenceNeedsKafka(t *testing.T) {
	forgiving := func(_ drivers.RawBatch, a drivers.RawAnswer) drivers.RawAnswer {
		return drivers.RawAnswer{Offset: a.Offset}
	}
	for name, lie := range map[string]handmade{
		"batch=wrapped":                    {}, // docs/brokers.md, sequence-wraps
		"batch=gap,producer=transactional": {}, // docs/brokers.md, first-sequence-in-transaction
		"broker=restarted":                 {answer: forgiving},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lie.Driver = franz.New()
			s := specOf(t, "sequence", name, lie)
			if got := play(t, s); got.Verdict != evidence.NotSupported {
				t.Errorf("verdict on the embedded broker is %s: %q", got.Verdict, got.Reasons)
			}
			s.Variant.NeedsKafka = ""
			if got := play(t, s); got.Verdict != evidence.Violated {
				t.Errorf("verdict is %s: %q, want violated", got.Verdict, got.Reasons)
			}
		})
	}
}

// answerTo is what a trial found out.
func answerTo(t evidence.Trial, question string) string {
	i := slices.IndexFunc(t.Answers, func(a evidence.Answer) bool { return a.Question == question })
	if i < 0 {
		return ""
	}
	return t.Answers[i].Answer
}

// TestLyingAcknowledgement: one payment is lost with its cause, and the two libraries go
// separate ways.
func TestLyingAcknowledgement(t *testing.T) {
	rdkafka, err := librdkafka.New()
	if err != nil {
		t.Fatal(err)
	}
	lost := []evidence.Anomaly{{Kind: evidence.Lost, Count: 1, Allowed: true, Cause: audit.LostForged, First: "customer-42"}}
	for _, tt := range []struct {
		variant                   string
		driver                    drivers.Driver
		next, told, gone          string
		acked, failed, intendedIs int64
	}{
		{"ack=lies,enable.idempotence=true", franz.New(), "OUT_OF_ORDER_SEQUENCE_NUMBER", "nothing", "goes on in a new epoch", 10, 0, 10},
		{"ack=lies,enable.idempotence=true", rdkafka, "OUT_OF_ORDER_SEQUENCE_NUMBER", "OUT_OF_ORDER_SEQUENCE_NUMBER", "fatal, writes no more", 6, 4, 10},
		{"ack=lies,enable.idempotence=false", franz.New(), "ok", "nothing", "goes on", 10, 0, 10},
		{"ack=lies,enable.idempotence=false", rdkafka, "ok", "nothing", "goes on", 10, 0, 10},
	} {
		t.Run(tt.variant+" "+tt.driver.Client(), func(t *testing.T) {
			t.Parallel()
			got := play(t, specOf(t, "sequence", tt.variant, tt.driver))
			if got.Verdict != evidence.Holds {
				t.Errorf("verdict is %s: %q", got.Verdict, got.Reasons)
			}
			if diff := cmp.Diff(lost, got.Anomalies); diff != "" {
				t.Errorf("anomalies (-want +got):\n%s", diff)
			}
			answers := []string{
				answerTo(got, "the broker answers the next batch"), answerTo(got, "the program is told"), answerTo(got, "the producer"),
			}
			if want := []string{tt.next, tt.told, tt.gone}; !slices.Equal(answers, want) {
				t.Errorf("answers are %q, want %q", answers, want)
			}
			c := got.Counts
			if c[evidence.Acked] != tt.acked || c[evidence.FailedRecords] != tt.failed || c[evidence.Intended] != tt.intendedIs {
				t.Errorf("%d acked, %d failed of %d, want %d, %d of %d",
					c[evidence.Acked], c[evidence.FailedRecords], c[evidence.Intended], tt.acked, tt.failed, tt.intendedIs)
			}
		})
	}
}

// TestLibraryBatchesAndLiesAreFoundOut: the claims about the libraries' own batches fail
// for a library with other settings, or one that doubles; a lie that was never told
// proves nothing.
func TestLibraryBatchesAndLiesAreFoundOut(t *testing.T) {
	idempotence := func(on string) meddler {
		return meddler{Driver: franz.New(), settings: func(set map[string]string) { set["enable.idempotence"] = on }}
	}
	doubling := meddler{Driver: franz.New(), producer: func(p drivers.Producer) drivers.Producer { return twice{p} }}
	for _, tt := range []struct {
		name, variant string
		driver        drivers.Driver
		sabotage      trial.Sabotage
		want          evidence.Verdict
	}{
		{"no sequence numbers", "batch=library", idempotence("false"), trial.Sabotage{}, evidence.Violated},
		{"doubled", "batch=library", doubling, trial.Sabotage{}, evidence.Violated},
		{"nobody notices", "ack=lies,enable.idempotence=true", idempotence("false"), trial.Sabotage{}, evidence.Violated},
		{"somebody notices", "ack=lies,enable.idempotence=false", idempotence("true"), trial.Sabotage{}, evidence.Violated},
		{"nobody lied", "ack=lies,enable.idempotence=true", franz.New(), trial.Sabotage{FaultsOff: true}, evidence.Inconclusive},
		{"nobody lied", "ack=lies,enable.idempotence=false", franz.New(), trial.Sabotage{FaultsOff: true}, evidence.Inconclusive},
	} {
		t.Run(tt.name+" "+tt.variant, func(t *testing.T) {
			t.Parallel()
			s := specOf(t, "sequence", tt.variant, tt.driver)
			s.Timeout, s.Sabotage = 20*time.Second, tt.sabotage
			if got := play(t, s); got.Verdict != tt.want {
				t.Errorf("verdict is %s: %q, want %s", got.Verdict, got.Reasons, tt.want)
			}
		})
	}
}
