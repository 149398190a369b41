package clients

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"time"

	"kcompare/drivers"
)

// handle is a client in the program. Its calls wait for each other: the program makes
// them in their order, and one that we gave up still takes its time.
type handle struct {
	*process
	name   string
	log    func(string)
	turn   chan struct{} // full while a call is not answered
	closed atomic.Bool
}

// handleIn is the handle if the client lives in that process.
func (h *handle) handleIn(p *process) string {
	if h.process != p {
		return ""
	}
	return h.name
}

func (h *handle) logged(line string) {
	if h.log != nil {
		h.log(line)
	}
}

// begin sends a request when the one before was answered.
func (h *handle) begin(ctx context.Context, r *request, limit time.Duration) (*call, error) {
	select {
	case h.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, errGivenUp
	case <-h.wrong:
		return nil, h.dead()
	case <-h.gone:
		return nil, h.dead()
	}
	r.Handle = h.name
	return h.send(r, limit, func() { <-h.turn }), nil
}

// ask makes a call that is answered at once; into gets what the answer has.
func (h *handle) ask(r *request, into any) error {
	return h.askFor(context.Background(), r, h.patience, into)
}

// askTimed makes a call that gets the time of ctx, and is answered then.
func (h *handle) askTimed(ctx context.Context, r *request, into any) error {
	left := timeLeft(ctx)
	r.TimeoutMS = millis(left)
	return h.askFor(ctx, r, left+h.patience, into)
}

// askBroker makes a call that may take as long as a broker does.
func (h *handle) askBroker(ctx context.Context, r *request, into any) error {
	r.TimeoutMS = millis(timeLeft(ctx))
	return h.askFor(ctx, r, 0, into)
}

func (h *handle) askFor(ctx context.Context, r *request, limit time.Duration, into any) error {
	return h.askUntil(ctx, r, limit, lastWord, into)
}

// askUntil waits for word longer than ctx.
func (h *handle) askUntil(ctx context.Context, r *request, limit, word time.Duration, into any) error {
	if h.closed.Load() {
		return closedError(callName(r.Verb))
	}
	c, err := h.begin(ctx, r, limit)
	if err != nil {
		return h.callError(callName(r.Verb), err)
	}
	a, err := h.wait(ctx, c, word)
	if err != nil {
		return h.callError(callName(r.Verb), err)
	}
	return h.read(c, a, into)
}

// read is the error of an answer, or its members.
func (h *handle) read(c *call, a answer, into any) error {
	if a.Error != nil {
		return a.Error.callError(callName(c.verb))
	}
	return h.members(c, a, into)
}

// members reads an answer into a value.
func (h *handle) members(c *call, a answer, into any) error {
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(a.raw, into); err != nil {
		return h.nonsense(c, a, err)
	}
	return nil
}

// nonsense is the fault of an answer that does not answer its call.
func (h *handle) nonsense(c *call, a answer, why error) error {
	h.fail("answered %s with what is no answer to it: %w: %s", c.name(), why, h.quote(a.raw))
	return h.callError(callName(c.verb), h.dead())
}

func closedError(call string) error {
	return &drivers.Error{Call: call, Class: drivers.Application, Code: "CLOSED", Text: "the client is closed"}
}

// longest is the time limit of calls whose context has none.
const longest = 5 * time.Minute

func timeLeft(ctx context.Context) time.Duration {
	deadline, has := ctx.Deadline()
	if !has {
		return longest
	}
	return max(0, time.Until(deadline))
}

func millis(d time.Duration) *int64 {
	ms := d.Milliseconds()
	return &ms
}

// closeTime is how long the library may take to close a client.
const closeTime = 5 * time.Second

// shut closes the client, whatever it is still doing; only the first time does anything.
func (h *handle) shut(plainly bool, into any) error {
	if h.closed.Swap(true) {
		return nil
	}
	r := &request{Verb: "close", Handle: h.name, Plainly: plainly, TimeoutMS: millis(closeTime)}
	c := h.send(r, closeTime+h.patience, nil)
	a, err := h.wait(context.Background(), c, 0)
	if err != nil {
		return h.callError("close", err)
	}
	if err := h.members(c, a, into); err != nil {
		return err
	}
	if err := h.read(c, a, nil); err != nil {
		return err
	}
	h.open.Add(-1)
	return nil
}
