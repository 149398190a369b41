package proxy

import (
	"sync"

	"kcompare/internal/evidence"
)

// hooks are Options.OnFault and Options.OnExchange. They are called under a mutex
// of their own and no other, so that one may ask the proxy for what it has seen.
type hooks struct {
	onFault    func(FaultFired)
	onExchange func(evidence.Exchange)

	one sync.Mutex
}

func (h *hooks) fault(f FaultFired) {
	if h.onFault == nil {
		return
	}
	h.one.Lock()
	defer h.one.Unlock()
	h.onFault(f)
}

// done says that one side is done with a request: the request side, or the queue
// where it had its turn. After the last one nothing happens to the request any more.
// A second copy that was never sent is in no trace.
func (r *recorder) done(e *entry) {
	if e.sides.Add(-1) > 0 || r.hooks.onExchange == nil {
		return
	}
	r.mu.Lock()
	settled := snapshot(e.exchange)
	r.mu.Unlock()
	if settled.N == 0 {
		return
	}
	r.hooks.one.Lock()
	defer r.hooks.one.Unlock()
	r.hooks.onExchange(settled)
}
