package broker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// MoveLeader makes the replica in sync with the next id the leader of a partition:
// it becomes the first of the replicas, and an election of preferred leaders chooses
// it. MoveLeader returns when every node that moves says so.
func (k *Kafka) MoveLeader(ctx context.Context, topic string, partition int32) error {
	tp := TopicPartition{Topic: topic, Partition: partition}
	err := k.change(ctx, func(ctx context.Context) error {
		_, err := k.moveLeader(ctx, tp)
		return err
	})
	if err != nil {
		return fmt.Errorf("move leader of %s: %w", tp, err)
	}
	return nil
}

func (k *Kafka) moveLeader(ctx context.Context, tp TopicPartition) (int32, error) {
	v, err := k.views()
	if err != nil {
		return 0, err
	}
	defer v.close()
	now, err := v.any().partition(ctx, tp)
	if err != nil {
		return 0, err
	}
	next, err := nextLeader(now, v.has)
	if err != nil {
		return 0, err
	}
	if err := v.any().prefer(ctx, tp, next, now.Replicas); err != nil {
		return 0, err
	}
	return next, k.wait(ctx, fmt.Sprintf("every node says that node %d leads", next), func(ctx context.Context) error {
		return joined([]error{v.any().electPreferred(ctx, &tp), v.leads(ctx, tp, next)})
	})
}

// MoveCoordinator lets another node coordinate a group (kind 0) or transactional id
// (kind 1), and with it all that fall into the same partition of the coordinators'
// topic. It returns when every node that moves names the new coordinator, and that
// one has read what it has to know.
func (k *Kafka) MoveCoordinator(ctx context.Context, kind int8, key string) error {
	err := k.change(ctx, func(ctx context.Context) error {
		tp, err := k.coordinatorPartition(ctx, kind, key)
		if err != nil {
			return err
		}
		next, err := k.moveLeader(ctx, tp)
		if err != nil {
			return fmt.Errorf("move leader of %s: %w", tp, err)
		}
		v, err := k.views()
		if err != nil {
			return err
		}
		defer v.close()
		return k.wait(ctx, fmt.Sprintf("node %d coordinates it", next), func(ctx context.Context) error {
			return v.coordinates(ctx, kind, key, next)
		})
	})
	if err != nil {
		return fmt.Errorf("move coordinator of %q: %w", key, err)
	}
	return nil
}

// coordinatorPartition is the partition of the coordinators' topic that keeps a key.
func (k *Kafka) coordinatorPartition(ctx context.Context, kind int8, key string) (TopicPartition, error) {
	topic, err := coordinatorTopic(kind)
	if err != nil {
		return TopicPartition{}, err
	}
	v, err := k.views()
	if err != nil {
		return TopicPartition{}, err
	}
	defer v.close()
	partitions, err := v.any().partitions(ctx, []string{topic})
	if err != nil {
		return TopicPartition{}, err
	}
	return TopicPartition{Topic: topic, Partition: javaPartition(key, int32(len(partitions)))}, nil
}

// KillNode ends a server by SIGKILL and returns when the process is gone. It comes
// back with Revive. The controller misses it after broker.session.timeout.ms and
// gives what it led to others; if it was the active controller itself, that begins
// when the rest has elected another.
func (k *Kafka) KillNode(ctx context.Context, node int32) error {
	err := k.change(ctx, func(ctx context.Context) error {
		n, err := k.node(node)
		if err != nil {
			return err
		}
		if err := needQuorum(len(k.nodes), k.dead()); err != nil {
			return err
		}
		return k.killed(ctx, n)
	})
	if err != nil {
		return fmt.Errorf("kill node %d: %w", node, err)
	}
	return nil
}

