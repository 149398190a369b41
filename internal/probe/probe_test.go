package probe_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/broker"
	"kcompare/internal/fault"
	"kcompare/internal/fingerprint"
	"kcompare/internal/probe"
	"kcompare/internal/proxy"
	"kcompare/internal/pythontest"
)

// options are those of a probe of one node, which makes topics that are asked for.
func options(t *testing.T, out *bytes.Buffer, command ...string) probe.Options {
	t.Helper()
	cluster, err := broker.StartEmbedded(1, broker.AutoCreateTopics()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cluster.Close() })
	return probe.Options{
		Cluster: cluster, MakeTopics: true, Seed: 1, Command: command, Env: os.Environ(), Timeout: time.Minute, Output: out, Now: time.Now,
	}
}

// program is a Python program with confluent-kafka. Its first argument is the address.
func program(t *testing.T, lines ...string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program.py")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	return []string{pythontest.Python(t), path, "{}"}
}

// has are traits that a client must show.
func has(t *testing.T, f fingerprint.Fingerprint, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for key := range want {
		if trait, seen := f.Trait(key); seen {
			got[key] = trait.Value
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s %s (-want +got):\n%s", f.Library.Software, f.ClientID, diff)
	}
}

// TestExamples: the examples of each Python library, and what their requests show of the
// settings that stand in them.
func TestExamples(t *testing.T) {
	t.Parallel()
	for file, tt := range map[string]struct {
		library fingerprint.Library
		codec   string
	}{
		"producer.py":              {fingerprint.Library{Software: "confluent-kafka-python", Version: "2.16.1-rdkafka-2.16.0", Client: "python", Catalogue: "librdkafka", CatalogueVersion: "2.16.0"}, "lz4"},
		"kafka_python_producer.py": {fingerprint.Library{Software: "kafka-python", Version: "3.0.12", Client: "kafka-python", Catalogue: "kafka-python", CatalogueVersion: "3.0.12"}, "gzip"},
		"aiokafka_producer.py":     {fingerprint.Library{}, "gzip"}, // its ApiVersions is v0, which has no name
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			o := options(t, &out, pythontest.Python(t), "../../examples/"+file, "{}")
			r, err := probe.Run(t.Context(), o)
			if err != nil || r.Ended != (probe.Ended{How: probe.Exited}) || len(r.Fingerprints) != 1 || len(r.Problems) > 0 {
				t.Fatalf("error %v, ended %v, %d clients, problems %q\n%s", err, r.Ended, len(r.Fingerprints), r.Problems, &out)
			}
			if !strings.Contains(out.String(), "30 of 30 orders written") {
				t.Errorf("the program said %q", &out)
			}
			f := r.Fingerprints[0]
			if diff := cmp.Diff(tt.library, f.Library); diff != "" {
				t.Errorf("library (-want +got):\n%s", diff)
			}
			has(t, f, map[string]string{"client.id": "orders-producer", "acks": "all", "enable.idempotence": "true", "compression.type": tt.codec})
			if f.Batches.Records != 30 {
				t.Errorf("%d records in batches, want 30", f.Batches.Records)
			}
		})
	}
}

// TestLostAcks: the fault that shows what idempotence is for. The same program, with it
// and without.
func TestLostAcks(t *testing.T) {
	t.Parallel()
	for idempotence, duplicates := range map[string]int{"True": 0, "False": 3} {
		t.Run(idempotence, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			o := options(t, &out, program(t,
				"import sys, confluent_kafka",
				"p = confluent_kafka.Producer({'bootstrap.servers': sys.argv[1], 'enable.idempotence': "+idempotence+", 'retry.backoff.ms': 20})",
				"for n in range(3): p.produce('orders', value=str(n))",
				"sys.exit(p.flush(30))")...)
			o.Plan = fault.Plan{{Name: "lost", Action: fault.DropResponse, Select: fault.Selector{API: "Produce", Nth: 1, Probability: 1}}}
			r, err := probe.Run(t.Context(), o)
			if err != nil || len(r.Fingerprints) != 1 || len(r.Problems) > 0 {
				t.Fatalf("error %v, %d clients, problems %q\n%s", err, len(r.Fingerprints), r.Problems, &out)
			}
			if diff := cmp.Diff(&probe.Copies{Records: 3, Duplicates: duplicates}, r.Copies); diff != "" {
				t.Errorf("copies (-want +got):\n%s", diff)
			}
			again := r.Fingerprints[0].Again
			if len(again) != 1 || again[0].Times != 2 || again[0].Fault != "drop-response" || again[0].Result != "ok" {
				t.Errorf("sent again: %+v", again)
			}
		})
	}
}

