package broker

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// expectStrangers: of two readers that connect only one is known.
func expectStrangers(t *testing.T, c controlled, strangers func(known map[string]bool) []string) {
	t.Helper()
	known := map[string]bool{}
	for _, addr := range strangers(nil) { // who came before
		known[addr] = true
	}
	friend, stranger := connected(t, c), connected(t, c)
	for _, addr := range friend {
		known[addr] = true
	}
	for _, addr := range stranger { // a port may have been somebody else's before
		delete(known, addr)
	}
	slices.Sort(stranger)
	if diff := cmp.Diff(stranger, slices.Compact(slices.Sorted(slices.Values(strangers(known))))); diff != "" {
		t.Errorf("-the stranger's connections +strangers:\n%s", diff)
	}
}

// connected asks every node something, and returns from where.
func connected(t *testing.T, c controlled) []string {
	t.Helper()
	var from []string
	for node := range c.Addrs() {
		v := viewOf(t, c, node)
		if err := v.ask(withTimeout(t, changing)); err != nil {
			t.Fatal(err)
		}
		from = append(from, v.Connections()...)
	}
	if len(from) < len(c.Addrs()) {
		t.Fatalf("%d connections to %d nodes", len(from), len(c.Addrs()))
	}
	return from
}

// TestStrangersAfterChanges: who looks after the cluster is no stranger, and nodes in
// another life see who comes.
func TestStrangersAfterChanges(t *testing.T) {
	t.Parallel()
	e := start(t, 3)
	ctx := withTimeout(t, patience)
	for _, err := range []error{e.RestartNode(ctx, 0), e.KillNode(ctx, 1), e.Revive(ctx), e.RestartNode(ctx, 1)} {
		if err != nil {
			t.Error(err)
		}
	}
	if got := e.Strangers(nil); got != nil {
		t.Errorf("strangers %v before anybody came", got)
	}
	expectStrangers(t, e, e.Strangers)
}
