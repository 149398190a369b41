package broker

import (
	"fmt"
	"sync"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// coordinators keeps the groups and transactional ids of a kfake cluster on nodes
// that run. kfake takes a hash of the id and of a generation, over all nodes; the
// generation is all that can be changed. So this looks for a generation that puts
// every id that anybody ever looked up where it is to be.
type coordinators struct {
	cluster *kfake.Cluster

	mu   sync.Mutex
	at   map[string]int32 // every id that was looked up, and who coordinates it
	dead map[int32]bool
}

// How many generations are tried, at about a microsecond each, while kfake serves
// nobody: of three nodes one generation in 3^n keeps n ids where they are, and one in
// 1.5^n keeps them off one node.
const (
	strictTries = 1 << 11
	looseTries  = 1 << 17
)

// watch has kfake call looked before it answers a FindCoordinator. After an error
// kfake closes the connection.
func (c *coordinators) watch() {
	c.cluster.ControlKey(int16(kmsg.FindCoordinator), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.cluster.KeepControl()
		err := c.looked(req.(*kmsg.FindCoordinatorRequest))
		return nil, err, err != nil
	})
}

// looked notes the ids that somebody looks up, and moves those away from a dead
// node that kfake's hash puts there. kfake serves its own calls while it waits for
// this one.
func (c *coordinators) looked(req *kmsg.FindCoordinatorRequest) error {
	ids := req.CoordinatorKeys
	if req.Version < 4 { // KIP-699 made it several
		ids = []string{req.CoordinatorKey}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		if _, known := c.at[id]; known {
			continue
		}
		c.at[id] = c.cluster.CoordinatorFor(id)
		if err := c.settle(c.onDead); err != nil {
			return err
		}
	}
	return nil
}

func (c *coordinators) onDead(_ string, node int32) bool { return c.dead[node] }

// move gives an id to another node.
func (c *coordinators) move(id string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	from := c.cluster.CoordinatorFor(id)
	c.at[id] = from
	return c.settle(func(one string, node int32) bool { return c.dead[node] || one == id && node == from })
}

// leave gives what a node coordinates to the others. A dead node gets nothing more
// until it is revived.
func (c *coordinators) leave(node int32, dead bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if dead {
		c.dead[node] = true
	}
	return c.settle(func(_ string, n int32) bool { return c.dead[n] || n == node })
}

// revived says that nodes may coordinate again. What they had stays where it went.
func (c *coordinators) revived() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.dead)
}

// keep brings every id back to where it was before kfake got another node.
func (c *coordinators) keep() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.settle(c.onDead)
}

// settle looks for a generation in which no id is at a node that it must leave, and
// the others stay where they are. With too many ids for that, those may move too, as
// with Kafka everything moves that shares a partition of the coordinators' topic.
//
// Who asks a coordinator meanwhile may be told NOT_COORDINATOR, as while Kafka moves
// one; a FindCoordinator waits in looked.
func (c *coordinators) settle(must func(id string, node int32) bool) error {
	stays := func(id string, node int32) bool {
		return !must(id, node) && (node == c.at[id] || must(id, c.at[id]))
	}
	leaves := func(id string, node int32) bool { return !must(id, node) }
	if !c.search(stays, strictTries) && !c.search(leaves, looseTries) {
		return fmt.Errorf("the embedded broker hashes %d ids to nodes, and none of %d hashes puts each where it has to go", len(c.at), looseTries)
	}
	for id := range c.at {
		c.at[id] = c.cluster.CoordinatorFor(id)
	}
	return nil
}

func (c *coordinators) search(fits func(id string, node int32) bool, tries int) bool {
	for range tries {
		if c.all(fits) {
			return true
		}
		c.cluster.RehashCoordinators()
	}
	return false
}

func (c *coordinators) all(fits func(id string, node int32) bool) bool {
	for id := range c.at {
		if !fits(id, c.cluster.CoordinatorFor(id)) {
			return false
		}
	}
	return true
}
