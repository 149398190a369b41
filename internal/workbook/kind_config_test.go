package workbook

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kcompare/internal/evidence"
)

// written is a course of files in a folder, with its listings read.
func courseOf(t *testing.T, texts map[string]string) Course {
	t.Helper()
	root := t.TempDir()
	var paths []string
	for name, text := range texts {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, name)
	}
	c := Course{Files: os.DirFS(root), Manifest: Manifest{Clients: []string{"franz", "librdkafka", "python", "java", "kafkajs"}}}
	var err error
	if c.Listings, err = ReadListings(t.Context(), root, c.Files, append(paths, "gone.properties", "../up.properties")); err != nil {
		t.Fatal(err)
	}
	return c
}

const producerProperties = `# a producer
bootstrap.servers=localhost:9092
acks=1
enable.idempotence=true
max.in.flight.requests.per.connection=3
linger.ms=5
debug=transaction
acknowledgements=all
min.insync.replicas=2
sasl.password=hunter2
max.poll.records=10
`

const producerGo = `package main

import (
	"os"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

func main() {
	kgo.NewClient(kgo.SeedBrokers(os.Args[1]), kgo.ProducerLinger(5*time.Millisecond), kgo.TransactionalID("orders"))
}
`

const bothPython = `import sys
from confluent_kafka import Consumer, Producer

p = Producer({"bootstrap.servers": sys.argv[1], "acks": "all", "compression.type": "lz4", **more})
c = Consumer({"group.id": "g", "isolation.level": "read_committed", "enable.auto.commit": False})
`

func TestConfig(t *testing.T) {
	c := courseOf(t, map[string]string{"a/producer.properties": producerProperties, "main.go": producerGo, "both.py": bothPython})
	inBoth(t, c, block("config", "file=a/producer.properties"), "config-properties")
	inBoth(t, c, block("config", "file=main.go", "clients=python"), "config-go")
	inBoth(t, c, block("config", "file=both.py", "clients=franz,java"), "config-python")
	inBoth(t, c, block("config", "file=both.py", "clients=franz", "role=consumer"), "config-role")
	for _, k := range c.Listings {
		if strings.Contains(k.Path, "..") || filepath.IsAbs(k.Path) {
			t.Errorf("listing %s: expected a path below the root", k.Path)
		}
	}
}

// trials is evidence by client.
type trials map[string]evidence.Trial

func (trials) Bench(BenchNeed) (evidence.Bench, bool) { return evidence.Bench{}, false }

func (all trials) Trial(n Need) (t evidence.Trial, of evidence.Document, ok bool) {
	t, ok = all[n.Client]
	t.Variant, t.Client = n.Variant, n.Client
	return t, of, ok
}

func (all trials) Output(string) (lines []string, ok bool) { return nil, false }

func TestConfigOfTrials(t *testing.T) {
	set := map[string]string{"acks": "all", "enable.idempotence": "true", "bootstrap.servers": "127.0.0.1:40001", "linger.ms": "0"}
	c := Course{Manifest: twoClients, Evidence: trials{
		"franz":      {Config: set, Differences: []string{"retries: counted for each partition"}},
		"librdkafka": {Config: set, Consuming: map[string]string{"isolation.level": "read_committed"}},
	}}
	inBoth(t, c, block("config", "scenario=idempotent", "variants=enable.idempotence=true,sends=sequential"), "config-trials")
}

func TestConfigWrong(t *testing.T) {
	c := courseOf(t, map[string]string{"main.go": producerGo, "server.properties": "broker.id=1\nlog.dirs=/tmp\n", "bad.py": "from confluent_kafka import Producer\nProducer({\n", "a.txt": "acks=1\n"})
	for _, test := range []struct {
		attributes []string
		want       string
	}{
		{nil, `file: is missing: expected file or scenario`},
		{[]string{"file=main.go", "scenario=idempotent"}, `file: stands beside scenario: expected one of them`},
		{[]string{"file=mian.go"}, `file: there is no file "mian.go": did you mean main.go?`},
		{[]string{"file=a.txt"}, `file: "a.txt": expected a file that ends in .py .go .java .properties .yaml .json or .md`},
		{[]string{"file=main.go", "role=producr"}, `role: unknown role "producr": did you mean producer?`},
		{[]string{"file=main.go", "role=consumer"}, `file: main.go: expected the settings of a consumer, found none`},
		{[]string{"file=server.properties"}, `file: server.properties: expected the settings of a client, found none`},
		{[]string{"file=main.go", "clients=kafkajs"}, `clients: unknown client "kafkajs": expected franz, librdkafka, python, java`},
	} {
		b := block("config", test.attributes...)
		var wrong *AttributeError
		if _, err := configNeeds(b, c.Manifest); !errors.As(err, &wrong) {
			wrong = wrongAttribute(t, c, b)
		}
		if wrong.Error() != test.want {
			t.Errorf("%v: found %v\nexpected %s", test.attributes, wrong, test.want)
		}
	}
	if wrong := wrongAttribute(t, c, block("config", "file=bad.py")); !strings.Contains(wrong.Error(), "bad.py: expected the settings of a client: not Python: line 2:") {
		t.Errorf("found %v", wrong)
	}
}

func TestLint(t *testing.T) {
	c := courseOf(t, map[string]string{
		"producer.properties": producerProperties, "both.py": bothPython, "fine.properties": "bootstrap.servers=localhost:9092\nacks=all\n",
		"bad.go": "package main\n\nimport \"github.com/twmb/franz-go/pkg/kgo\"\n\nfunc main() { kgo.NewClient( }\n",
	})
	inBoth(t, c, block("lint", "file=producer.properties"), "lint")
	inBoth(t, c, block("lint", "file=producer.properties", "severity=error"), "lint-errors")
	inBoth(t, c, block("lint", "file=fine.properties"), "lint-fine")
	inBoth(t, c, block("lint", "file=bad.go"), "lint-syntax")
	for _, test := range []struct {
		attributes []string
		want       string
	}{
		{[]string{"file=producer.property"}, `file: there is no file "producer.property": did you mean producer.properties?`},
		{[]string{"file=both.py", "severity=warnings"}, `severity: unknown severity "warnings": did you mean warning?`},
	} {
		if wrong := wrongAttribute(t, c, block("lint", test.attributes...)); wrong.Error() != test.want {
			t.Errorf("%v: found %v\nexpected %s", test.attributes, wrong, test.want)
		}
	}
}

// TestUnchecked: without Python a block about a program in it says so, and nothing else.
func TestUnchecked(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	c := courseOf(t, map[string]string{"both.py": bothPython})
	for _, kind := range []string{"lint", "config"} {
		_, err := kindNamed(t, kind).Render(c, block(kind, "file=both.py"))
		var unchecked *UncheckedError
		if !errors.As(err, &unchecked) || !strings.Contains(unchecked.Reason, "both.py: not checked: needs Python") {
			t.Errorf("%s: found %v", kind, err)
		}
	}
}
