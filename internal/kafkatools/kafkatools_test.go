package kafkatools_test

import (
	"testing"

	"kcompare/internal/bench"
	"kcompare/internal/broker"
	"kcompare/internal/broker/brokertest"
	"kcompare/internal/evidence"
	"kcompare/internal/kafkatools"
)

// TestPlay lets the real tools play on the embedded broker, and counts what they left in
// the log: first kafka-producer-perf-test writes, then the copier copies that.
func TestPlay(t *testing.T) {
	brokertest.NeedKafka(t)
	e, err := broker.StartEmbedded(1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	reader := openReader(t, e)
	load := evidence.BenchLoad{Records: 2000, RecordBytes: 100, Partitions: 1, Transaction: 300}
	stage := bench.Stage{Work: evidence.BenchProduce, Servers: e.Addrs()[0], Load: load, Group: "g", ID: "tx"}
	stage.Config = map[string]string{"acks": "all", "linger.ms": "5", "batch.size": "131072"}

	perf := play(t, kafkatools.PerfTest(quick()), stage, bench.Turn{Topic: "in", Load: load})
	if perf.Told == nil || perf.Told.Count != 1500 || perf.Timed != 1500 {
		t.Errorf("kafka-producer-perf-test: timed %d, told %+v: expected 1500 records", perf.Timed, perf.Told)
	}
	if got := data(t, reader, "in"); got != 2000 {
		t.Errorf("kafka-producer-perf-test left %d records, expected 2000", got)
	}

	stage.Work, stage.Config = evidence.BenchRPW, nil
	copied := play(t, kafkatools.Copier(quick()), stage, bench.Turn{Topic: "in", Out: "out", Load: load})
	if copied.Transactions < 7 || copied.Timed < 1 {
		t.Errorf("the copier: %d transactions, %d records timed: expected 7 or more, and some", copied.Transactions, copied.Timed)
	}
	if got := data(t, reader, "out"); got != 2000 {
		t.Errorf("the copier left %d records, expected 2000", got)
	}
}

// quick is a Java that starts with as little work as it can.
func quick() kafkatools.Options {
	return kafkatools.Options{JVM: []string{"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"}}
}

// play opens a contestant and plays one turn.
func play(t testing.TB, c bench.Contestant, s bench.Stage, turn bench.Turn) bench.Played {
	t.Helper()
	player, err := c.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer player.Close()
	if err := player.Ready(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	played, err := player.Play(t.Context(), turn)
	if err != nil {
		t.Fatal(err)
	}
	if played.Elapsed <= 0 || played.CPU <= 0 || played.PeakMemory < 10<<20 {
		t.Errorf("%s: elapsed %v, processor time %v, %d bytes: expected some of each", c.Name, played.Elapsed, played.CPU, played.PeakMemory)
	}
	return played
}

// openReader makes the topics and returns who reads them.
func openReader(t testing.TB, c broker.Cluster) *broker.Reader {
	t.Helper()
	r, err := broker.NewReader(c.Addrs(), c.Access())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	topics := []broker.Topic{{Name: "in", Partitions: 1}, {Name: "out", Partitions: 1}}
	if _, err := r.CreateTopics(t.Context(), topics); err != nil {
		t.Fatal(err)
	}
	return r
}

// data is how many data records a topic has.
func data(t testing.TB, r *broker.Reader, topic string) int64 {
	t.Helper()
	var n int64
	count := func(b evidence.Batch) error {
		if b.Control == "" {
			n += int64(len(b.Records))
		}
		return nil
	}
	if err := r.ReadPartition(t.Context(), broker.TopicPartition{Topic: topic}, 0, count); err != nil {
		t.Fatal(err)
	}
	return n
}
