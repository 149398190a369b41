package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"kcompare/internal/source"
)

// twin is a text that a rule speaks of, and the same one corrected.
type twin struct {
	rule         string
	language     source.Language
	wrong, right string
}

const (
	pythonHead = "from confluent_kafka import Producer, Consumer\n"
	goHead     = "package main\n\nimport \"github.com/confluentinc/confluent-kafka-go/v2/kafka\"\n\n"
	javaHead   = "# Java\nbootstrap.servers=k:9092\nkey.serializer=org.apache.kafka.common.serialization.StringSerializer\n"
)

var twins = []twin{
	{"unknown-key", source.Python, pythonHead + `Producer({"lingger.ms": 5})`, pythonHead + `Producer({"linger.ms": 5})`},
	{"unknown-key", source.Python, "from kafka import KafkaProducer\nKafkaProducer(lingger_ms=5)", "from kafka import KafkaProducer\nKafkaProducer(linger_ms=5)"},
	{"unknown-key", source.Properties, javaHead + "delivery.timeot.ms=1\n", javaHead + "delivery.timeout.minutes.of.ours=1\n"},
	{"java-key", source.Python, pythonHead + `Producer({"buffer.memory": 5})`, pythonHead + `Producer({"queue.buffering.max.kbytes": 5})`},
	{"java-key", source.Python, pythonHead + `Producer({"sasl.jaas.config": "x"})`, pythonHead + `Producer({"sasl.username": "x"})`},
	{"java-key", source.Properties, "bootstrap.servers=k\nmessage.timeout.ms=1\nmax.request.size=5\n", "bootstrap.servers=k\nmessage.timeout.ms=1\n"},
	{"librdkafka-key", source.Properties, javaHead + "message.timeout.ms=60000\n", javaHead + "delivery.timeout.ms=60000\n"},
	{"broker-key", source.Python, pythonHead + `Producer({"min.insync.replicas": 2})`, pythonHead + `Producer({"acks": "all"})`},
	{"broker-key", source.Properties, javaHead + "log.retention.hours=1\n", javaHead + "listeners=http://0.0.0.0:8088\n"},
	{"version-key", source.Python, pythonHead + `Consumer({"group.id": "g", "max.poll.records": 2})`, pythonHead + `Consumer({"group.id": "g", "max.poll.interval.ms": 300000})`},
	{"wrong-role", source.Python, pythonHead + `Producer({"group.id": "g"})`, pythonHead + `Consumer({"group.id": "g"})`},
	{"wrong-role", source.Python, "from aiokafka import AIOKafkaConsumer\nAIOKafkaConsumer('t', group_id='g', linger_ms=5)", "from aiokafka import AIOKafkaProducer\nAIOKafkaProducer(linger_ms=5)"},
	{"wrong-role", source.Python, pythonHead + "def f(c): Producer({'fetch.min.bytes': 1, 'linger.ms': 5})", pythonHead + "base = {'fetch.min.bytes': 1, 'linger.ms': 5}\nProducer(base)\nConsumer({**base, 'group.id': 'g'})"},
	{"wrong-role", source.Go, goHead + "func conf() *kafka.ConfigMap { return &kafka.ConfigMap{\"linger.ms\": 5, \"group.id\": \"g\"} }\nvar c, _ = kafka.NewConsumer(conf())", goHead + "func conf(producer bool) *kafka.ConfigMap {\n\tc := kafka.ConfigMap{\"group.id\": \"g\"}\n\tif producer {\n\t\tc[\"linger.ms\"] = 5\n\t}\n\treturn &c\n}\nvar c, _ = kafka.NewConsumer(conf(false))"},
	{"wrong-role", source.Python, "from kafka import KafkaProducer, KafkaConsumer\nbase = {'linger_ms': 5}\nKafkaProducer(**base)\nKafkaConsumer(**base)", pythonHead + "def f(producer):\n  c = {'group.id': 'g'}\n  if producer: c['linger.ms'] = 5\n  return Consumer(c)"},
	{"duplicate-key", source.Properties, "bootstrap.servers=k\nacks=all\nacks=1\n", "bootstrap.servers=k\nbatch.size=1\nacks=all\nbatch.size=1\n"},
	{"alias-conflict", source.Go, goHead + `var c, _ = kafka.NewProducer(&kafka.ConfigMap{"linger.ms": 5, "queue.buffering.max.ms": 6})`, goHead + `var c, _ = kafka.NewProducer(&kafka.ConfigMap{"linger.ms": 5, "queue.buffering.max.ms": 5})`},
	{"deprecated-key", source.Python, pythonHead + `Producer({"api.version.fallback.ms": 5})`, pythonHead + `Producer({"socket.timeout.ms": 5000})`},
	{"wrong-value", source.Python, pythonHead + `Producer({"acks": "al"})`, pythonHead + `Producer({"acks": "all"})`},
	{"wrong-value", source.Properties, javaHead + "linger.ms=0.5\n", javaHead + "linger.ms=5\n"},
	{"wrong-value", source.Properties, javaHead + "acks=7 \n", javaHead + "acks=1 \n"},
	{"wrong-value", source.Properties, "# librdkafka\nbootstrap.servers=k\nsocket.timeout.ms=9 \n", "# librdkafka\nbootstrap.servers=k\nsocket.timeout.ms=10 \n"},
	{"wrong-value", source.Properties, "# librdkafka\nbootstrap.servers=k\nmessage.send.max.retries=x5\n", "# librdkafka\nbootstrap.servers=k\nlinger.ms=0.5\n"},
	{"wrong-value", source.Python, pythonHead + `Producer({"debug": "eos,transaction"})`, pythonHead + `Producer({"debug": "eos, MSG,", "enable.idempotence": "f"})`},
	{"not-a-number", source.Python, pythonHead + `Producer({"retries": "5x"})`, pythonHead + `Producer({"retries": " 5"})`},
	{"not-a-number", source.Python, pythonHead + `Producer({"retries": 1.9})`, pythonHead + `Producer({"retries": 30e3})`},
	{"inline-comment", source.Properties, "bootstrap.servers=k\nretries=5 # five\n", "bootstrap.servers=k\n# five\nretries=5\n"},
	{"inline-comment", source.Properties, "bootstrap.servers=k\nclient.id=a #1\n", "bootstrap.servers=k\nclient.id=a#1\nsasl.password=a #1\n"},
	{"trailing-blank", source.Properties, "bootstrap.servers=k\ngroup.id=a \n", "bootstrap.servers = k\ngroup.id = a\n"},
	{"trailing-blank", source.Properties, "# librdkafka\nbootstrap.servers=k\nacks=all \n", "# librdkafka\nbootstrap.servers=k\nacks=all\nown.word=a \n"},
	{"wrong-type", source.Go, goHead + `var c, _ = kafka.NewProducer(&kafka.ConfigMap{"linger.ms": 0.5})`, goHead + `var c, _ = kafka.NewProducer(&kafka.ConfigMap{"linger.ms": "0.5"})`},
	{"wrong-type", source.Go, goHead + `var c, _ = kafka.NewProducer(&kafka.ConfigMap{"transactional.id": nil})`, goHead + `var c, _ = kafka.NewProducer(&kafka.ConfigMap{"transactional.id": "a"})`},
	{"conflict", source.Python, pythonHead + `Producer({"transactional.id": "a", "delivery.timeout.ms": 60001})`, pythonHead + `Producer({"transactional.id": "a", "delivery.timeout.ms": 60000})`},
	{"conflict", source.Python, pythonHead + `Producer({"transactional.id": "a", "transaction.timeout.ms": 50000, "delivery.timeout.ms": 60000})`, pythonHead + `Producer({"transaction.timeout.ms": 50000, "delivery.timeout.ms": 60000})`},
	{"conflict", source.Python, pythonHead + `Producer({"transactional.id": "a", "transaction.timeout.ms": 50000, "delivery.timeout.ms": 60000})`, pythonHead + "def f(t): return Producer({'transactional.id': 'a', 'transaction.timeout.ms': t, 'delivery.timeout.ms': 60000})"},
	{"conflict", source.Python, "from kafka import KafkaProducer\nKafkaProducer(acks=1, enable_idempotence=True)", "from kafka import KafkaProducer\nKafkaProducer(acks='all', enable_idempotence=True)"},
	{"conflict", source.Properties, "bootstrap.servers=k\nacks=1\nenable.idempotence=true\n", "bootstrap.servers=k\nacks=1\nenable.idempotence=false\n"},
	{"mixed-assignors", source.Python, pythonHead + `Consumer({"group.id": "g", "partition.assignment.strategy": "cooperative-sticky,range"})`, pythonHead + `Consumer({"group.id": "g", "partition.assignment.strategy": "roundrobin, range"})`},
	{"no-group-id", source.Python, pythonHead + `Consumer({"bootstrap.servers": "k"})`, pythonHead + "def f(more): return Consumer({'bootstrap.servers': 'k', **more})"},
	{"idempotence-off", source.Properties, javaHead + "retries=0\n", javaHead + "retries=0\nenable.idempotence=false\n"},
	{"idempotence-off", source.Properties, javaHead + "max.in.flight.requests.per.connection=6\n", javaHead + "max.in.flight.requests.per.connection=5\n"},
	{"java-conflict", source.Properties, javaHead + "transactional.id=a\nacks=1\n", javaHead + "transactional.id=a\nacks=-1\n"},
	{"java-conflict", source.Properties, javaHead + "transactional.id=a\nenable.idempotence=false\n", javaHead + "transactional.id=a\nenable.idempotence=true\n"},
	{"java-conflict", source.Properties, javaHead + "delivery.timeout.ms=29999\n", javaHead + "delivery.timeout.ms=29999\nrequest.timeout.ms=10000\n"},
	{"java-conflict", source.Properties, "# a Java consumer\nbootstrap.servers=k\ngroup.protocol=Consumer\nsession.timeout.ms=9000\n", "# a Java consumer\nbootstrap.servers=k\ngroup.protocol=classic\nsession.timeout.ms=9000\n"},
	{"transaction-timeout", source.Python, pythonHead + `Producer({"transactional.id": "a", "transaction.timeout.ms": 900001})`, pythonHead + `Producer({"transactional.id": "a", "transaction.timeout.ms": 900000})`},
	{"changing-id", source.Python, "import uuid\n" + pythonHead + `Consumer({"group.id": "g", "group.instance.id": str(uuid.uuid4())})`, "import socket\n" + pythonHead + `Consumer({"group.id": "g", "group.instance.id": socket.gethostname()})`},
	{"empty-transactional-id", source.Python, pythonHead + `Producer({"transactional.id": ""})`, pythonHead + `Producer({"transactional.id": "a"})`},
	{"empty-transactional-id", source.Properties, javaHead + "transactional.id=\n", javaHead},
	{"auto-commit-in-transaction", source.Python, pythonHead + `c, p = Consumer({"group.id": "g", "enable.auto.commit": True}), Producer({"transactional.id": "a"})`, pythonHead + `c, p = Consumer({"group.id": "g", "enable.auto.commit": True}), Producer({"acks": "all"})`},
	{"acks-below-all", source.Python, pythonHead + `Producer({"acks": 0, "retries": 3})`, pythonHead + `Producer({"acks": -1, "retries": 3})`},
	{"retries-without-idempotence", source.Python, pythonHead + `Producer({"enable.idempotence": False, "retries": 3})`, pythonHead + `Producer({"enable.idempotence": False, "retries": 3, "max.in.flight": 1})`},
	{"heartbeat-interval", source.Python, pythonHead + `Consumer({"group.id": "g", "heartbeat.interval.ms": 15001})`, pythonHead + `Consumer({"group.id": "g", "heartbeat.interval.ms": 15000})`},
	{"heartbeat-interval", source.Properties, "# a Java consumer\nbootstrap.servers=k\nheartbeat.interval.ms=9000\nsession.timeout.ms=9000\n", "# a Java consumer\nbootstrap.servers=k\nheartbeat.interval.ms=3000\nsession.timeout.ms=9000\n"},
	{"unused-security", source.Python, pythonHead + `Producer({"security.protocol": "ssl", "sasl.username": "u"})`, pythonHead + `Producer({"security.protocol": "sasl_ssl", "sasl.username": "u"})`},
	{"unused-security", source.Properties, javaHead + "security.protocol=PLAINTEXT\nssl.truststore.location=/x\n", javaHead + "ssl.truststore.location=/x\n"},
	{"misspelt-key", source.Markdown, "Kafka: use `max.poll.intervall.ms`.", "Kafka: use `max.poll.interval.ms`, not `max.poll`, `my.max.poll.records` or `max.pool.size.of.something`."},
	{"ignore", source.YAML, "# kcompare:ignore wrong-value\nbootstrap.servers: k\nacks: 5000\n", "bootstrap.servers: k\n# kcompare:ignore wrong-value on purpose\nacks: 5000\n"},
	{"ignore", source.YAML, "# kcompare:ignore wrong-valu on purpose\nbootstrap.servers: k\n", "# a comment about kcompare:ignore wrong-valu\nbootstrap.servers: k\n"},
	{"ignore", source.YAML, "# kcompare:ignore wrong-value on purpose\nbootstrap.servers: k\n", "bootstrap.servers: k\n"},
}

