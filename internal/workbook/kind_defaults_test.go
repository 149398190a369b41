package workbook

import (
	"slices"
	"testing"

	"kcompare/clients/install"
	"kcompare/internal/config"
	"kcompare/internal/pagetest"
)

func TestDefaults(t *testing.T) {
	all := "clients=franz,librdkafka,python,java,kafka-python,aiokafka"
	keys := "keys=linger.ms, acks,max.in.flight,delivery.timeout.ms,max.poll.records,isolation.level,transactional.id,client.software.version"
	inBoth(t, Course{}, block("defaults", keys, all), "defaults")
	c := Course{Manifest: Manifest{Clients: []string{"franz", "python", "sarama"}}}
	inBoth(t, c, block("defaults", "keys=differing"), "defaults-differing")
	inBoth(t, c, block("defaults", "keys=differing", "clients=python"), "defaults-same")
}

func TestDefaultsWrong(t *testing.T) {
	for _, test := range []struct {
		name, want string
		attributes []string
	}{
		{"key", `keys: unknown setting "lingerms": did you mean linger.ms?`, []string{"keys=lingerms", "clients=franz"}},
		{"nothing like it", `keys: unknown setting "zzzzzzzzzzzz": kcompare config defaults lists them`, []string{"keys=zzzzzzzzzzzz", "clients=franz"}},
		{"alias", `keys: linger.ms stands there twice`, []string{"keys=linger.ms,queue.buffering.max.ms", "clients=franz"}},
		{"refused", `keys: sasl.jaas.config is a setting of Java that librdkafka refuses: it has no default to compare`, []string{"keys=sasl.jaas.config", "clients=franz"}},
		{"no keys", `keys: is missing: expected settings, with commas between, or differing`, []string{"clients=franz"}},
		{"client", `clients: unknown client "pyhton": did you mean python?`, []string{"keys=acks", "clients=pyhton"}},
		{"a client without a table", `clients: unknown client "sarama": expected franz, librdkafka, python, java, kafka-python, aiokafka`, []string{"keys=acks", "clients=sarama"}},
		{"twice", `clients: franz stands there twice`, []string{"keys=acks", "clients=franz,franz"}},
		{"no clients", `clients: is missing, and kcompare.yaml names none that this kind can tell of: expected some of franz, librdkafka, python, java, kafka-python, aiokafka`, []string{"keys=acks"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if wrong := wrongAttribute(t, Course{}, block("defaults", test.attributes...)); wrong.Error() != test.want {
				t.Errorf("found    %v\nexpected %s", wrong, test.want)
			}
		})
	}
}

// TestLibraries: the versions in headings are those that are built in and shipped, and each
// has a table.
func TestLibraries(t *testing.T) {
	if want := pagetest.ModuleVersion(t, "github.com/confluentinc/confluent-kafka-go/v2"); confluentGo != want {
		t.Errorf("confluent-kafka-go is %s, go.mod has %s", confluentGo, want)
	}
	shipped := map[string]string{"franz": pagetest.ModuleVersion(t, "github.com/twmb/franz-go")}
	for _, s := range install.Catalogue() {
		shipped[s.Name] = s.Version
	}
	if shipped["python"] != confluentPython {
		t.Errorf("confluent-kafka is %s, shipped is %s", confluentPython, shipped["python"])
	}
	for _, l := range libraries() {
		if _, ok := config.Find(l.table, l.version); !ok {
			t.Errorf("%s: no table of %s %s", l.client, l.table, l.version)
		}
		if l.client != "python" && l.client != "librdkafka" && l.version != shipped[l.client] {
			t.Errorf("%s is %s, shipped is %s", l.client, l.version, shipped[l.client])
		}
	}
	if !slices.IsSortedFunc(explained(), func(a, b library) int { return slices.Index(Clients(), a.client) - slices.Index(Clients(), b.client) }) {
		t.Error("libraries stand in another order than clients")
	}
}