// TestConsumer: what a member of a group shows, and that a topic which nobody may make is
// made for it.
func TestConsumer(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	o := options(t, &out, program(t,
		"import sys, confluent_kafka",
		"c = confluent_kafka.Consumer({'bootstrap.servers': sys.argv[1], 'group.id': 'till', 'group.instance.id': 'desk-1', 'session.timeout.ms': 7000,",
		"  'max.poll.interval.ms': 8000, 'auto.offset.reset': 'earliest', 'isolation.level': 'read_uncommitted', 'fetch.min.bytes': 2, 'client.rack': 'a'})",
		"p = confluent_kafka.Producer({'bootstrap.servers': sys.argv[1], 'allow.auto.create.topics': False})",
		"p.produce('orders', value='1')",
		"assert p.flush(30) == 0",
		"c.subscribe(['orders'])",
		"m = c.poll(30)",
		"assert m is not None and m.error() is None, m",
		"c.close()")...)
	r, err := probe.Run(t.Context(), o)
	if err != nil || r.Ended.Code != 0 || len(r.Problems) > 0 {
		t.Fatalf("error %v, ended %v, problems %q\n%s", err, r.Ended, r.Problems, &out)
	}
	if diff := cmp.Diff([]string{"orders"}, r.Made); diff != "" {
		t.Errorf("topics made (-want +got):\n%s", diff)
	}
	has(t, r.Fingerprints[0], map[string]string{
		"group.id": "till", "group.instance.id": "desk-1", "session.timeout.ms": "7000", "max.poll.interval.ms": "8000", "group.protocol": "classic",
		"auto.offset.reset": "earliest", "isolation.level": "read_uncommitted", "fetch.min.bytes": "2", "client.rack": "a",
		"partition.assignment.strategy": "range,roundrobin",
	})
}

// TestEnds: how a program can end, and that nothing of it is left.
func TestEnds(t *testing.T) {
	t.Parallel()
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	for name, tt := range map[string]struct {
		ctx     context.Context
		script  string
		timeout time.Duration
		want    probe.Ended
	}{
		"exit code":             {t.Context(), "exit 3", time.Minute, probe.Ended{How: probe.Exited, Code: 3}},
		"out of time":           {t.Context(), "exec sleep 600", 50 * time.Millisecond, probe.Ended{How: probe.TimedOut, Code: -1}},
		"deaf to being asked":   {t.Context(), "trap '' INT; sleep 600; sleep 600", 50 * time.Millisecond, probe.Ended{How: probe.TimedOut, Code: -1}},
		"interrupted":           {interrupted, "exec sleep 600", time.Minute, probe.Ended{How: probe.Interrupted, Code: -1}},
		"something left behind": {t.Context(), "sleep 600 & exit 0", time.Minute, probe.Ended{How: probe.Exited, Code: 0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			o := options(t, &out, "sh", "-c", tt.script)
			o.Timeout = tt.timeout
			r, err := probe.Run(tt.ctx, o)
			if err != nil || r.Seen() {
				t.Fatalf("error %v, seen %v", err, r.Seen())
			}
			if diff := cmp.Diff(tt.want, r.Ended); diff != "" {
				t.Errorf("ended (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAddress: where the program finds it.
func TestAddress(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	o := options(t, &out, "sh", "-c", `test "$BOOTSTRAP_SERVERS" = "$KAFKA_BOOTSTRAP_SERVERS" && test "$1" = "a=$BOOTSTRAP_SERVERS,$BOOTSTRAP_SERVERS" && echo found`, "sh", "a={},{}")
	if _, err := probe.Run(t.Context(), o); err != nil || out.String() != "found\n" {
		t.Errorf("error %v, the program said %q", err, &out)
	}
	o.Command = []string{"no-such-program"}
	if _, err := probe.Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "no-such-program") {
		t.Errorf("a command that is not there: error %v", err)
	}
}

// TestLeak: a client that knows the broker's own address is told of.
func TestLeak(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	o := options(t, &out, program(t,
		"import sys, confluent_kafka.admin",
		"confluent_kafka.admin.AdminClient({'bootstrap.servers': sys.argv[2]}).list_topics(timeout=30)")...)
	o.Command = append(o.Command, o.Cluster.Addrs()[0])
	r, err := probe.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Seen() || !slices.ContainsFunc(r.Problems, func(p string) bool { return strings.Contains(p, "past the proxy") }) {
		t.Errorf("seen %v, problems %q\n%s", r.Seen(), r.Problems, &out)
	}
}

// TestFaults: each has a plan that the proxy can carry out, and a name of its own.
func TestFaults(t *testing.T) {
	names, whole := []string{}, fault.Plan{}
	for _, f := range probe.Faults() {
		if slices.Contains(names, f.Name) {
			t.Errorf("%s stands there twice", f.Name)
		}
		names, whole = append(names, f.Name), append(whole, f.Plan...)
	}
	if err := whole.Validate(); err != nil {
		t.Error(err)
	}
	if err := proxy.CheckPlan(whole); err != nil {
		t.Error(err)
	}
	for _, r := range whole {
		if r.NeedsRecords() {
			t.Errorf("%s looks at records, which nobody else's client names", r.Name)
		}
	}
}
