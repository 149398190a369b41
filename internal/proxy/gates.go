package proxy

import (
	"context"
	"sync"
)

// gates is what a story does to single clients, by client id, beside the plan of
// faults: Cut is the end of a process, Hold its standing still. Both are known to the
// broker by what does not come any more.
type gates struct {
	mu   sync.Mutex
	shut map[string]*gate
}

// gate is that of one client id that is cut or held.
type gate struct {
	cut   bool
	lifts chan struct{} // closed when the gate is lifted
}

func newGates() *gates { return &gates{shut: map[string]*gate{}} }

// Cut ends every connection of a client at once, and every later one at its first
// request, until Lift. It returns how many connections stood.
func (p *Proxy) Cut(client string) int {
	p.gates.close(client, true)
	cut := 0
	for _, c := range p.connsOf(client) {
		c.abandon()
		cut++
	}
	return cut
}

// Hold keeps back what a client sends from now on, until Lift. Its connections stay
// up, and answers to what it sent before still come. It returns how many connections
// there are.
func (p *Proxy) Hold(client string) int {
	p.gates.close(client, false)
	return len(p.connsOf(client))
}

// Lift undoes Cut or Hold. What was held goes on to its broker.
func (p *Proxy) Lift(client string) { p.gates.lift(client) }

func (p *Proxy) connsOf(client string) []*conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	var conns []*conn
	for c := range p.conns {
		if name, known := c.clientID.Load().(string); known && name == client {
			conns = append(conns, c)
		}
	}
	return conns
}

// close shuts the gate of a client; one that is shut already opens first.
func (g *gates) close(client string, cut bool) {
	g.lift(client)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut[client] = &gate{cut: cut, lifts: make(chan struct{})}
}

func (g *gates) lift(client string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if shut := g.shut[client]; shut != nil {
		close(shut.lifts)
		delete(g.shut, client)
	}
}

// pass waits until a request of the client may go on. It returns errEnded for one
// that is cut, and errClosed when ctx ends first.
func (g *gates) pass(ctx context.Context, client string) error {
	for {
		g.mu.Lock()
		shut := g.shut[client]
		g.mu.Unlock()
		switch {
		case shut == nil:
			return nil
		case shut.cut:
			return errEnded
		}
		select {
		case <-shut.lifts:
		case <-ctx.Done():
			return errClosed
		}
	}
}
