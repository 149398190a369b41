package source

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// goBlocks are settings in Go, and what is found: a line a block, a line an entry.
var goBlocks = []struct{ name, text, want string }{
	{"a literal that is given to a client", `package p
import "github.com/confluentinc/confluent-kafka-go/v2/kafka"
func f() {
	kafka.NewProducer(&kafka.ConfigMap{"acks": "all", "linger.ms": 5, "enable.idempotence": true})
}`, `
4:21 librdkafka producer NewProducer
4:37 acks = text all
4:52 linger.ms = number 5
4:68 enable.idempotence = truth true`},
	{"columns are characters", `package p
import k "github.com/confluentinc/confluent-kafka-go/kafka"
var _ = "ёж"; var c = k.ConfigMap{"group.id": "ж" + "ё"}`, `
3:23 librdkafka consumer
3:35 group.id = text жё`},
	{"constants, a variable that is set once, and what is computed", `package p
import ("os"; "fmt"; "strings"; "github.com/confluentinc/confluent-kafka-go/v2/kafka")
const key = "client" + ".id"
var timeout = 60_000
func f(name string, n int) {
	acks := "all"
	n = 4
	kafka.NewProducer(&kafka.ConfigMap{
		key: name,
		"transaction.timeout.ms": timeout / 2 * 2,
		"acks": acks,
		"linger.ms": n,
		"bootstrap.servers": strings.Join([]string{"a:1", "b:2"}, ","),
		"transactional.id": fmt.Sprintf("p-%d", os.Getpid()),
	})
}`, `
8:21 librdkafka producer NewProducer
9:3 client.id = computed
10:3 transaction.timeout.ms = computed
11:3 acks = text all
12:3 linger.ms = computed
13:3 bootstrap.servers = text a:1,b:2
14:3 transactional.id = computed, changes by os.Getpid`},
	{"keys that are set one by one; in a branch the value is open", `package p
import "github.com/confluentinc/confluent-kafka-go/v2/kafka"
func f(safe bool) {
	m := kafka.ConfigMap{"acks": 1, "linger.ms": 5, "retries": 3}
	m["client.id"] = "c"
	if err := m.SetKey("linger.ms", 10); err != nil { return }
	m.Set("batch.size=100")
	delete(m, "retries")
	if safe {
		m["acks"] = "all"
		m["enable.idempotence"] = true
	}
	kafka.NewProducer(&m)
}`, `
4:7 librdkafka producer NewProducer
4:23 acks = computed
6:21 linger.ms = number 10
5:4 client.id = text c
7:8 batch.size = text 100
11:5 enable.idempotence = computed`},
	{"a client in the branch that sets a key has it", `package p
import "github.com/confluentinc/confluent-kafka-go/v2/kafka"
func f(safe bool) {
	m := &kafka.ConfigMap{"acks": 1}
	if safe {
		(*m)["acks"] = "all"
		kafka.NewProducer(m)
	}
}`, `
4:8 librdkafka producer NewProducer
6:8 acks = text all`},
	{"maps that are merged, by a loop, a copy and a function", `package p
import ("maps"; "github.com/confluentinc/confluent-kafka-go/v2/kafka")
var base = kafka.ConfigMap{"client.id": "base"}
func common() *kafka.ConfigMap { return &kafka.ConfigMap{"linger.ms": 1} }
func f() {
	m := common()
	for k, v := range base { (*m)[k] = v }
	maps.Copy(*m, kafka.ConfigMap{"acks": "all"})
	harden(*m)
	kafka.NewProducer(m)
}
func harden(m kafka.ConfigMap) { m["retries"] = 5 }`, `
4:42 librdkafka producer NewProducer
4:58 linger.ms = number 1
3:28 client.id = text base
8:32 acks = text all
12:36 retries = number 5`},
	{"what no client gets", `package p
import "github.com/confluentinc/confluent-kafka-go/v2/kafka"
var all = map[string]kafka.ConfigMap{"a": {"group.id": "g"}}
func f() kafka.ConfigMap { return kafka.ConfigMap{"client.id": "c", "default.topic.config": kafka.ConfigMap{"acks": 1}} }`, `
3:43 librdkafka consumer
3:44 group.id = text g
4:35 librdkafka producer
4:51 client.id = text c
4:109 acks = number 1`},
	{"options", `package p
import ("time"; "github.com/twmb/franz-go/pkg/kgo")
const linger = 5
func f() {
	kgo.NewClient(
		kgo.SeedBrokers("a:1", "b:2"),
		kgo.ProducerLinger(linger * time.Millisecond),
		kgo.RequiredAcks(kgo.LeaderAck()),
		kgo.DisableIdempotentWrite(),
		kgo.ProducerBatchCompression(kgo.Lz4Compression(), kgo.NoCompression()),
		kgo.MaxBufferedBytes(64 << 20),
		kgo.WithHooks(nil),
	)
}`, `
5:2 franz producer NewClient
6:7 SeedBrokers = text a:1,b:2 (bootstrap.servers = a:1,b:2)
7:7 ProducerLinger = text 5ms (linger.ms = 5)
8:7 RequiredAcks = computed (acks = 1)
9:7 DisableIdempotentWrite = truth true (enable.idempotence = false)
10:7 ProducerBatchCompression = computed (compression.type = lz4,none)
11:7 MaxBufferedBytes = number 67108864 (queue.buffering.max.kbytes = 65536)
12:7 WithHooks = null`},
	{"a list of options that grows", `package p
import ("time"; "github.com/twmb/franz-go/pkg/kgo")
var start = kgo.ConsumeStartOffset(kgo.NewOffset().AtStart())
func base() []kgo.Opt { return []kgo.Opt{kgo.ClientID("c"), kgo.SessionTimeout(time.Minute)} }
func f(id string) {
	opts := append(base(), kgo.ConsumeTopics("in"), start)
	opts = append(opts, []kgo.Opt{kgo.SessionTimeout(10 * time.Second)}...)
	if id != "" {
		opts = append(opts, kgo.TransactionalID(id))
	}
	kgo.NewClient(opts...)
}`, `
11:2 franz NewClient
4:46 ClientID = text c (client.id = c)
7:36 SessionTimeout = text 10s (session.timeout.ms = 10000)
6:29 ConsumeTopics = text in
3:17 ConsumeStartOffset = computed (auto.offset.reset = earliest)
9:27 TransactionalID = computed (transactional.id = )`},
	{"declarations without a package", `import "github.com/twmb/franz-go/pkg/kgo"

func f() { kgo.NewClient(kgo.ClientID("c")) }`, `
3:12 franz NewClient
3:30 ClientID = text c (client.id = c)`},
	{"statements", `cl, err := kgo.NewClient(
	kgo.SessionTimeout(10*time.Second),
	...
)
if err != nil {
	...
}`, `
1:12 franz consumer NewClient
2:6 SessionTimeout = text 10s (session.timeout.ms = 10000)`},
	{"statements behind imports", `import (
	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
)

p, err := kafka.NewProducer(&kafka.ConfigMap{"acks": "all"})`, `
5:30 librdkafka producer NewProducer
5:46 acks = text all`},
	{"elements of a list", `kgo.ClientID("c"),
[]kgo.Opt{kgo.TransactionalID("t")},`, `
2:1 franz producer
2:15 TransactionalID = text t (transactional.id = t)`},
	{"another package of the same name", `package p
import "example.com/kafka"
var c = kafka.ConfigMap{"nonsense": 1}`, "\n"},
}

