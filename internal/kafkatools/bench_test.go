package kafkatools_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"kcompare/clients"
	"kcompare/drivers"
	"kcompare/internal/bench"
	"kcompare/internal/broker"
	"kcompare/internal/broker/brokertest"
	"kcompare/internal/child"
	"kcompare/internal/clienttest"
	"kcompare/internal/evidence"
	"kcompare/internal/kafkatools"
)

// What the harness costs the Java client, measured against Kafka's own tools on a Kafka of
// one node: the same settings, the same number of records after as many that are not timed,
// a new Java for each turn, with the same flags. An iteration is a turn of each, and the
// order turns around:
//
//	go test -run=NONE -bench=. -benchtime=10x ./internal/kafkatools
//
// of-perf-test (of-copier) is the geometric mean of the client's records/s as a multiple
// of the tool's; 0.97 and more is what is asked for.

// quickStart are the flags of a virtual machine that shipped clients are started with. They
// suit a program that lives for seconds: its compiler stops at the first level.
func quickStart() []string { return []string{"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"} }

// BenchmarkPerfTest is the bulk loop of the Java client beside kafka-producer-perf-test. The
// buffer is small, because the clock of the tool begins while it is full.
func BenchmarkPerfTest(b *testing.B) {
	against(b, "of-perf-test", evidence.BenchProduce, evidence.BenchLoad{Records: 2_000_000, RecordBytes: 100, Partitions: 1}, map[string]string{
		"acks": "all", "enable.idempotence": "true", "compression.type": "none", "linger.ms": "5", "batch.size": "131072",
		"max.in.flight.requests.per.connection": "5", "queue.buffering.max.kbytes": "2048",
	})
}

// BenchmarkCopier is its read-process-write in bulk beside the transactional copier, with
// the batches of 512 bytes that the copier has.
func BenchmarkCopier(b *testing.B) {
	against(b, "of-copier", evidence.BenchRPW, evidence.BenchLoad{Records: 100_000, RecordBytes: 100, Partitions: 1, Transaction: 100}, map[string]string{
		"acks": "all", "enable.idempotence": "true", "compression.type": "none", "linger.ms": "5", "batch.size": "512",
		"max.in.flight.requests.per.connection": "5",
	})
}

// duel is a client and a tool.
type duel struct {
	servers string
	reader  *broker.Reader
	work    evidence.BenchWork
	load    evidence.BenchLoad
	config  map[string]string
	flags   []string // of Java, beside what it does by itself
}

