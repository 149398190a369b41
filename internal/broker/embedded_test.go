package broker

import (
	"net"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/evidence"
)

func TestInfo(t *testing.T) {
	e := start(t, 3)
	want := evidence.Broker{Kind: "embedded", Software: "kfake (version not in the build info)", Nodes: 3}
	if diff := cmp.Diff(want, e.Info()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	built := &debug.BuildInfo{Deps: []*debug.Module{
		{Path: "github.com/twmb/franz-go", Version: "v1.22.3"}, {Path: kfakeModule, Version: "v0.0.0-2026"},
	}}
	if got := kfakeVersion(built); got != "v0.0.0-2026" {
		t.Errorf("version %q, expected that of the module kfake", got)
	}
}

// The addresses of StartEmbedded must be those that the cluster tells its
// clients, node by node.
func TestAddrsAreAdvertised(t *testing.T) {
	e, r := cluster(t, 1)
	resp, err := r.metadata(withTimeout(t, patience), []string{"orders"})
	if err != nil {
		t.Fatal(err)
	}
	advertised := map[int32]string{}
	for _, b := range resp.Brokers {
		advertised[b.NodeID] = net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port)))
	}
	if diff := cmp.Diff(e.Addrs(), advertised); diff != "" {
		t.Errorf("-Addrs +advertised:\n%s", diff)
	}
}

func TestStartEmbeddedNeedsANode(t *testing.T) {
	const want = "start embedded broker: 0 nodes: expected at least 1"
	if _, err := StartEmbedded(0); err == nil || err.Error() != want {
		t.Errorf("error %v, expected %s", err, want)
	}
}

func TestPlaceLeaderOfNothing(t *testing.T) {
	e := start(t, 1)
	err := e.PlaceLeader("none", 0, 0)
	if err == nil || !strings.HasPrefix(err.Error(), "make node 0 the leader of none-0: ") {
		t.Errorf("error %v", err)
	}
}

// Two readers connect; only one of them is known.
func TestStrangers(t *testing.T) {
	e := start(t, 3)
	friend, stranger := reader(t, e), reader(t, e)
	ctx := withTimeout(t, patience)
	if _, err := friend.CreateTopics(ctx, []Topic{{Name: "orders", Partitions: 6}}); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, addr := range friend.Connections() {
		known[addr] = true
	}
	if got := e.Strangers(known); got != nil {
		t.Errorf("strangers %v while only the known reader was there", got)
	}
	if _, err := stranger.EndOffsets(ctx, []string{"orders"}); err != nil {
		t.Fatal(err)
	}
	got, want := slices.Sorted(slices.Values(e.Strangers(known))), slices.Sorted(slices.Values(stranger.Connections()))
	if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
		t.Errorf("-the stranger's connections +strangers:\n%s", diff)
	}
}

func BenchmarkStartEmbedded(b *testing.B) {
	for b.Loop() {
		e, err := StartEmbedded(3)
		if err != nil {
			b.Fatal(err)
		}
		e.Close()
	}
}
