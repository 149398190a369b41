package broker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// The embedded broker is changed on command. kfake has one log and one memory for
// all its nodes, so that nothing a node knew is lost with it, and a change needs no
// time. Two things are not as with Kafka: Metadata goes on to list a dead node,
// which Kafka does only until its controller misses it; and the controller is always
// the node with the greatest id of the start, so that no topic can be made or
// deleted while that one is dead.

// longestPause is how long an embedded node may stand still: Kafka's default of
// broker.session.timeout.ms. After that a Kafka would give its partitions other
// leaders, which kfake does not do.
const longestPause = 9 * time.Second

// MoveLeader makes the replica with the next id the leader of a partition, as a
// reassignment would: the leader epoch grows by one, and nobody is told.
func (e *Embedded) MoveLeader(ctx context.Context, topic string, partition int32) error {
	tp := TopicPartition{Topic: topic, Partition: partition}
	err := e.change(ctx, func(ctx context.Context) error {
		r, err := e.reader()
		if err != nil {
			return err
		}
		defer r.Close()
		now, err := r.partition(ctx, tp)
		if err != nil {
			return err
		}
		next, err := nextLeader(now, e.runs)
		if err != nil {
			return err
		}
		delete(e.displaced, tp)
		return e.cluster.MoveTopicPartition(topic, partition, next)
	})
	if err != nil {
		return fmt.Errorf("move leader of %s: %w", tp, err)
	}
	return nil
}

// PlaceLeader makes a node the leader of a partition, whether or not it has a
// replica.
func (e *Embedded) PlaceLeader(topic string, partition, node int32) error {
	tp := TopicPartition{Topic: topic, Partition: partition}
	err := e.change(context.Background(), func(context.Context) error {
		delete(e.displaced, tp)
		return e.cluster.MoveTopicPartition(topic, partition, node)
	})
	if err != nil {
		return fmt.Errorf("make node %d the leader of %s: %w", node, tp, err)
	}
	return nil
}

// MoveCoordinator lets another node coordinate a group (kind 0) or transactional id
// (kind 1). kfake has one coordinator for both if they have the same name.
func (e *Embedded) MoveCoordinator(ctx context.Context, kind int8, key string) error {
	err := e.change(ctx, func(context.Context) error {
		if _, err := coordinatorTopic(kind); err != nil {
			return err
		}
		if len(e.running()) < 2 {
			return errors.New("one node runs: expected another one")
		}
		return e.coordinators.move(key)
	})
	if err != nil {
		return fmt.Errorf("move coordinator of %q: %w", key, err)
	}
	return nil
}

// KillNode closes the port and every connection of a node, as the end of its process
// does, and gives what it led and coordinated to others. It comes back with Revive.
func (e *Embedded) KillNode(ctx context.Context, node int32) error {
	err := e.change(ctx, func(ctx context.Context) error {
		n, err := e.node(node)
		if err != nil {
			return err
		}
		if err := needQuorum(len(e.all()), e.dead()); err != nil {
			return err
		}
		n.down()
		return joined([]error{e.leave(ctx, node), e.coordinators.leave(node, true)})
	})
	if err != nil {
		return fmt.Errorf("kill node %d: %w", node, err)
	}
	return nil
}

