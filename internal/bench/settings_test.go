package bench

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
	"kcompare/internal/config"
	"kcompare/internal/evidence"
)

// TestDefaultsAreSettings: each is in the catalogue by its canonical name, for a client
// that the work has, and with a value that it may have.
func TestDefaultsAreSettings(t *testing.T) {
	for _, w := range evidence.BenchWorks() {
		all := Defaults(w)
		same, err := config.Canonical(all)
		if diff := cmp.Diff(same, all); diff != "" || err != nil {
			t.Errorf("%s: error %v, -canonical +got:\n%s", w, err, diff)
		}
		used := map[string]string{}
		for _, role := range roles(w) {
			side := config.Producer
			if role == drivers.RoleConsumer {
				side = config.Consumer
			}
			own := ofRole(all, role)
			if err := config.Check(own, side); err != nil {
				t.Errorf("%s: %s: %v", w, role, err)
			}
			for key, value := range own {
				used[key] = value
			}
		}
		if diff := cmp.Diff(all, used); diff != "" {
			t.Errorf("%s: no client has: -all +used:\n%s", w, diff)
		}
	}
}

// TestIdempotenceFollowsAcks: it is on because Defaults says so, and turned off where
// fewer acks leave no room for it, unless somebody asks for both.
func TestIdempotenceFollowsAcks(t *testing.T) {
	type set = map[string]string
	for _, tt := range []struct {
		name       string
		all, own   set
		idempotent string
		beside     set
	}{
		{"defaults", nil, nil, "true", nil},
		{"fewer for all", set{"acks": "1"}, nil, "false", nil},
		{"fewer for one", nil, set{"acks": "0"}, "false", set{"acks": "0", "enable.idempotence": "false"}},
		{"all of them", nil, set{"acks": "all"}, "true", set{"acks": "all"}},
		{"asked for", set{"enable.idempotence": "true"}, set{"acks": "1"}, "true", set{"acks": "1"}},
		{"not wanted", nil, set{"enable.idempotence": "false"}, "false", set{"enable.idempotence": "false"}},
	} {
		o, c := Options{Work: evidence.BenchProduce, Config: tt.all}, Contestant{Config: tt.own}
		if got := o.configOf(c)["enable.idempotence"]; got != tt.idempotent {
			t.Errorf("%s: enable.idempotence=%s, want %s", tt.name, got, tt.idempotent)
		}
		if diff := cmp.Diff(tt.beside, o.own(c)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", tt.name, diff)
		}
	}
}
