package faultdiff

import (
	"context"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/broker"
	"kcompare/internal/broker/brokertest"
	"kcompare/internal/pagetest"
)

var update = flag.Bool("update", false, "play all stories and write docs/faults.md")

const pagePath = "../../docs/faults.md"

// starting bounds a start of Kafka and all stories on a machine that does other
// things too.
const starting = 5 * time.Minute

// TestEmbedded plays every story on the embedded broker; what happened on Kafka is
// taken from the page.
func TestEmbedded(t *testing.T) {
	page := readPage(t)
	seen, err := Setup{Clients: clients(t)}.Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	page.embedded = Side{Name: "kfake " + pagetest.ModuleVersion(t, "github.com/twmb/franz-go/pkg/kfake"), Seen: seen}
	expectPage(t, page)
}

// TestKafka plays every story on three nodes of Apache Kafka; what happened on the
// embedded broker is taken from the page.
func TestKafka(t *testing.T) {
	brokertest.NeedKafka(t)
	ctx, cancel := context.WithTimeout(t.Context(), starting)
	defer cancel()
	k, err := broker.StartKafka(ctx, broker.KafkaOptions{
		Nodes: nodes, Dir: t.TempDir(), Env: append(os.Environ(), "KAFKA_HOME="), Progress: func(what string) { t.Log(what) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	page := readPage(t)
	seen, err := Setup{Clients: clients(t), Cluster: k}.Play(ctx)
	if err != nil {
		t.Fatal(err)
	}
	page.kafka = Side{Name: k.Info().Software, Seen: seen}
	expectPage(t, page)
}

// TestMeanings: where the clients differ, the story says why, and nowhere else; and the
// two brokers do not differ.
func TestMeanings(t *testing.T) {
	p, libraries := readPage(t), libraries(t)
	for _, s := range Stories() {
		first := p.kafka.Seen[Played{string(s.Action), libraries[0].Client}]
		differ := false
		for _, l := range libraries {
			played := Played{string(s.Action), l.Client}
			differ = differ || !slices.Equal(first, p.kafka.Seen[played])
			if diff := cmp.Diff(p.kafka.Seen[played], p.embedded.Seen[played]); diff != "" {
				t.Errorf("%v: the brokers differ, and nothing says why (-Kafka +embedded):\n%s", played, diff)
			}
		}
		if differ != (s.Means != "") {
			t.Errorf("%s: the clients differ: %v, and the story says %q of it", s.Action, differ, s.Means)
		}
	}
}

// expectPage compares with the page, which -update writes first.
func expectPage(t *testing.T, p page) {
	t.Helper()
	pagetest.Expect(t, "docs/faults.md", Command, Page(p.kafka, p.embedded, libraries(t)), *update)
}

// libraries are the clients with their exact versions. That of the binding comes from
// go.mod: test binaries do not record their modules.
func libraries(t *testing.T) []Library {
	t.Helper()
	var all []Library
	for _, d := range clients(t) {
		l := d.Library()
		if l.Via != "" {
			l.Via = "confluent-kafka-go " + pagetest.ModuleVersion(t, "github.com/confluentinc/confluent-kafka-go/v2")
		}
		all = append(all, Library{Client: d.Client(), Name: l.String()})
	}
	return all
}

// page is what a program gets out of the page.
type page struct{ kafka, embedded Side }

// readPage reads the rows of the tables. A page that is to be made anew is empty.
func readPage(t *testing.T) page {
	t.Helper()
	text, err := os.ReadFile(pagePath)
	if err != nil && !*update {
		t.Fatal(err)
	}
	p := page{kafka: Side{Seen: Seen{}}, embedded: Side{Seen: Seen{}}}
	_, rest, _ := strings.Cut(string(text), "on three nodes of **")
	p.kafka.Name, rest, _ = strings.Cut(rest, "** and of **")
	p.embedded.Name, _, _ = strings.Cut(rest, "**")
	action := ""
	for line := range strings.Lines(string(text)) {
		if heading, is := strings.CutPrefix(line, "## `"); is {
			action = strings.TrimSuffix(heading, "`\n")
		}
		cells := strings.Split(strings.Trim(line, "|\n"), " | ")
		if len(cells) != 3 {
			continue
		}
		played := Played{action, strings.TrimSpace(cells[0])}
		p.kafka.Seen[played] = strings.Split(cells[1], "<br>")
		p.embedded.Seen[played] = strings.Split(strings.TrimSpace(cells[2]), "<br>")
	}
	return p
}
