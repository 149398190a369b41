package kafkatools

import (
	"context"
	"errors"
	"strings"
	"testing"

	"kcompare/internal/bench"
	"kcompare/internal/broker"
	"kcompare/internal/child"
	"kcompare/internal/evidence"
	"kcompare/internal/scripttest"
)

// scripted is a perf test whose java is a script.
func scripted(t *testing.T, script string) *player {
	t.Helper()
	dir := t.TempDir()
	p := &player{
		tool: perfTest{}, dir: dir, starter: child.NewStarter(),
		tools: broker.Tools{Java: scripttest.Write(t, dir, "java", "#!/bin/sh\n"+script), Build: "17.0.1", Version: "4.4.0"},
	}
	t.Cleanup(p.Close)
	load := evidence.BenchLoad{Records: 4000, RecordBytes: 10}
	if err := p.Ready(t.Context(), bench.Stage{Work: evidence.BenchProduce, Load: load, Config: map[string]string{"acks": "all"}}); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestRunFaults: a tool that ends badly, or says what is not known, is a failed turn that
// tells why, and is gone afterwards: the test would hang otherwise.
func TestRunFaults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ script, want string }{
		{"echo 'no disk' >&2; exit 3", "kafka-producer-perf-test: exit status 3; its stderr ends in: no disk"},
		{"echo Bonjour; exec sleep 600", `kafka-producer-perf-test: printed what is not known: "Bonjour"`},
		{"head -c 70000 /dev/zero; exec sleep 600", "kafka-producer-perf-test: printed a line without an end"},
		{"echo refused >&2; cat <<'X'\n" + perfNone + "X", "kafka-producer-perf-test: says that 0 of 4000 records were sent; its stderr ends in: refused"},
		{"cat <<'X'\n" + perfAll + perfSteady + "X", ""},
	} {
		_, err := scripted(t, test.script).Play(t.Context(), turn())
		if got := said(err); got != test.want {
			t.Errorf("of %q said %q, expected %q", test.script, got, test.want)
		}
	}
}

func turn() bench.Turn {
	return bench.Turn{Topic: "t", Load: evidence.BenchLoad{Records: 4000, RecordBytes: 10}}
}

// TestInterrupted: the end of the context ends the process.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("Ctrl-C"))
	_, err := scripted(t, "exec sleep 600").Play(ctx, turn())
	if got, want := said(err), "kafka-producer-perf-test: Ctrl-C"; got != want {
		t.Errorf("said %q, expected %q", got, want)
	}
}

// TestArguments: settings are in a file, not on the command line, which is everybody's to
// read; the rest is what the turn asks for.
func TestArguments(t *testing.T) {
	t.Parallel()
	load := evidence.BenchLoad{Records: 4000, RecordBytes: 10, Keys: 7, Rate: 250, Transaction: 100}
	s := bench.Stage{Servers: "127.0.0.1:1", Group: "g", ID: "tx", Config: map[string]string{"linger.ms": "5"}}
	for _, test := range []struct {
		tool tool
		want string
	}{
		{perfTest{}, "--bootstrap-server 127.0.0.1:1 --command-config DIR/producer.properties --topic t --num-records 4000 --warmup-records 1000 " +
			"--payload-file DIR/payload --throughput 250 --key-distribution range --record-key-range 7"},
		{copier{}, "--broker-list 127.0.0.1:1 --input-topic t --input-partition 0 --output-topic out --consumer-group g --transactional-id tx " +
			"--transaction-size 100 --group-mode --use-group-metadata"},
	} {
		dir := t.TempDir()
		got, err := test.tool.arguments(dir, s, bench.Turn{Topic: "t", Out: "out", Load: load})
		if err != nil {
			t.Fatal(err)
		}
		if line := strings.ReplaceAll(strings.Join(got, " "), dir, "DIR"); line != test.want {
			t.Errorf("arguments are\n%s\nexpected\n%s", line, test.want)
		}
	}
}

// TestTakes: a tool is asked for no work but its own.
func TestTakes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		tool tool
		work evidence.BenchWork
		want string
	}{
		{perfTest{}, evidence.BenchProduce, ""},
		{perfTest{}, evidence.BenchLatency, ""},
		{perfTest{}, evidence.BenchConsume, "it only produces: leave it out of consume"},
		{perfTest{}, evidence.BenchTransactions, "its transactions end by time (--transaction-duration-ms), not by number of records: leave it out of transactions"},
		{copier{}, evidence.BenchRPW, ""},
		{copier{}, evidence.BenchTransactions, "it reads, writes and commits: leave it out of transactions"},
	} {
		err := test.tool.takes(bench.Stage{Work: test.work, Load: evidence.BenchLoad{RecordBytes: 1, Transaction: 1}})
		if got := said(err); got != test.want {
			t.Errorf("%s: %s said %q, expected %q", test.tool.name(), test.work, got, test.want)
		}
	}
}
