package fingerprint

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/evidence"
)

// at is an exchange that came at a moment, and was answered one microsecond later.
func at(micros int64, e evidence.Exchange) evidence.Exchange {
	e.At, e.AnsweredAt = micros, micros+1
	return e
}

// hit is an exchange that a fault happened to.
func hit(action string, e evidence.Exchange) evidence.Exchange {
	e.Fault, e.Delivered = action, false
	return e
}

// TestAgain: what is the same request once more, and what is not.
func TestAgain(t *testing.T) {
	idempotent := func(sequence int32, offset int64) evidence.Exchange {
		return produced(evidence.TraceBatch{ProducerID: 7, BaseSequence: sequence, Records: 3, BaseOffset: offset})
	}
	plain := func(sum string, offset int64) evidence.Exchange {
		return produced(evidence.TraceBatch{ProducerID: -1, BaseSequence: -1, Records: 1, BaseOffset: offset}, "batch_sums", sum)
	}
	copied := at(9, idempotent(0, 0))
	copied.Result, copied.Fault = "copy of request 1", "duplicate-request"
	commit := sent("EndTxn")
	commit.Summary = "commit shop"
	refused := at(1, commit)
	refused.Fault, refused.Result = "answer-instead", "COORDINATOR_LOAD_IN_PROGRESS"
	collateral := at(2, idempotent(3, 3))
	collateral.Collateral, collateral.Delivered = true, false
	for name, tt := range map[string]struct {
		exchanges []evidence.Exchange
		want      []Again
	}{
		"an idempotent batch whose answer was lost": {
			[]evidence.Exchange{at(1, hit("drop-response", idempotent(0, 0))), at(100, idempotent(3, 3)), at(502, idempotent(0, 0))},
			[]Again{{API: "Produce", About: "orders-0, 3 records", Fault: "drop-response", Times: 2, Waits: []int64{500}, Written: 1, Result: "ok"}},
		},
		"without a producer id it stands there twice": {
			[]evidence.Exchange{at(1, hit("drop-response", plain("0a", 0))), at(12, plain("0a", 1))},
			[]Again{{API: "Produce", About: "orders-0, 1 record", Fault: "drop-response", Times: 2, Waits: []int64{10}, Written: 2, Result: "ok"}},
		},
		"lost with a connection that a fault closed": {
			[]evidence.Exchange{collateral, at(13, idempotent(3, 3))},
			[]Again{{API: "Produce", About: "orders-0, 3 records", Fault: "collateral", Times: 2, Waits: []int64{10}, Written: 1, Result: "ok"}},
		},
		"another batch":                    {[]evidence.Exchange{at(1, plain("0a", 0)), at(12, plain("0b", 1))}, nil},
		"nothing to know it by":            {[]evidence.Exchange{at(1, plain("", 0)), at(12, plain("", 1))}, nil},
		"a copy that the proxy made":       {[]evidence.Exchange{at(1, idempotent(0, 0)), copied}, nil},
		"an answered request of that kind": {[]evidence.Exchange{at(1, commit), at(20, commit)}, nil},
		"another API, until one is answered": {
			[]evidence.Exchange{refused, at(12, commit), at(20, commit)},
			[]Again{{API: "EndTxn", About: "commit shop", Fault: "answer-instead", Times: 2, Waits: []int64{10}, Result: "ok"}},
		},
	} {
		if diff := cmp.Diff(tt.want, againOf(tt.exchanges)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestRetries: how often, and how soon at the soonest.
func TestRetries(t *testing.T) {
	batch := func(sequence int32) evidence.Exchange {
		return produced(evidence.TraceBatch{ProducerID: 7, BaseSequence: sequence, Records: 1})
	}
	exchanges := []evidence.Exchange{
		at(0, hit("drop-request", batch(0))), at(100_001, hit("drop-request", batch(0))), at(900_000, batch(0)),
		at(1_000_000, hit("drop-response", batch(1))), at(1_090_001, batch(1)),
		at(2_000_000, hit("stall", batch(2))), at(2_000_001, batch(2)), // it waited for the answer, not for a backoff
	}
	for key, want := range map[string]string{"retries": "2 at-least 4", "retry.backoff.ms": "90 at-most 2"} {
		if diff := cmp.Diff(want, told(key, exchanges)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
		if got := told(key, exchanges[2:3]); got != "" {
			t.Errorf("%s of one request: %s", key, got)
		}
	}
}

// TestTransactions counts ends by what the broker answered, each transaction once.
func TestTransactions(t *testing.T) {
	begun := produced(evidence.TraceBatch{ProducerID: 7})
	offsets := sent("AddOffsetsToTxn")
	offsets.Summary = "shop pid=7 epoch=0 group=till"
	named := sent("InitProducerId", "transactional_id", "shop")
	end := func(commit bool, code string) evidence.Exchange {
		e := sent("EndTxn")
		e.End = &evidence.TraceEnd{Commit: commit, ProducerID: 7, Code: code}
		return e
	}
	for name, tt := range map[string]struct {
		exchanges []evidence.Exchange
		want      Transactions
	}{
		"committed and aborted":        {[]evidence.Exchange{begun, end(true, "ok"), begun, end(false, "ok")}, Transactions{Committed: 1, Aborted: 1}},
		"offsets alone":                {[]evidence.Exchange{offsets, end(true, "ok")}, Transactions{Committed: 1}},
		"asked for twice":              {[]evidence.Exchange{begun, end(true, "ok"), end(true, "ok")}, Transactions{Committed: 1}},
		"never answered":               {[]evidence.Exchange{begun, end(true, "")}, Transactions{Unknown: 1}},
		"answered at the second time":  {[]evidence.Exchange{begun, end(true, ""), end(true, "ok")}, Transactions{Committed: 1}},
		"refused, and then aborted":    {[]evidence.Exchange{begun, end(true, "INVALID_TXN_STATE"), end(false, "ok")}, Transactions{Refused: 1, Aborted: 1}},
		"never ended":                  {[]evidence.Exchange{named, begun}, Transactions{Open: 1}},
		"an idempotent producer alone": {[]evidence.Exchange{begun}, Transactions{}},
	} {
		if diff := cmp.Diff(tt.want, transactionsOf(tt.exchanges)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestOf: two clients of one program, one of which has a connection that does not tell
// its library.
func TestOf(t *testing.T) {
	from := func(conn int64, id string, e evidence.Exchange) evidence.Exchange {
		e.Conn, e.Client = conn, id
		return e
	}
	hello := func(name, version string) evidence.Exchange {
		return sent("ApiVersions", "client_software_name", name, "client_software_version", version)
	}
	all := Of([]evidence.Exchange{
		from(1, "shop", hello("kgo", "v1.22.3")), from(1, "shop", produced(evidence.TraceBatch{ProducerID: 7, Records: 2}, "acks", "-1", "batch_bytes", "70")),
		from(2, "till", hello("confluent-kafka-python", "2.16.1-rdkafka-2.16.0")), from(2, "till", sent("Fetch")),
		from(3, "shop", produced(evidence.TraceBatch{ProducerID: 7, Records: 1}, "acks", "-1")),
		from(4, "old", sent("Fetch")),
	})
	type short struct {
		ID       string
		Library  Library
		Requests map[string]int64
		Batches  Batches
	}
	var got []short
	for _, f := range all {
		got = append(got, short{f.ClientID, f.Library, f.Requests, f.Batches})
	}
	want := []short{
		{
			"shop", Library{"kgo", "v1.22.3", "franz", "franz-go", "v1.22.3"}, map[string]int64{"ApiVersions": 1, "Produce": 2},
			Batches{Requests: 2, Batches: 2, Records: 3, MinRecords: 1, MaxRecords: 2, MaxBytes: 70, InFlight: 1},
		},
		{"till", Library{"confluent-kafka-python", "2.16.1-rdkafka-2.16.0", "python", "librdkafka", "2.16.0"}, map[string]int64{"ApiVersions": 1, "Fetch": 1}, Batches{}},
		{"old", Library{}, map[string]int64{"Fetch": 1}, Batches{}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestIdentify knows the names that libraries gave themselves when they were asked.
func TestIdentify(t *testing.T) {
	for _, want := range []Library{
		{"confluent-kafka-go", "v2.11.1-librdkafka-v2.11.1", "librdkafka", "librdkafka", "2.11.1"},
		{"librdkafka", "2.11.1", "librdkafka", "librdkafka", "2.11.1"},
		{"apache-kafka-java", "4.4.0", "java", "kafka-clients", "4.4.0"},
		{"kafka-python", "3.0.12", "kafka-python", "kafka-python", "3.0.12"},
		{"something-else", "1", "", "", ""},
	} {
		if diff := cmp.Diff(want, identify(want.Software, want.Version)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.Software, diff)
		}
	}
}

// TestAgainst: what counts as the same, in whatever spelling.
func TestAgainst(t *testing.T) {
	exact := func(key, value string, others ...Reading) Trait {
		return Trait{Key: key, Value: value, Precision: Exact, Others: others}
	}
	limit := func(key, value string) Trait { return Trait{Key: key, Value: value, Precision: AtLeast} }
	for _, tt := range []struct {
		seen Trait
		want string
		is   Agreement
	}{
		{exact("acks", "all"), "-1", Same},
		{exact("acks", "all"), "1", Different},
		{exact("acks", "all", Reading{"1", 2}), "all", Different},
		{exact("enable.idempotence", "true"), "True", Same},
		{exact("compression.type", "lz4", Reading{"none", 1}), "LZ4", Same},
		{exact("compression.type", "none"), "lz4", Different},
		{Trait{Key: "compression.type", Value: "none", Precision: Hint}, "lz4", NotSeen},
		{Trait{Key: "compression.type", Value: "none", Precision: Hint}, "none", Same},
		{exact("auto.offset.reset", "earliest"), "beginning", Same},
		{exact("partition.assignment.strategy", "cooperative-sticky,range"), "org.apache.kafka.clients.consumer.CooperativeStickyAssignor, range", Same},
		{exact("transactional.id", "Shop"), "shop", Different},
		{exact("fetch.min.bytes", "1"), "01", Same},
		{limit("max.in.flight.requests.per.connection", "6"), "5", Different},
		{limit("max.in.flight.requests.per.connection", "5"), "5", Same},
		{limit("max.in.flight.requests.per.connection", "4"), "5", NotSeen},
		{limit("batch.size", "20000"), "16384", NotSeen},
		{Trait{Key: "heartbeat.interval.ms", Value: "3001", Precision: About}, "9000", NotSeen},
		{Trait{Key: "retry.backoff.ms", Value: "90", Precision: AtMost}, "100", NotSeen},
	} {
		got, reason := tt.seen.Against(tt.want)
		if got != tt.is || (reason != "") != (got == NotSeen) {
			t.Errorf("%s %s against %s: %s, because %q; want %s", tt.seen.Key, tt.seen.Value, tt.want, got, reason, tt.is)
		}
	}
}
