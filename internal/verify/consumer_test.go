package verify

import (
	"testing"
	"time"

	"kcompare/internal/config"
)

func TestConsumerFlips(t *testing.T) {
	t.Parallel()
	flips(t, config.Consumer, consumerFlips())
}

func consumerFlips() []flip {
	group := map[string]string{"group.id": "till"}
	served := map[string]string{"group.id": "till", "group.protocol": "consumer"}
	commits := map[string]string{"group.id": "till", "enable.auto.commit": "true"}
	return []flip{
		{key: "group.id", a: "till-1", b: "till-2"},
		{key: "group.instance.id", a: "left", b: "right", with: group},
		{key: "group.protocol", a: "classic", b: "consumer", with: group},
		{key: "group.protocol.type", a: "consumer", b: "desk", with: group, only: onlyFranz}, // librdkafka takes only one
		{key: "group.remote.assignor", a: "range", b: "uniform", with: served},
		{key: "session.timeout.ms", a: "30000", b: "40000", with: group},
		{key: "max.poll.interval.ms", a: "120000", b: "300000", with: group},
		{key: "max.poll.interval.ms", a: "120000", b: "300000", with: served},
		{key: "partition.assignment.strategy", a: "range", b: "cooperative-sticky", with: group},
		{key: "partition.assignment.strategy", a: "range,roundrobin", b: "roundrobin,range", with: group},
		{key: "auto.offset.reset", a: "earliest", b: "latest", with: group},
		{key: "auto.offset.reset", a: "error", b: "latest", with: group},
		{key: "enable.auto.commit", a: "true", b: "false", with: group},
		{key: "enable.auto.offset.store", a: "true", b: "false", with: commits},
		{key: "client.id", a: "till-1", b: "till-2"},
		{key: "client.rack", a: "left", b: "right"},
		{key: "isolation.level", a: "read_committed", b: "read_uncommitted"},
		{key: "fetch.min.bytes", a: "1", b: "2"},
		{key: "fetch.max.bytes", a: "2000000", b: "3000000"},
		{key: "max.partition.fetch.bytes", a: "500000", b: "600000"},
		{key: "fetch.wait.max.ms", a: "100", b: "200"},
		{key: "allow.auto.create.topics", a: "true", b: "false"},
		{key: "enable.metrics.push", a: "true", b: "false"},
		{key: "heartbeat.interval.ms", a: "1000", b: "3000", with: group},
		{key: "auto.commit.interval.ms", a: "500", b: "1500", with: commits},
		{key: "socket.timeout.ms", a: "500", b: "6000", with: map[string]string{"fetch.wait.max.ms": "100"}, deep: true},
	}
}

// TestStoppedPolling: of two members that are told the same, one leaves. Where that
// takes minutes nobody waits for it, and what a request says is compared.
func TestStoppedPolling(t *testing.T) {
	t.Parallel()
	for limit, want := range map[string]Result{"2000": Different, "300000": Same} {
		t.Run(limit, func(t *testing.T) {
			t.Parallel()
			row := verified(t, config.Consumer, Settings{"group.id": "till", "group.protocol": "consumer", "max.poll.interval.ms": limit}, "max.poll.interval.ms")
			if row.Result != want {
				t.Errorf("%s, want %s: %q %s", row.Result, want, row.Observed, row.Reason)
			}
		})
	}
}

// TestUnseenIsNeverSame: both libraries are given the same, and nothing is seen of it.
func TestUnseenIsNeverSame(t *testing.T) {
	t.Parallel()
	for key, tt := range map[string]struct {
		settings Settings
		reason   string
	}{
		"enable.auto.commit": {Settings{"group.id": "till", "enable.auto.commit": "true", "enable.auto.offset.store": "false"},
			"because of enable.auto.offset.store=false: there is nothing to commit"},
		"auto.commit.interval.ms":            {Settings{"group.id": "till", "auto.commit.interval.ms": "5000"}, "needs 10 s (--deep)"},
		"group.remote.assignor":              {Settings{"group.id": "till", "group.remote.assignor": "range"}, "without group.protocol=consumer a member of the group assigns"},
		"socket.connection.setup.timeout.ms": {Settings{"socket.connection.setup.timeout.ms": "1000"}, "a connection on one machine needs no time without TLS"},
		"check.crcs":                         {Settings{"check.crcs": "true"}, "needs a broken batch, and the broker of this run keeps none"},
	} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			row := verified(t, config.Consumer, tt.settings, key)
			if row.Result != NotObservable || row.Reason != tt.reason {
				t.Errorf("%s: %s, want %s: %s", row.Result, row.Reason, NotObservable, tt.reason)
			}
		})
	}
}

// verified is the row of a key where both libraries are given the same.
func verified(t *testing.T, role config.Role, s Settings, key string) Key {
	t.Helper()
	o := Options{Role: role, GivenOnly: true, Now: time.Now}
	for _, d := range both(t) {
		o.Clients = append(o.Clients, Client{Name: d.Client(), Driver: d, Config: s})
	}
	report, err := Verify(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range report.Problems {
		t.Error(p)
	}
	for _, k := range report.Keys {
		if k.Key == key {
			return k
		}
	}
	t.Fatalf("no row of %s", key)
	return Key{}
}