// PauseNode stops the process for a while (SIGSTOP). It returns when every thread
// stands still. A node that is paused again goes on when the longer pause is over. If
// it is longer than broker.session.timeout.ms, what the node led gets other leaders
// meanwhile.
func (k *Kafka) PauseNode(ctx context.Context, node int32, lasting time.Duration) error {
	err := k.change(ctx, func(context.Context) error {
		n, err := k.node(node)
		if err != nil {
			return err
		}
		over, err := n.pauses.begin()
		if err == nil {
			k.changes.later(lasting, over)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("pause node %d: %w", node, err)
	}
	return nil
}

// RestartNode ends a server in an orderly way (SIGTERM: what it leads gets other
// leaders first, if there are any) and starts it again on other ports for clients.
// It returns when every node that moves knows the new address. A node that stands
// still ends when its pause is over.
func (k *Kafka) RestartNode(ctx context.Context, node int32) error {
	err := k.change(ctx, func(ctx context.Context) error {
		n, err := k.node(node)
		if err != nil {
			return err
		}
		k.setDown(n)
		if err := n.stop(ctx); err != nil {
			return err
		}
		if err := k.readdress(n); err != nil {
			return err
		}
		if err := k.startAgain(n); err != nil {
			return err
		}
		return k.awaitKnown(ctx)
	})
	if err != nil {
		return fmt.Errorf("restart node %d: %w", node, err)
	}
	return nil
}

// Revive makes the cluster whole again: dead nodes start on their old ports, those
// that stand still go on, and when every replica is in sync, every partition is led
// by the first of its replicas: where CreateTopics or MoveLeader put it.
func (k *Kafka) Revive(ctx context.Context) error {
	err := k.change(ctx, func(ctx context.Context) error {
		for _, n := range k.nodes {
			if err := k.wake(ctx, n); err != nil {
				return err
			}
		}
		if err := k.awaitKnown(ctx); err != nil {
			return err
		}
		v, err := k.views()
		if err != nil {
			return err
		}
		defer v.close()
		if err := k.wait(ctx, "all replicas are in sync", v.inSync); err != nil {
			return err
		}
		return k.wait(ctx, "the first replicas lead", func(ctx context.Context) error {
			return joined([]error{v.any().electPreferred(ctx, nil), v.preferredLead(ctx)})
		})
	})
	if err != nil {
		return fmt.Errorf("revive Apache Kafka: %w", err)
	}
	return nil
}

// wake lets a node go on that stands still, and starts one that is dead.
func (k *Kafka) wake(ctx context.Context, n *node) error {
	n.pauses.wake()
	if !slices.Contains(k.dead(), n.id) {
		return nil
	}
	if err := k.killed(ctx, n); err != nil { // it may be on its way after a RestartNode that gave up
		return err
	}
	return k.startAgain(n)
}

// change makes one change, alone.
func (k *Kafka) change(ctx context.Context, do func(context.Context) error) error {
	ctx, done, err := k.changes.begin(ctx)
	if err != nil {
		return err
	}
	defer done()
	return do(ctx)
}

// wait asks again until there is no error, as long as no server ends by itself.
func (k *Kafka) wait(ctx context.Context, what string, ask func(context.Context) error) error {
	for {
		err := ask(ctx)
		if err == nil {
			return nil
		}
		if ended := k.ended(); ended != nil {
			return fmt.Errorf("wait until %s: %w", what, ended)
		}
		if err := again(ctx, err); err != nil {
			if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
				err = fmt.Errorf("%w: %w", cause, err)
			}
			return fmt.Errorf("wait until %s: %w", what, err)
		}
	}
}

// awaitKnown waits until all that move know each other.
func (k *Kafka) awaitKnown(ctx context.Context) error {
	v, err := k.views()
	if err != nil {
		return err
	}
	defer v.close()
	return k.wait(ctx, "every node knows every other's address", v.known)
}

// node is one that runs.
func (k *Kafka) node(id int32) (*node, error) {
	if id < 0 || int(id) >= len(k.nodes) {
		return nil, fmt.Errorf("no such node: expected 0 to %d", len(k.nodes)-1)
	}
	if slices.Contains(k.dead(), id) {
		return nil, errors.New("it is dead: Revive brings it back")
	}
	return k.nodes[id], nil
}

// killed ends the process of a node and waits until it is gone.
func (k *Kafka) killed(ctx context.Context, n *node) error {
	k.setDown(n)
	n.kill()
	select {
	case <-n.server.Done():
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait until process %d is gone: %w", n.server.Cmd.Process.Pid, context.Cause(ctx))
	}
}

func (k *Kafka) setDown(n *node) {
	k.mu.Lock()
	defer k.mu.Unlock()
	n.down = true
}

// startAgain starts a server whose process is gone.
func (k *Kafka) startAgain(n *node) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := context.Cause(k.changes.life); err != nil {
		return err
	}
	if err := n.start(k.children, k.vm); err != nil {
		return err
	}
	n.down = false
	return nil
}

// readdress gives a node other ports for its clients. The others learn of them from
// the controller.
func (k *Kafka) readdress(n *node) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := n.movePorts(); err != nil {
		return err
	}
	return n.writeSettings(k.nodes, k.settings)
}

func (k *Kafka) dead() []int32 {
	k.mu.Lock()
	defer k.mu.Unlock()
	var dead []int32
	for _, n := range k.nodes {
		if n.down {
			dead = append(dead, n.id)
		}
	}
	return dead
}

// ended is an error if a server ended that nobody ended.
func (k *Kafka) ended() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, n := range k.nodes {
		if err := n.ended(); err != nil && !n.down {
			return err
		}
	}
	return nil
}

// views is a reader for every node that moves.
func (k *Kafka) views() (views, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	v := views{}
	for _, n := range k.nodes {
		if n.down || n.pauses.still() {
			continue
		}
		r, err := newReader(map[int32]string{n.id: n.client.addr()}, k.Access(), k.own)
		if err != nil {
			v.close()
			return nil, err
		}
		v[n.id] = view{r, n.client.addr()}
	}
	if len(v) == 0 {
		return nil, errors.New("no node moves")
	}
	return v, nil
}