func TestGoBlocks(t *testing.T) {
	for _, c := range goBlocks {
		t.Run(c.name, func(t *testing.T) {
			f := readGo(t.Context(), []input{{path: "/page.md", text: []byte(c.text)}})[0]
			if f.Unread != "" {
				t.Fatal(f.Unread)
			}
			if diff := cmp.Diff(strings.TrimSpace(c.want), goWritten(f)); diff != "" {
				t.Errorf("blocks differ (-want +got):\n%s", diff)
			}
		})
	}
}

// goWritten is what the tests compare: blocks and entries, with their places.
func goWritten(f File) string {
	var lines []string
	for _, b := range f.Blocks {
		lines = append(lines, strings.Join(strings.Fields(fmt.Sprintf("%d:%d %s %s %s %s", b.At.Line, b.At.Column, b.Client, b.Version, b.Role, b.Class)), " "))
		for _, e := range b.Entries {
			line := strings.TrimSpace(fmt.Sprintf("%s%d:%d %s = %s %s", strings.TrimPrefix(filepath.Base(e.Path)+":", ".:"), e.KeyAt.Line, e.KeyAt.Column, e.Key, e.Value.Kind, e.Value.Text))
			if len(e.Value.Changing) > 0 {
				line += ", changes by " + strings.Join(e.Value.Changing, " and ")
			}
			if e.Canonical != "" {
				line += fmt.Sprintf(" (%s = %s)", e.Canonical, e.CanonicalValue)
			}
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// TestGoBesideOthers follows names into files of the same folder, and takes versions from
// go.mod. What stands in another file says in which.
func TestGoBesideOthers(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"go.mod": "module m\n\nrequire (\n\tgithub.com/twmb/franz-go v1.22.3\n)\nrequire github.com/confluentinc/confluent-kafka-go/v2 v2.11.1\n",
		"a/base.go": `package a
import "github.com/confluentinc/confluent-kafka-go/v2/kafka"
const id = "c"
func base() kafka.ConfigMap { return kafka.ConfigMap{"client.id": id, "acks": "all"} }`,
		"a/main.go": `package a
import "github.com/confluentinc/confluent-kafka-go/v2/kafka"
func f() {
	m := base()
	m["transactional.id"] = id
	kafka.NewProducer(&m)
}`,
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := readGo(t.Context(), []input{{path: filepath.Join(dir, "a/main.go"), text: []byte(files["a/main.go"])}})[0]
	want := `6:2 librdkafka 2.11.1 producer NewProducer
base.go:4:54 client.id = text c
base.go:4:71 acks = text all
5:4 transactional.id = text c`
	if diff := cmp.Diff(want, goWritten(f)); diff != "" {
		t.Errorf("blocks differ (-want +got):\n%s", diff)
	}
}

// TestGoUnread: what does not parse is said, with its place.
func TestGoUnread(t *testing.T) {
	f := readGo(t.Context(), []input{{path: "page.md", text: []byte("kgo.NewClient(\n\tkgo.ClientID(,\n)"), firstLine: 10}})[0]
	if want := "line 12, column 15: not Go: expected operand, found ','"; f.Unread != want {
		t.Errorf("unread is %q, want %q", f.Unread, want)
	}
}
