package proxy

import (
	"testing"
	"time"

	"kcompare/internal/fault"
)

// Answers come at the rate from the one on that was hit, and those of the same
// connection after it as well.
func TestThrottleRate(t *testing.T) {
	const rate = 500
	c := payments(t, fault.Rule{Action: fault.Throttle, Rate: rate, Select: nth("Produce", 2)})
	client := dialNode(t, c.proxy, 0)
	var took []time.Duration
	for n := range 3 {
		start := time.Now()
		client.ask(produceOne(n))
		took = append(took, time.Since(start))
	}
	for i, e := range c.proxy.Observed().Trace.Exchanges[1:] {
		if least := time.Duration(e.ResponseBytes) * time.Second / rate; took[i+1] < least {
			t.Errorf("answer %d: %d bytes came after %v, want at least %v", i+2, e.ResponseBytes, took[i+1], least)
		}
	}
	other := dialNode(t, c.proxy, 0)
	start := time.Now()
	other.ask(produceOne(9))
	if took := time.Since(start); took > deadline/2 {
		t.Errorf("another connection took %v", took)
	}
}

// A client that gives up on a slow answer is not waited for.
func TestThrottleEndsWithTheClient(t *testing.T) {
	c := payments(t, fault.Rule{Action: fault.Throttle, Rate: 20, Select: nth("Produce", 1)})
	client := dialNode(t, c.proxy, 0)
	client.send(produceOne(1))
	eventually(t, "the answer on its way", func() bool { return len(c.proxy.Observed().Fired["rule 1"]) == 1 })
	client.conn.Close()
	seen := c.settled(t)
	if e := seen.Trace.Exchanges[0]; e.Delivered || len(seen.Problems) > 0 {
		t.Errorf("%+v, problems %q", e, seen.Problems)
	}
}
