package headline

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/broker"
	"kcompare/internal/broker/brokertest"
	"kcompare/internal/evidence"
	"kcompare/internal/pagetest"
	"kcompare/librdkafka"
)

var update = flag.Bool("update", false, "play the scenario on all brokers and write docs/late-commit.md")

const pagePath = "../../docs/late-commit.md"

// starting bounds a start of Kafka and all trials on a machine that does other things
// too.
const starting = 4 * time.Minute

// The columns of the page, beside the clients.
const (
	newKafka = "Kafka"
	oldKafka = "Kafka TV0"
	embedded = "embedded"
)

// TestPage plays the scenario on Kafka with and without KIP-890 and on the embedded
// broker, and compares with the page, which -update writes.
func TestPage(t *testing.T) {
	brokertest.NeedKafka(t)
	ctx, cancel := context.WithTimeout(t.Context(), starting)
	defer cancel()
	expectPage(t, []Side{
		onKafka(ctx, t, newKafka, 2),
		onKafka(ctx, t, oldKafka, 0),
		onEmbedded(ctx, t),
	})
}

// TestEmbedded plays the scenario on the embedded broker alone; what came of it on
// Kafka is taken from the page.
func TestEmbedded(t *testing.T) {
	sides := readPage(t)
	sides[2] = onEmbedded(t.Context(), t)
	expectPage(t, sides)
}

func onKafka(ctx context.Context, t *testing.T, name string, level int16) Side {
	t.Helper()
	k, err := broker.StartKafka(ctx, broker.KafkaOptions{
		Nodes: 1, Features: map[string]int16{"transaction.version": level}, Dir: t.TempDir(), Env: append(os.Environ(), "KAFKA_HOME="), Progress: func(what string) { t.Log(what) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	return side(ctx, t, name, fmt.Sprintf("%s, one node, transaction.version %d", k.Info().Software, level), k)
}

func onEmbedded(ctx context.Context, t *testing.T) Side {
	t.Helper()
	return side(ctx, t, embedded, "kfake "+pagetest.ModuleVersion(t, "github.com/twmb/franz-go/pkg/kfake")+", three nodes, transaction.version 2", nil)
}

func side(ctx context.Context, t *testing.T, name, full string, cluster broker.Cluster) Side {
	t.Helper()
	seen, err := Setup{Clients: clients(t), Cluster: cluster}.Play(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return Side{Name: name, Full: full, Seen: seen}
}

// clients are the real libraries.
func clients(t *testing.T) []drivers.Driver {
	t.Helper()
	rdkafka, err := librdkafka.New()
	if err != nil {
		t.Fatalf("librdkafka takes part in these tests: %v", err)
	}
	return []drivers.Driver{franz.New(), rdkafka}
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

func expectPage(t *testing.T, sides []Side) {
	t.Helper()
	pagetest.Expect(t, "docs/late-commit.md", Command, Page(sides, libraries(t)), *update)
}

// readPage reads the tables of the page. One that is to be made anew is empty.
func readPage(t *testing.T) []Side {
	t.Helper()
	text, err := os.ReadFile(pagePath)
	if err != nil && !*update {
		t.Fatal(err)
	}
	sides := []Side{{Name: newKafka, Seen: Seen{}}, {Name: oldKafka, Seen: Seen{}}, {Name: embedded, Seen: Seen{}}}
	variant := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		for i := range sides {
			if full, is := strings.CutPrefix(line, "- **"+sides[i].Name+"**: "); is {
				sides[i].Full = full
			}
		}
		if heading, is := strings.CutPrefix(line, "### `"); is {
			variant = strings.TrimSuffix(heading, "`")
		}
		if variant != "" {
			readRow(t, sides, variant, line)
		}
	}
	return sides
}

// readRow takes one row of the table of a variant, if it is one.
func readRow(t *testing.T, sides []Side, variant, line string) {
	t.Helper()
	cells := strings.Split(strings.Trim(line, "|"), "|")
	all := libraries(t)
	if len(cells) != 1+len(all)*len(sides) || strings.Contains(line, "---") {
		return
	}
	question := strings.TrimSpace(cells[0])
	if question == "" {
		return
	}
	for i, l := range all {
		for j := range sides {
			p := Played{variant, l.Client}
			if answer := strings.Trim(cells[1+i*len(sides)+j], " *"); answer != "-" {
				sides[j].Seen[p] = append(sides[j].Seen[p], Fact{question, answer})
			}
		}
	}
}

// TestFacts: what is measured is not told, and a violation cannot be overlooked.
func TestFacts(t *testing.T) {
	got := factsOf(evidence.Trial{
		Verdict:   evidence.Violated,
		Answers:   []evidence.Answer{{Question: "q", Answer: "a"}, {Question: "took", Answer: "3 s", Measured: true}},
		Anomalies: []evidence.Anomaly{{Kind: evidence.Lost, Cause: "a"}, {Kind: evidence.Lost, Cause: "b"}, {Kind: evidence.Duplicate}},
	})
	want := []Fact{{"q", "a"}, {found, "lost, duplicate"}, {judged, "violated"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
	seen := Seen{Played{"v", "c"}: got}
	if answer := seen.answer(Played{"v", "c"}, judged); answer != "**violated**" {
		t.Errorf("the verdict is printed as %s", answer)
	}
	if answer := seen.answer(Played{"v", "c"}, "never asked"); answer != "-" {
		t.Errorf("a question that was not asked has answer %s", answer)
	}
}
