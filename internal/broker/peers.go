package broker

import (
	"slices"
	"sync"
)

// peers remembers addresses in the order in which they came. The zero value is
// ready; methods may be called concurrently.
type peers struct {
	mu    sync.Mutex
	addrs []string
}

func (p *peers) add(addrs ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.addrs = append(p.addrs, addrs...)
}

func (p *peers) all() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.addrs)
}
