package broker

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"maps"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
	"github.com/twmb/franz-go/pkg/sasl/oauth"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"kcompare/internal/evidence"
)

// startKfake is a cluster that is not ours.
func startKfake(t *testing.T, opts ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestFindExternal: who stands between a cluster and its clients needs no login of his
// own to find it.
func TestFindExternal(t *testing.T) {
	c := startKfake(t, kfake.NumBrokers(1), kfake.EnableSASL())
	ctx := withTimeout(t, patience)
	if err := FindExternal(ctx, []string{refusing(t), c.ListenAddrs()[0]}, Access{}); err != nil {
		t.Error(err)
	}
	if _, err := ConnectExternal(ctx, c.ListenAddrs(), Access{}); err == nil {
		t.Error("connected without a login")
	}
	const want = "nobody listens there"
	if err := FindExternal(ctx, []string{refusing(t)}, Access{}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one with %q", err, want)
	}
}

// TestExternal: the nodes are found through any address that answers.
func TestExternal(t *testing.T) {
	c := startKfake(t, kfake.NumBrokers(3))
	e, err := ConnectExternal(withTimeout(t, patience), []string{refusing(t), c.ListenAddrs()[1]}, Access{})
	if err != nil {
		t.Fatal(err)
	}
	info := evidence.Broker{Kind: "external", Software: "unknown, its API versions are those of no release of Kafka", Nodes: 3}
	if diff := cmp.Diff(info, e.Info()); diff != "" {
		t.Errorf("info (-want +got):\n%s", diff)
	}
	want := map[int32]string{}
	for node, addr := range c.ListenAddrs() {
		want[int32(node)] = addr
	}
	if diff := cmp.Diff(want, e.Addrs()); diff != "" {
		t.Errorf("addresses (-want +got):\n%s", diff)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if _, err := ConnectExternal(withTimeout(t, patience), c.ListenAddrs(), Access{}); err != nil {
		t.Errorf("after Close: %v, expected their cluster to run on", err)
	}
}

func TestGuess(t *testing.T) {
	tests := map[string]*kversion.Versions{
		"Kafka 3.9, guessed from its API versions":                   kversion.V3_9_0(),
		"Kafka 2.8, guessed from its API versions":                   kversion.V2_8_0(),
		"unknown, its API versions are those of no release of Kafka": new(kversion.Versions),
	}
	for want, versions := range tests {
		resp := kmsg.NewPtrApiVersionsResponse()
		versions.EachMaxKeyVersion(func(key, version int16) {
			api := kmsg.NewApiVersionsResponseApiKey()
			api.ApiKey, api.MaxVersion = key, version
			resp.ApiKeys = append(resp.ApiKeys, api)
		})
		if got := guess(resp); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestExternalMoves: nodes leave and come back on other ports, until none of the
// addresses is left that the reader began with.
func TestExternalMoves(t *testing.T) {
	c := startKfake(t, kfake.NumBrokers(3), kfake.SeedTopics(3, "orders"))
	e, err := ConnectExternal(withTimeout(t, patience), c.ListenAddrs(), Access{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(e.Addrs(), e.Access())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for node := range int32(3) {
		if err := c.RemoveNode(node); err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.AddNode(node, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := r.ReadLog(withTimeout(t, patience), []string{"orders"}, nil); err != nil {
			t.Errorf("after node %d moved: %v", node, err)
		}
	}
	for _, addr := range c.ListenAddrs() {
		if slices.Contains(slices.Collect(maps.Values(e.Addrs())), addr) {
			t.Errorf("%s was there from the start, expected none of those", addr)
		}
	}
}

// refusing is an address where nobody listens.
func refusing(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// answering is an address where everybody is told the same.
func answering(t *testing.T, text string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for conn, err := l.Accept(); err == nil; conn, err = l.Accept() {
			_, _ = conn.Read(make([]byte, 1000))
			_, _ = conn.Write([]byte(text))
			_ = conn.Close()
		}
	})
	t.Cleanup(func() { l.Close(); serving.Wait() })
	return l.Addr().String()
}

// TestExternalRefusals: what came instead of a broker is said, with its address.
// internal/security has those of a real Kafka.
func TestExternalRefusals(t *testing.T) {
	web := answering(t, "HTTP/1.1 400 Bad Request\r\n\r\n")
	secure := httptest.NewUnstartedServer(nil)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS() // with a certificate that nobody knows
	t.Cleanup(secure.Close)
	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections, and leaves it at that
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	login := startKfake(t, kfake.NumBrokers(1), kfake.EnableSASL(), kfake.Superuser("PLAIN", "shop", "hunter2")).ListenAddrs()[0]
	wrong := plain.Auth{User: "shop", Pass: "hunter3"}.AsMechanism()
	tests := map[string]struct {
		addr   string
		access Access
		want   string
	}{
		"nobody":            {refusing(t), Access{}, "nobody listens there"},
		"a web server":      {web, Access{}, "'HTTP' in ascii"},
		"silence":           {silent.Addr().String(), Access{}, "context deadline exceeded"},
		"another authority": {secure.Listener.Addr().String(), Access{TLS: &tls.Config{}}, "its certificate is not of an authority"},
		"no TLS":            {web, Access{TLS: &tls.Config{}}, "expected TLS, it speaks something else"},
		"no login":          {login, Access{}, "it hung up; expected a Kafka broker in plain text without login; it may want TLS or SASL"},
		"wrong password":    {login, Access{SASL: wrong}, "it hung up; expected a Kafka broker in plain text with PLAIN; it may want TLS (security.protocol), or another login"}, // kfake says no more,
		"mechanism":         {login, Access{SASL: oauth.Auth{Token: "t0ken"}.AsMechanism()}, "it has no OAUTHBEARER for login; check sasl.mechanism"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := withTimeout(t, patience)
			if name == "silence" {
				ctx = withTimeout(t, brief)
			}
			_, err := ConnectExternal(ctx, []string{tc.addr}, tc.access)
			if err == nil || !strings.HasPrefix(err.Error(), "connect to the cluster: "+tc.addr+": ") || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v\nexpected an error with the address and %q", err, tc.want)
			}
		})
	}
}

// TestExternalGivesUp when the caller does.
func TestExternalGivesUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ConnectExternal(ctx, []string{refusing(t)}, Access{}); err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
		t.Errorf("%v, expected that the caller gave up", err)
	}
}
