package proxy

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// named is a client with a client id of its own.
func (c *cluster) named(t *testing.T, id string) *kgo.Client {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(c.proxy.Bootstrap(), ",")...), kgo.ClientID(id), kgo.RetryTimeout(deadline),
		kgo.RetryBackoffFn(func(int) time.Duration { return 10 * time.Millisecond }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return cl
}

func ask(ctx context.Context, cl *kgo.Client) error {
	_, err := cl.Broker(0).RetriableRequest(ctx, kmsg.NewPtrListGroupsRequest())
	return err
}

// askSoon asks with little patience.
func askSoon(t *testing.T, cl *kgo.Client) error {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	return ask(ctx, cl)
}

// TestCut: a client whose process has ended gets nothing through, over old connections
// or new ones; another client does not notice, and after Lift nor does this one.
func TestCut(t *testing.T) {
	c := startCluster(t, nil)
	dead, other := c.named(t, "dead"), c.named(t, "other")
	if err := errors.Join(ask(t.Context(), dead), ask(t.Context(), other)); err != nil {
		t.Fatal(err)
	}
	if n := c.proxy.Cut("dead"); n == 0 {
		t.Error("no connection was cut")
	}
	before := c.proxy.Observed().ByClient["dead"]["ListGroups"]
	if err := askSoon(t, dead); err == nil {
		t.Error("a client that is cut got an answer")
	}
	if err := ask(t.Context(), other); err != nil {
		t.Errorf("the other client: %v", err)
	}
	if after := c.proxy.Observed().ByClient["dead"]["ListGroups"]; after != before {
		t.Errorf("the trace has %d requests of a client that is cut", after-before)
	}
	c.proxy.Lift("dead")
	if err := ask(t.Context(), dead); err != nil {
		t.Errorf("after Lift: %v", err)
	}
}

// TestHold: what a client sends while it is held reaches its broker after Lift, over
// the connection that stood all the time.
func TestHold(t *testing.T) {
	c := startCluster(t, nil)
	frozen, other := c.named(t, "frozen"), c.named(t, "other")
	if err := errors.Join(ask(t.Context(), frozen), ask(t.Context(), other)); err != nil {
		t.Fatal(err)
	}
	if n := c.proxy.Hold("frozen"); n == 0 {
		t.Error("no connection is held")
	}
	c.proxy.mu.Lock()
	opened := c.proxy.opened
	c.proxy.mu.Unlock()
	answered := make(chan error, 1)
	go func() { answered <- ask(t.Context(), frozen) }()
	if err := ask(t.Context(), other); err != nil {
		t.Errorf("the other client: %v", err)
	}
	select {
	case err := <-answered:
		t.Errorf("a client that is held got an answer: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	c.proxy.Lift("frozen")
	if err := <-answered; err != nil {
		t.Errorf("after Lift: %v", err)
	}
	c.proxy.mu.Lock()
	defer c.proxy.mu.Unlock()
	if c.proxy.opened > opened+1 { // the other client may have needed one
		t.Errorf("%d connections were opened meanwhile", c.proxy.opened-opened)
	}
}

// TestCloseWhileHeld: a request that is held does not keep the proxy from ending.
func TestCloseWhileHeld(t *testing.T) {
	c := startCluster(t, nil)
	frozen := c.named(t, "frozen")
	if err := ask(t.Context(), frozen); err != nil {
		t.Fatal(err)
	}
	c.proxy.Hold("frozen")
	if err := askSoon(t, frozen); err == nil {
		t.Error("a client that is held got an answer")
	}
	if err := c.proxy.Close(); err != nil {
		t.Error(err)
	}
}