func against(b *testing.B, metric string, work evidence.BenchWork, load evidence.BenchLoad, config map[string]string) {
	brokertest.NeedKafka(b)
	clienttest.Program(b, "java")
	kafka, err := broker.StartKafka(b.Context(), broker.KafkaOptions{Nodes: 1, Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = kafka.Close() }()
	reader, err := broker.NewReader(kafka.Addrs(), kafka.Access())
	if err != nil {
		b.Fatal(err)
	}
	defer reader.Close()
	for _, java := range []struct {
		name  string
		flags []string
	}{{"as-clients-start", quickStart()}, {"as-java-starts", nil}} {
		d := &duel{servers: kafka.Addrs()[0], reader: reader, work: work, load: load, config: config, flags: java.flags}
		b.Run(java.name, func(b *testing.B) { d.rounds(b, metric) })
	}
}

func (d *duel) rounds(b *testing.B, metric string) {
	var logs, client, tool float64
	n := 0
	for b.Loop() {
		var c, t float64
		if n%2 == 0 {
			c, t = d.client(b), d.tool(b)
		} else {
			t, c = d.tool(b), d.client(b)
		}
		b.Logf("round %d: client %.0f records/s, tool %.0f, ratio %.3f", n+1, c, t, c/t)
		logs, client, tool = logs+math.Log(c/t), client+c, tool+t
		n++
	}
	b.ReportMetric(math.Exp(logs/float64(n)), metric)
	b.ReportMetric(client/float64(n), "client-records/s")
	b.ReportMetric(tool/float64(n), "tool-records/s")
}

// tool is one turn of Kafka's, in records/s.
func (d *duel) tool(b *testing.B) float64 {
	stage, turn := d.stage(b)
	constructor := kafkatools.PerfTest
	if d.work == evidence.BenchRPW {
		constructor, stage.Config = kafkatools.Copier, nil
	}
	played := play(b, constructor(kafkatools.Options{JVM: d.flags}), stage, turn)
	if played.Timed == 0 {
		b.Fatal("the tool has timed all records, its start included")
	}
	return float64(played.Timed) / played.Elapsed.Seconds()
}

// stage makes new topics, and writes what is to be copied.
func (d *duel) stage(b *testing.B) (bench.Stage, bench.Turn) {
	name := fmt.Sprintf("kcompare-%d", time.Now().UnixNano())
	turn := bench.Turn{Topic: name, Out: name + "-out", Load: d.load}
	topics := []broker.Topic{{Name: turn.Topic, Partitions: d.load.Partitions}, {Name: turn.Out, Partitions: d.load.Partitions}}
	if _, err := d.reader.CreateTopics(b.Context(), topics); err != nil {
		b.Fatal(err)
	}
	stage := bench.Stage{Work: d.work, Servers: d.servers, Config: d.config, Load: d.load, Group: name, ID: name}
	if d.work == evidence.BenchRPW {
		d.playing(b, func(r drivers.Running) { d.produce(b, r, turn.Topic, d.load.Records) })
	}
	return stage, turn
}

// client is one turn of the Java client, in records/s: a quarter of the records is not
// timed, as with the tools.
func (d *duel) client(b *testing.B) float64 {
	stage, turn := d.stage(b)
	quarter := d.load.Records / 4
	var rate float64
	d.playing(b, func(r drivers.Running) {
		if d.work == evidence.BenchRPW {
			rate = d.process(b, r, stage, turn, quarter)
		} else {
			rate = d.produce(b, r, turn.Topic, quarter, d.load.Records-quarter)
		}
	})
	return rate
}

// playing starts the Java client for one turn.
func (d *duel) playing(b *testing.B, play func(drivers.Running)) {
	program := clienttest.Program(b, "java")
	program.Command = slices.DeleteFunc(program.Command, func(argument string) bool {
		return slices.Contains(quickStart(), argument) && !slices.Contains(d.flags, argument)
	})
	starter := child.NewStarter()
	defer starter.Close()
	client, err := clients.New(b.Context(), starter, program)
	if err != nil {
		b.Fatal(err)
	}
	running, err := client.Start(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer running.Close()
	play(running)
	if err := running.Fault(); err != nil {
		b.Fatal(err)
	}
}

// settings are those of the duel and some more.
func (d *duel) settings(more map[string]string) drivers.Settings {
	config := map[string]string{"bootstrap.servers": d.servers}
	maps.Copy(config, d.config)
	maps.Copy(config, more)
	return drivers.Settings{Config: config}
}

// produce makes so many records after each other, and returns the last part's in a second.
func (d *duel) produce(b *testing.B, r drivers.Running, topic string, counts ...int64) (rate float64) {
	p, err := r.NewProducer(d.settings(nil))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	for _, count := range counts {
		acked := int64(0)
		bulk := drivers.Bulk{Topic: topic, Partition: drivers.AnyPartition, Count: count, ValueBytes: d.load.RecordBytes}
		done, err := p.(drivers.BulkProducer).ProduceMany(b.Context(), bulk, func(r drivers.Reported) {
			if r.Outcome == drivers.Acked {
				acked += r.Count
			}
		})
		if err != nil || acked != count {
			b.Fatalf("%d of %d records were acknowledged: %v", acked, count, err)
		}
		rate = float64(count) / done.Elapsed.Seconds()
	}
	return rate
}

// process copies all records, and returns how many in a second behind the first.
func (d *duel) process(b *testing.B, r drivers.Running, s bench.Stage, t bench.Turn, first int64) float64 {
	if !r.Abilities().BulkTransactions {
		b.Skip("the Java client has no process-many")
	}
	p, err := r.NewTransactionalProducer(d.settings(map[string]string{"transactional.id": s.ID}))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	c, err := r.NewConsumer(drivers.Settings{Config: map[string]string{"bootstrap.servers": d.servers, "group.id": s.Group,
		"isolation.level": "read_committed", "auto.offset.reset": "earliest", "enable.auto.commit": "false"}})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if err := errors.Join(p.Init(b.Context()), c.Subscribe(b.Context(), []string{t.Topic})); err != nil {
		b.Fatal(err)
	}
	copied := d.processMany(b, p.(drivers.BulkProcessor), c, t.Out, first)
	rest := d.processMany(b, p.(drivers.BulkProcessor), c, t.Out, d.load.Records-copied.Records) // a transaction may have had more than was asked for
	return float64(rest.Records) / rest.Elapsed.Seconds()
}

func (d *duel) processMany(b *testing.B, p drivers.BulkProcessor, c drivers.Consumer, out string, count int64) drivers.Processed {
	done, err := p.ProcessMany(b.Context(), drivers.Processing{Consumer: c, Topic: out, Count: count, Transaction: d.load.Transaction})
	if err != nil {
		b.Fatal(err)
	}
	return done
}
