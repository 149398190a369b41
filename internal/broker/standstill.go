package broker

import "sync"

// standstill is what stops a node and lets it go on. Several pauses may overlap: the
// node goes on when the last of them is over. Methods may be called concurrently.
type standstill struct {
	stop func() error // returns when the node stands still
	goOn func()

	mu     sync.Mutex
	pauses map[*pause]bool
}

// pause is one reason to stand still, known by its address.
type pause struct{ _ byte }

// begin stops the node if it moves. The pause lasts until end is called, or wake.
func (s *standstill) begin() (end func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pauses) == 0 {
		if err := s.stop(); err != nil {
			return nil, err
		}
		s.pauses = map[*pause]bool{}
	}
	p := &pause{}
	s.pauses[p] = true
	return func() { s.over(p) }, nil
}

func (s *standstill) over(p *pause) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.pauses[p] {
		return // woken before
	}
	if delete(s.pauses, p); len(s.pauses) == 0 {
		s.goOn()
	}
}

// wake ends every pause.
func (s *standstill) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pauses) > 0 {
		clear(s.pauses)
		s.goOn()
	}
}

// still says whether the node stands still.
func (s *standstill) still() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.pauses) > 0
}

// gate holds up who passes while it stands still.
type gate struct {
	standstill

	mu   sync.Mutex
	open chan struct{} // closed while one may pass
}

func newGate() *gate {
	g := &gate{open: make(chan struct{})}
	close(g.open)
	g.stop = func() error {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.open = make(chan struct{})
		return nil
	}
	g.goOn = func() { close(g.passable()) }
	return g
}

// passable is closed as soon as one may pass.
func (g *gate) passable() chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open
}