// PauseNode lets a node neither read nor write for a while; its connections stay,
// and new ones are accepted, as by the kernel for a process that stands still. A
// node that is paused again goes on when the longer pause is over.
func (e *Embedded) PauseNode(ctx context.Context, node int32, lasting time.Duration) error {
	err := e.change(ctx, func(context.Context) error {
		n, err := e.node(node)
		if err != nil {
			return err
		}
		if lasting > longestPause {
			return fmt.Errorf("%v: expected at most %v, because the embedded broker has no controller that would give its partitions other leaders: run it on Kafka", lasting, longestPause)
		}
		over, err := n.pauses().begin()
		if err == nil {
			e.changes.later(lasting, over)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("pause node %d: %w", node, err)
	}
	return nil
}

// RestartNode gives what a node leads and coordinates to others, if there are any,
// closes its port and connections, and lets it listen on another port.
func (e *Embedded) RestartNode(ctx context.Context, node int32) error {
	err := e.change(ctx, func(ctx context.Context) error {
		n, err := e.node(node)
		if err != nil {
			return err
		}
		if len(e.running()) > 1 {
			if err := joined([]error{e.leave(ctx, node), e.coordinators.leave(node, false)}); err != nil {
				return err
			}
		}
		n.down()
		return n.start()
	})
	if err != nil {
		return fmt.Errorf("restart node %d: %w", node, err)
	}
	return nil
}

// AddNode lets another node join, and returns its id. It leads and coordinates
// nothing yet. kfake gives every partition another leader when a node joins; they
// are put back, two leader epochs on.
func (e *Embedded) AddNode(ctx context.Context) (int32, error) {
	var id int32
	err := e.change(ctx, func(ctx context.Context) error {
		led, err := e.led(ctx)
		if err != nil {
			return err
		}
		if id, _, err = e.cluster.AddNode(-1, 0); err != nil {
			return err
		}
		errs := []error{e.coordinators.keep()}
		for tp, p := range led {
			errs = append(errs, e.cluster.MoveTopicPartition(tp.Topic, tp.Partition, p.Leader))
		}
		return joined(errs)
	})
	if err != nil {
		return 0, fmt.Errorf("add a node: %w", err)
	}
	return id, nil
}

// Revive makes the cluster whole again: dead nodes come back, each under its id and
// on another port, those that stand still go on, and what had to find another leader
// because its node went has that node again. A partition that MoveLeader moved stays
// where it was moved.
func (e *Embedded) Revive(ctx context.Context) error {
	err := e.change(ctx, func(context.Context) error {
		var errs []error
		for _, n := range e.all() {
			n.pauses().wake()
			if !n.running() {
				errs = append(errs, n.start())
			}
		}
		e.coordinators.revived()
		for tp, node := range e.displaced {
			if e.cluster.LeaderFor(tp.Topic, tp.Partition) >= 0 { // it was not deleted
				errs = append(errs, e.cluster.MoveTopicPartition(tp.Topic, tp.Partition, node))
			}
		}
		clear(e.displaced)
		return joined(errs)
	})
	if err != nil {
		return fmt.Errorf("revive the embedded broker: %w", err)
	}
	return nil
}

// change makes one change, alone.
func (e *Embedded) change(ctx context.Context, do func(context.Context) error) error {
	ctx, done, err := e.changes.begin(ctx)
	if err != nil {
		return err
	}
	defer done()
	return do(ctx)
}

// node is one that runs.
func (e *Embedded) node(id int32) (*embeddedNode, error) {
	if nodes := e.all(); id < 0 || int(id) >= len(nodes) {
		return nil, fmt.Errorf("no such node: expected 0 to %d", len(nodes)-1)
	}
	n := e.all()[id]
	if !n.running() {
		return nil, errors.New("it is dead: Revive brings it back")
	}
	return n, nil
}

func (e *Embedded) runs(node int32) bool {
	n, err := e.node(node)
	return err == nil && n.running()
}

func (e *Embedded) running() []int32 { return e.are(true) }

func (e *Embedded) dead() []int32 { return e.are(false) }

func (e *Embedded) are(running bool) []int32 {
	var ids []int32
	for id, n := range e.all() {
		if n.running() == running {
			ids = append(ids, int32(id))
		}
	}
	return ids
}

// reader connects to the nodes that run, if it can only to those that do not stand
// still. It is no stranger.
func (e *Embedded) reader() (*Reader, error) {
	addrs, moving := map[int32]string{}, map[int32]string{}
	for _, node := range e.running() {
		n := e.all()[node]
		addrs[node] = n.Addr().String()
		if !n.pauses().still() {
			moving[node] = addrs[node]
		}
	}
	if len(moving) > 0 {
		addrs = moving
	}
	return newReader(addrs, e.Access(), e.own)
}

// leave gives what a node leads to the next replica, and remembers it for Revive.
// What has no other replica stays.
func (e *Embedded) leave(ctx context.Context, node int32) error {
	led, err := e.led(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for tp, p := range led {
		next, err := nextLeader(p, e.runs)
		if p.Leader != node || err != nil {
			continue
		}
		if _, already := e.displaced[tp]; !already {
			e.displaced[tp] = node
		}
		errs = append(errs, e.cluster.MoveTopicPartition(tp.Topic, tp.Partition, next))
	}
	return joined(errs)
}

// led is every partition as Metadata shows it.
func (e *Embedded) led(ctx context.Context) (map[TopicPartition]kmsg.MetadataResponseTopicPartition, error) {
	r, err := e.reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	led, err := r.everyPartition(ctx)
	if err != nil {
		return nil, fmt.Errorf("look up who leads what: %w", err)
	}
	return led, nil
}
