package sequence_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/evidence"
	"kcompare/internal/scenario"
	"kcompare/internal/sequence"
	"kcompare/internal/trial"
	"kcompare/librdkafka"
)

func play(t *testing.T, name, variant string, d drivers.Driver) *evidence.Observed {
	t.Helper()
	s, _ := scenario.ByName(name)
	i := slices.IndexFunc(s.Variants, func(v scenario.Variant) bool { return v.Name == variant })
	p := scenario.DefaultParameters()
	p.Messages = 12
	seen, err := trial.Run(t.Context(), trial.Spec{
		Scenario: s, Variant: s.Variants[i], Driver: d, Parameters: p,
		Seed: 1, Nodes: 3, Timeout: time.Minute, Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

// TestToldAlike plays stories twice that send one record at a time. What is chance in them
// (which broker a client asks, when it asks for metadata, which connections it shares) must
// not be in a scene.
func TestToldAlike(t *testing.T) {
	rdkafka, err := librdkafka.New()
	if err != nil {
		t.Fatalf("librdkafka takes part in this test: %v", err)
	}
	for _, story := range []struct {
		scenario, variant string
		scenes            []string
	}{
		{"idempotent", "enable.idempotence=true,sends=sequential", []string{"start", "fault", "record order-0005", "all"}},
		{"transactional", "end=mixed", []string{"start", "fault", "transaction 1"}},
	} {
		for _, d := range []drivers.Driver{franz.New(), rdkafka} {
			t.Run(story.scenario+" "+d.Client(), func(t *testing.T) {
				t.Parallel()
				one, two := play(t, story.scenario, story.variant, d), play(t, story.scenario, story.variant, d)
				for _, of := range story.scenes {
					if diff := cmp.Diff(cut(t, one, of), cut(t, two, of)); diff != "" {
						t.Errorf("the scene %q differs in two runs:\n%s", of, diff)
					}
				}
			})
		}
	}
}

func cut(t *testing.T, seen *evidence.Observed, of string) evidence.Scene {
	t.Helper()
	scene, err := sequence.Cut(seen, of)
	if err != nil {
		t.Fatal(err)
	}
	return scene
}

// taped is a trace that a hand wrote: two records, the answer to the first is lost, and a
// transaction that adds its partitions in two requests.
func taped() *evidence.Observed {
	one, two := evidence.RecordID{Role: "orders", N: 0}, evidence.RecordID{Role: "orders", N: 1}
	send := func(n int) evidence.SendID { return evidence.SendID{Instance: 1, Ordinal: n, Sum: 7} }
	const topic, id = "kcompare-shop-orders-3", "kcompare-seller-3 pid=77 epoch=0"
	write := func(n, conn int64, which evidence.RecordID, ordinal, attempt int, fault string) evidence.Exchange {
		return evidence.Exchange{
			N: n, Conn: conn, API: "Produce", Version: 10, Summary: "acks=-1 " + topic + "-0 kcompare-seller-3",
			Forwarded: true, Answered: true, Delivered: fault == "", Fault: fault, Result: "ok",
			Batches: []evidence.TraceBatch{{
				Topic: topic, ProducerID: 77, BaseSequence: int32(ordinal), Records: 1, IDs: []evidence.RecordID{which},
				Sends: []evidence.SendID{send(ordinal)}, Attempt: attempt, BaseOffset: int64(ordinal), Code: "ok",
			}},
		}
	}
	ask := func(n, conn int64, api, summary string) evidence.Exchange {
		return evidence.Exchange{N: n, Conn: conn, API: api, Summary: summary, Forwarded: true, Answered: true, Delivered: true, Result: "ok"}
	}
	return &evidence.Observed{
		Trial: evidence.Trial{Scenario: "shop", Variant: "end=commit", Client: "franz", Number: 3},
		Sends: []evidence.Send{{ID: one, Send: send(0), Key: "order-0000"}, {ID: two, Send: send(1), Key: "order-0001"}},
		Trace: evidence.Trace{Exchanges: []evidence.Exchange{
			ask(1, 1, "ApiVersions", ""),
			ask(2, 1, "Metadata", topic),
			ask(3, 1, "Metadata", topic),
			ask(4, 2, "ApiVersions", ""),
			ask(5, 2, "InitProducerId", "kcompare-seller-3 pid=-1 epoch=-1"),
			ask(6, 2, "AddPartitionsToTxn", id+" "+topic+"-1"),
			ask(7, 2, "AddPartitionsToTxn", id+" "+topic+"-0"),
			write(8, 3, one, 0, 1, "drop-response"),
			ask(9, 1, "Metadata", topic),
			write(10, 4, one, 0, 2, ""),
			write(11, 4, two, 1, 1, ""),
			ask(12, 2, "EndTxn", "commit "+id),
			ask(13, 5, "Heartbeat", "group=kcompare-desk-3"),
			ask(14, 5, "OffsetCommit", "group=kcompare-desk-3"),
			ask(15, 5, "OffsetCommit", "group=kcompare-desk-3"),
		}},
	}
}

func TestCut(t *testing.T) {
	initialised := evidence.SceneStep{
		Connection: "c1", Node: "transaction coordinator", API: "InitProducerId",
		Request: "seller", Answer: "ok, P1 epoch 0", Forwarded: true, Delivered: true, Times: 1,
	}
	lost := evidence.SceneStep{
		Connection: "c2", Node: "leader", API: "Produce", Version: 10, Request: "order-0000 to orders-0, P1 epoch 0 sequence 0",
		Answer: "ok, offset 0", Fault: "drop-response", Forwarded: true, Times: 1,
	}
	again := lost
	again.Connection, again.Fault, again.Delivered = "c3", "", true
	want := evidence.Scene{Of: "fault", Steps: []evidence.SceneStep{initialised, lost, again}}
	if diff := cmp.Diff(want, cut(t, taped(), "fault")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for of, want := range map[string]string{
		"start":             "ApiVersions, Metadata orders, InitProducerId seller, AddPartitionsToTxn seller, P1 epoch 0, orders-0, orders-1, Produce order-0000 to orders-0, P1 epoch 0 sequence 0",
		"record order-0001": "InitProducerId seller, Produce order-0001 to orders-0, P1 epoch 0 sequence 1",
		"transaction 1": "AddPartitionsToTxn seller, P1 epoch 0, orders-0, orders-1, Produce order-0000 to orders-0, P1 epoch 0 sequence 0, " +
			"Produce order-0000 to orders-0, P1 epoch 0 sequence 0, Produce order-0001 to orders-0, P1 epoch 0 sequence 1, EndTxn commit, seller, P1 epoch 0",
	} {
		if got := brief(cut(t, taped(), of)); got != want {
			t.Errorf("%s is\n%s\nwant\n%s", of, got, want)
		}
	}
	all := cut(t, taped(), "all").Steps
	if last := all[len(all)-1]; last.API != "OffsetCommit" || last.Request != "group desk" || last.Times != 2 {
		t.Errorf("the last step of all is %+v, want OffsetCommit twice", last)
	}
}

func brief(s evidence.Scene) string {
	var all []string
	for _, step := range s.Steps {
		all = append(all, strings.TrimSpace(step.API+" "+step.Request))
	}
	return strings.Join(all, ", ")
}

func TestCutIsBounded(t *testing.T) {
	seen := taped()
	for n := range 60 {
		e := seen.Trace.Exchanges[10]
		e.N, e.Version = e.N+int64(n)+10, int16(n%2)
		seen.Trace.Exchanges = append(seen.Trace.Exchanges, e)
	}
	scene := cut(t, seen, "all")
	if len(scene.Steps) != sequence.MostSteps || scene.LeftOut != 27 {
		t.Errorf("%d steps and %d left out, want %d and 27", len(scene.Steps), scene.LeftOut, sequence.MostSteps)
	}
}

func TestWhatIsNotThere(t *testing.T) {
	quiet := taped()
	quiet.Trace.Exchanges = slices.DeleteFunc(quiet.Trace.Exchanges, func(e evidence.Exchange) bool { return e.Fault != "" || e.API == "Produce" })
	const has = "start, all, record order-0000 to record order-0001, transaction 1 to transaction 1"
	for _, c := range []struct {
		seen     *evidence.Observed
		of, want string
	}{
		{taped(), "begin", `unknown scene "begin": expected fault, start, all, record KEY, transaction N`},
		{taped(), "transaction one", `scene "transaction one": expected a number from 1 behind transaction, for example "transaction 1"`},
		{taped(), "record ", `scene "record ": expected a key behind record, for example "record order-0003"`},
		{taped(), "record order-9", `scene "record order-9" of shop end=commit franz: no record has the key "order-9"; the trace has: ` + has},
		{taped(), "transaction 2", `scene "transaction 2" of shop end=commit franz: the trace has 1; it has: ` + has},
		{quiet, "fault", `scene "fault" of shop end=commit franz: no fault fired; the trace has: ` + has},
		{quiet, "start", `scene "start" of shop end=commit franz: the trace has no Produce request`},
	} {
		if _, err := sequence.Cut(c.seen, c.of); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v\nwant %s", c.of, err, c.want)
		}
	}
}