// TestTwins sees every rule over settings speak, and keep quiet once the text is right.
// All texts are read at once, because each call starts a helper process.
func TestTwins(t *testing.T) {
	folder := t.TempDir()
	for i, tw := range twins {
		write(t, tw.path(folder, i, "wrong"), tw.wrong)
		write(t, tw.path(folder, i, "right"), tw.right)
	}
	rules := map[string][]string{}
	for _, f := range lintPaths(t, folder) {
		rules[f.File] = append(rules[f.File], f.Rule)
	}
	seen := map[string]bool{}
	for i, tw := range twins {
		seen[tw.rule] = true
		if !slices.Contains(rules[tw.path(folder, i, "wrong")], tw.rule) {
			t.Errorf("%s does not speak of\n%s", tw.rule, tw.wrong)
		}
		if slices.Contains(rules[tw.path(folder, i, "right")], tw.rule) {
			t.Errorf("%s speaks of\n%s", tw.rule, tw.right)
		}
	}
	for _, r := range Rules() {
		if _, fact := facts()[r.Name]; !fact && !seen[r.Name] {
			t.Errorf("%s: has no twins here", r.Name)
		}
	}
}

// path is in a folder of its own, because the files of a Go package are read together.
func (tw twin) path(folder string, i int, which string) string {
	end := map[source.Language]string{source.Python: ".py", source.Go: ".go", source.Properties: ".properties", source.YAML: ".yaml", source.Markdown: ".md"}
	return filepath.Join(folder, fmt.Sprint(i, which), "text"+end[tw.language])
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestFine holds lint to silence over correct files of data; TestCodeFine has the code.
func TestFine(t *testing.T) {
	for _, f := range lintTestdata(t, filepath.Join("testdata", "fine")) {
		if f.Severity != Info {
			t.Errorf("%s:%d: %s: %s: %s", f.File, f.Line, f.Severity, f.Rule, f.Message)
		}
	}
}

// TestEveryFactHasARule holds the sentences of --rules to the rules over facts.
func TestEveryFactHasARule(t *testing.T) {
	for name := range facts() {
		if factsFind()[name] == "" {
			t.Errorf("%s: factsFind has no sentence", name)
		}
	}
	for name := range factsFind() {
		if _, known := facts()[name]; !known {
			t.Errorf("%s: has a sentence and no rule", name)
		}
	}
}
