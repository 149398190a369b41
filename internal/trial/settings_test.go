package trial

import (
	"testing"

	"kcompare/internal/config"
	"kcompare/internal/scenario"
)

// leftAlone are settings whose defaults differ and that no trial sets, each with
// the reason.
var leftAlone = map[string]string{
	"client.software.name":                  "says who the library is",
	"client.software.version":               "says who the library is",
	"connections.max.idle.ms":               "no trial leaves a connection idle that long",
	"log_level":                             "logging",
	"max.in.flight.requests.per.connection": "set for producers; a consumer has no batches to overtake",
	"partition.assignment.strategy":         "only with a group: the story sets it",
	"receive.message.max.bytes":             "no answer of a trial comes near it",
	"sasl.mechanism":                        "only with security",
	"socket.connection.setup.timeout.ms":    "loopback connects at once or not at all",
	"socket.keepalive.enable":               "no connection lives long enough",
	"transaction.timeout.ms":                "only with transactions: ofTransactions sets it",
}

// TestSettingsThatDifferAreSet holds the settings of trials against the
// catalogue: what differs by silence would be compared without being named.
func TestSettingsThatDifferAreSet(t *testing.T) {
	p := producerSettings(scenario.DefaultParameters())
	p["enable.idempotence"] = "" // every variant sets it
	for role, set := range map[config.Role]map[string]string{config.Producer: p, config.Consumer: consumerSettings()} {
		for _, s := range config.Settings() {
			if s.Relation != config.DifferentDefault || !s.For(role) {
				continue
			}
			_, isSet := set[s.Name]
			if _, isLeft := leftAlone[s.Name]; !isSet && !isLeft {
				t.Errorf("%s for role %d is neither set nor left alone with a reason", s.Name, role)
			}
		}
	}
}

// TestNothingIsLeftAloneTwice finds reasons that nobody needs any more.
func TestNothingIsLeftAloneTwice(t *testing.T) {
	for name := range leftAlone {
		if s, ok := config.Lookup(name); !ok || s.Name != name || s.Relation != config.DifferentDefault {
			t.Errorf("%s is left alone, and the catalogue has no setting of that name whose defaults differ", name)
		}
	}
}

func TestSettingsPassTheCheck(t *testing.T) {
	if err := config.Check(producerSettings(scenario.DefaultParameters()), config.Producer); err != nil {
		t.Error(err)
	}
	if err := config.Check(consumerSettings(), config.Consumer); err != nil {
		t.Error(err)
	}
}

// TestEveryVariantsSettings: what a variant sets on top passes the check too, and
// where the defaults of transactions and groups differ they are set.
func TestEveryVariantsSettings(t *testing.T) {
	for _, s := range scenario.All() {
		for _, v := range s.Variants {
			set, err := settingsOf(v, scenario.DefaultParameters(), nil)
			if err != nil {
				t.Errorf("%s %s: %v", s.Name, v.Name, err)
			}
			if v.Bare {
				continue
			}
			if isTransactional(set.producing) && set.producing["transaction.timeout.ms"] == "" {
				t.Errorf("%s %s: transaction.timeout.ms is not set", s.Name, v.Name)
			}
			if set.consuming["group.id"] != "" && set.consuming["partition.assignment.strategy"] == "" {
				t.Errorf("%s %s: partition.assignment.strategy is not set", s.Name, v.Name)
			}
		}
	}
}

// TestTheUsersOwnSettings go to the clients that have them, and a variant that they
// take the point out of is not played.
func TestTheUsersOwnSettings(t *testing.T) {
	s, _ := scenario.ByName("read-process-write")
	own := map[string]string{"linger.ms": "5", "fetch.wait.max.ms": "7", "client.id": "till"}
	set, err := settingsOf(s.Variants[0], scenario.DefaultParameters(), own)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		set  map[string]string
		want map[string]string
	}{
		"producing": {set.producing, map[string]string{"linger.ms": "5", "fetch.wait.max.ms": "", "client.id": "till"}},
		"consuming": {set.consuming, map[string]string{"linger.ms": "", "fetch.wait.max.ms": "7", "client.id": "till"}},
		"reading":   {set.reading, map[string]string{"linger.ms": "", "fetch.wait.max.ms": "7", "client.id": "till"}},
	} {
		for key, want := range tt.want {
			if tt.set[key] != want {
				t.Errorf("%s: %s=%q, want %q", name, key, tt.set[key], want)
			}
		}
	}
	wants := scenario.Variant{Wants: map[string]string{"retry.backoff.ms": "500"}}
	if got := unwanted(wants, map[string]string{"retry.backoff.ms": "50"}, nil); got != "it is about retry.backoff.ms=500, and the user set 50" {
		t.Errorf("unwanted is %q", got)
	}
	if got := unwanted(wants, map[string]string{"retry.backoff.ms": "500"}, nil); got != "" {
		t.Errorf("unwanted is %q, want nothing", got)
	}
}

// TestDefaultsAreLeftAlone: a bare client gets what its variant is about and nothing
// else, a setting that is left at its default is not set, and a user who sets one
// takes the point out of the variant.
func TestDefaultsAreLeftAlone(t *testing.T) {
	bare := scenario.Variant{
		Bare: true, Settings: map[string]string{"transactional.id": "kcompare-x"}, Consuming: map[string]string{"group.id": "kcompare-g"},
	}
	unset := scenario.Variant{Unset: []string{"partitioner"}}
	for name, tt := range map[string]struct {
		variant              scenario.Variant
		own                  map[string]string
		producing, consuming int // settings
		unwanted             string
	}{
		"bare":                 {bare, nil, 1, 1, ""},
		"bare, linger":         {bare, map[string]string{"linger.ms": "7"}, 2, 1, "it is about the library's own default, and the user set linger.ms=7"},
		"bare, fetch":          {bare, map[string]string{"fetch.min.bytes": "7"}, 1, 2, "it is about the library's own default, and the user set fetch.min.bytes=7"},
		"no partitioner":       {unset, nil, len(producerSettings(scenario.DefaultParameters())) - 1, 0, ""},
		"the user's":           {unset, map[string]string{"partitioner": "fnv1a"}, len(producerSettings(scenario.DefaultParameters())), 0, "it is about the library's own default, and the user set partitioner=fnv1a"},
		"another of the users": {unset, map[string]string{"linger.ms": "7"}, len(producerSettings(scenario.DefaultParameters())) - 1, 0, ""},
	} {
		set, err := settingsOf(tt.variant, scenario.DefaultParameters(), tt.own)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(set.producing) != tt.producing || len(set.consuming) != tt.consuming {
			t.Errorf("%s: %d settings of producers and %d of consumers, want %d and %d", name, len(set.producing), len(set.consuming), tt.producing, tt.consuming)
		}
		if got := unwanted(tt.variant, set.producing, set.consuming); got != tt.unwanted {
			t.Errorf("%s: unwanted is %q, want %q", name, got, tt.unwanted)
		}
		if !tt.variant.Bare && set.producing["acks"] != "all" {
			t.Errorf("%s: acks is not set", name)
		}
	}
}
