package brokerdiff

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/internal/broker"
	"kcompare/internal/broker/brokertest"
	"kcompare/internal/pagetest"
	"kcompare/internal/scenario"
)

var update = flag.Bool("update", false, "ask both brokers and write docs/brokers.md")

const pagePath = "../../docs/brokers.md"

// starting bounds a start of Kafka on a machine that does other things too.
const starting = 3 * time.Minute

// TestPage asks both brokers and compares with the page, which -update writes.
func TestPage(t *testing.T) {
	brokertest.NeedKafka(t)
	ctx, cancel := context.WithTimeout(t.Context(), starting)
	defer cancel()
	got := Page(askKafka(ctx, t), askEmbedded(ctx, t))
	pagetest.Expect(t, "docs/brokers.md", Command, got, *update)
}

// TestEmbeddedColumn asks the embedded broker alone; what Kafka answered is taken
// from the page.
func TestEmbeddedColumn(t *testing.T) {
	page := readPage(t)
	kafka := Side{Name: page.kafka, Answers: page.answers}
	pagetest.Expect(t, "docs/brokers.md", Command, Page(kafka, askEmbedded(t.Context(), t)), false)
}

func askKafka(ctx context.Context, t *testing.T) Side {
	t.Helper()
	k, err := broker.StartKafka(ctx, broker.KafkaOptions{
		Nodes: 1, Dir: t.TempDir(), Settings: Settings(),
		Env: append(os.Environ(), "KAFKA_HOME="), Progress: func(what string) { t.Log(what) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	return askSide(ctx, t, k, k.Info().Software)
}

func askEmbedded(ctx context.Context, t *testing.T) Side {
	t.Helper()
	e, err := broker.StartEmbedded(1)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	configure(ctx, t, e)
	return askSide(ctx, t, e, "kfake "+pagetest.ModuleVersion(t, "github.com/twmb/franz-go/pkg/kfake"))
}

func askSide(ctx context.Context, t *testing.T, cluster broker.Cluster, name string) Side {
	t.Helper()
	answers, err := Ask(ctx, cluster)
	if err != nil {
		t.Fatal(err)
	}
	_, features, _ := strings.Cut(answers["features"][0], "finalized: ")
	return Side{Name: fmt.Sprintf("%s (%s)", name, levels(features)), Answers: answers}
}

// levels is the two features on which answers depend.
func levels(features string) string {
	all := slices.DeleteFunc(strings.Split(features, ", "), func(f string) bool {
		return !strings.HasPrefix(f, "metadata.version ") && !strings.HasPrefix(f, "transaction.version ")
	})
	return strings.Join(all, ", ")
}

// configure gives a running broker what Kafka is started with. kfake takes the one
// setting that it has.
func configure(ctx context.Context, t *testing.T, e *broker.Embedded) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(e.Addrs()[0]))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	const key = "transactional.id.expiration.ms"
	value := Settings()[key]
	resps, err := kadm.NewClient(client).AlterBrokerConfigs(ctx, []kadm.AlterConfig{{Name: key, Value: &value}})
	if err == nil && len(resps) > 0 {
		err = resps[0].Err
	}
	if err != nil {
		t.Fatalf("set %s: %v", key, err)
	}
}

// pageRead is what a program gets out of the page.
type pageRead struct {
	kafka   string  // its name with version
	answers Answers // Kafka's
	differs []string
}

func readPage(t *testing.T) pageRead {
	t.Helper()
	text, err := os.ReadFile(pagePath)
	if err != nil {
		t.Fatal(err)
	}
	page := pageRead{answers: Answers{}}
	_, rest, _ := strings.Cut(string(text), "one node each: **")
	page.kafka, _, _ = strings.Cut(rest, "**")
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, " | ")
		id, isRow := strings.CutPrefix(cells[0], "| `")
		if !isRow || len(cells) < 3 {
			continue
		}
		id = strings.TrimSuffix(id, "`")
		page.answers[id] = strings.Split(strings.TrimSuffix(cells[2], " |\n"), "<br>")
		if len(cells) == 5 {
			page.differs = append(page.differs, id)
		}
	}
	return page
}

// TestMeanings: a difference that nobody explains, or of which nobody says what
// depends on it, is not finished; an explanation of nothing is out of date.
func TestMeanings(t *testing.T) {
	differs := readPage(t).differs
	for _, s := range Situations() {
		switch named := len(Dependents(s.ID)) > 0; {
		case !slices.Contains(differs, s.ID):
			if s.Means != "" || s.Aside != "" {
				t.Errorf("%s: both brokers answer alike, and it says what the difference means", s.ID)
			}
		case s.Means == "":
			t.Errorf("%s: differs, and nothing says what that means", s.ID)
		case named == (s.Aside != ""):
			t.Errorf("%s: expected either a scenario that names it or the reason why none depends on it", s.ID)
		}
	}
}

// TestScenariosNameRows: what a scenario names differs.
func TestScenariosNameRows(t *testing.T) {
	differs := readPage(t).differs
	for _, s := range scenario.All() {
		for _, v := range s.Variants {
			for _, id := range v.BrokerRows {
				if !slices.Contains(differs, id) {
					t.Errorf("%s %s names %q: expected a row of docs/brokers.md that differs", s.Name, v.Name, id)
				}
			}
		}
	}
}

func TestSituationsAreDistinct(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Situations() {
		if seen[s.ID] || s.ID == "" || s.Asks == "" {
			t.Errorf("situation %q: expected an id of its own and what it asks", s.ID)
		}
		if strings.ContainsAny(s.Asks+s.Means+s.Aside, "|\n") {
			t.Errorf("situation %q: has what would break a table", s.ID)
		}
		seen[s.ID] = true
	}
}

// TestAskNeedsOneNode: with several, a request would have to be routed.
func TestAskNeedsOneNode(t *testing.T) {
	e, err := broker.StartEmbedded(3)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := Ask(t.Context(), e); err == nil || !strings.Contains(err.Error(), "3 nodes: expected one") {
		t.Errorf("error %v", err)
	}
}
