package proxy

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"kcompare/internal/fault"
)

// What comes is the beginning of the very frame, and the trace says how much.
func TestTruncateBytes(t *testing.T) {
	answers := make(chan []byte, 1)
	u := serve(t, func(frame []byte) ([]byte, bool) {
		reply := produced(frame)
		answers <- reply
		return reply, true
	})
	p := u.before(t, func(o *Options) {
		o.Engine = plan(fault.Rule{Action: fault.Truncate, Bytes: 7, Select: nth("Produce", 1)})
	})
	client := dialNode(t, p, 0)
	client.send(produceV8(1))
	got, err := io.ReadAll(client.from.from)
	if want := (<-answers)[:7]; err != nil || !bytes.Equal(got, want) {
		t.Errorf("error %v, got %x, want %x", err, got, want)
	}
	client.conn.Close()
	if err := p.Drained(within(t)); err != nil {
		t.Fatal(err)
	}
	if e := p.Observed().Trace.Exchanges[0]; e.Result != "ok, cut after 7 of 16 bytes" || e.Delivered {
		t.Errorf("%+v, want it cut after 7 of 16 bytes and not delivered", e)
	}
}

// An answer that is no longer than what was to come of it passes whole, and that is
// said.
func TestTruncateTooLate(t *testing.T) {
	c := payments(t, fault.Rule{Action: fault.Truncate, Bytes: 100_000, Select: nth("Produce", 1)})
	client := dialNode(t, c.proxy, 0)
	client.ask(produceOne(1))
	client.ask(produceOne(2))
	seen := c.proxy.Observed()
	if len(seen.Fired) > 0 || len(seen.Problems) != 1 || !strings.Contains(seen.Problems[0], "expected more than 100000") {
		t.Errorf("fired %v, problems %q", seen.Fired, seen.Problems)
	}
}
