package leaktest

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// client is a library at work on the topic of a stage: an idempotent producer, a
// member of the group, a transactional producer and an administrator. Each call
// returns when it is done, and fails the test when that never comes.
type client interface {
	produce(t *testing.T) // one record, acknowledged
	consume(t *testing.T) // the next record of the group
	pause(t *testing.T)   // no Fetch is begun from now on, until resume
	resume(t *testing.T)
	commit(t *testing.T)            // offsets, of what was consumed
	transact(t *testing.T)          // one record in a transaction that commits
	describe(t *testing.T) []string // the addresses that the administrator is told
}

// library opens a client on a stage, which closes it.
type library struct {
	name string
	open func(*testing.T, *stage) client
}

func libraries() []library {
	return []library{{"franz", openFranz}, {"librdkafka", openLibrdkafka}}
}

// story is what a client lives through. It is skipped where the brokers or the
// library lack what it is about.
type story struct {
	name string
	play func(*testing.T, *stage, client)

	// moved are APIs that one node answers at the beginning and another at the end.
	moved []string
}

func stories() []story {
	return []story{leaderMoves, partitionLeaves, coordinatorsMove, clusterDescribed, shareGroup, acknowledgedAfterMove, nodeJoins, nodeRestarts}
}

// leaderMoves: the next Produce and the next Fetch meet a node that does not lead
// any more, and are told who does, and where (KIP-951).
var leaderMoves = story{"leader moves", func(t *testing.T, s *stage, c client) {
	elsewhere(t, s, c, s.moveLeader)
}, []string{"Produce", "Fetch"}}

// partitionLeaves is leaderMoves with an old leader that has no replica any more.
// Only then does Kafka 4.4.0 answer Fetch with NOT_LEADER_OR_FOLLOWER; one that
// stays a replica answers FENCED_LEADER_EPOCH.
var partitionLeaves = story{"partition leaves", func(t *testing.T, s *stage, c client) {
	b, ok := s.brokers.(interface {
		movePartition(*testing.T, string, int32)
	})
	if !ok {
		t.Skip("kfake has no replicas")
	}
	elsewhere(t, s, c, b.movePartition)
}, []string{"Produce", "Fetch"}}

// elsewhere moves the leader between two records. No Fetch is on its way then:
// Kafka 4.4.0 may answer such a one with the old leader as the new one.
func elsewhere(t *testing.T, s *stage, c client, move func(*testing.T, string, int32)) {
	t.Helper()
	c.produce(t)
	c.consume(t)
	c.pause(t)
	s.awaitFetches(t)
	move(t, s.topic, s.other(s.leader(t, s.topic)))
	c.resume(t)
	c.produce(t)
	c.consume(t)
}

// coordinatorsMove: what a member of the group and a transactional producer ask
// their coordinators is asked again, of others.
var coordinatorsMove = story{"coordinators move", func(t *testing.T, s *stage, c client) {
	work := func() {
		c.produce(t)
		c.consume(t)
		c.commit(t)
		c.transact(t)
	}
	work()
	s.moveCoordinators(t, s.group, s.transactionalID)
	work()
}, []string{"OffsetCommit", "EndTxn"}}

// clusterDescribed: an administrator asks who is there, and goes there.
var clusterDescribed = story{"cluster is described", func(t *testing.T, _ *stage, c client) {
	told := c.describe(t)
	if byHand, ok := c.(interface{ describeByHand(*testing.T) []string }); ok {
		told = append(told, byHand.describeByHand(t)...)
	}
	if len(told) < 3 {
		t.Errorf("the administrator was told of %q, expected three nodes", told)
	}
	c.produce(t)
}, nil}

// shareGroup: the next ShareFetch meets a node that does not lead any more, and
// is told who does, and where.
var shareGroup = story{"share group", func(t *testing.T, s *stage, c client) {
	member := openShare(t, s, c)
	c.produce(t)
	poll(t, member)
	flushAcks(t, member)
	s.moveLeader(t, s.topic, s.other(s.leader(t, s.topic)))
	c.produce(t)
	poll(t, member)
	flushAcks(t, member)
}, []string{"ShareFetch"}}

// acknowledgedAfterMove: the leader moves while a member of a share group has a
// record. It is the answer to ShareAcknowledge that tells where the leader is now.
var acknowledgedAfterMove = story{"acknowledged after a move", func(t *testing.T, s *stage, c client) {
	member := openShare(t, s, c)
	c.produce(t)
	records := poll(t, member)
	s.moveLeader(t, s.topic, s.other(s.leader(t, s.topic)))
	if b, ok := s.brokers.(interface{ tellWhere(*testing.T, string) }); ok {
		b.tellWhere(t, s.topic)
	}
	member.MarkAcks(kgo.AckAccept, records...)
	flushAcks(t, member)
	c.produce(t)
	poll(t, member)
}, []string{"ShareFetch"}}

// openShare is a member of a share group that fetches when it is polled, and not
// before: between two polls no ShareFetch is on its way. Only franz-go has any.
func openShare(t *testing.T, s *stage, c client) *kgo.Client {
	t.Helper()
	if _, ok := c.(*franz); !ok {
		t.Skip("librdkafka 2.11.1 has no share groups")
	}
	group := s.group + "-share"
	s.readShareGroupFromStart(t, group)
	return newKgo(t, s, kgo.ShareGroup(group), kgo.ConsumeTopics(s.topic), kgo.ShareMaxRecordsStrict(), kgo.FetchMaxWait(100*time.Millisecond))
}

func flushAcks(t *testing.T, c *kgo.Client) {
	t.Helper()
	if err := c.FlushAcks(within(t)); err != nil {
		t.Fatalf("flush acknowledgements: %v", err)
	}
}

// nodeJoins: a node that nobody knew at the start becomes the leader.
var nodeJoins = story{"node joins", func(t *testing.T, s *stage, c client) {
	brokers, ok := s.brokers.(interface{ join(*testing.T) int32 })
	if !ok {
		t.Skip("these brokers take no further node")
	}
	s.moveLeader(t, s.topic, 0)
	c.produce(t)
	c.consume(t)
	node := brokers.join(t)
	s.noteAddrs()
	s.moveLeader(t, s.topic, node)
	c.produce(t)
	c.consume(t)
}, []string{"Produce", "Fetch"}}

// nodeRestarts: the leader goes away, comes back elsewhere, and leads again.
var nodeRestarts = story{"node restarts on another port", func(t *testing.T, s *stage, c client) {
	brokers, ok := s.brokers.(interface{ restart(*testing.T, int32) })
	if !ok {
		t.Skip("these brokers restart on their old ports")
	}
	c.produce(t)
	c.consume(t)
	node, listeners := s.leader(t, s.topic), s.proxy.Bootstrap()
	brokers.restart(t, node)
	s.noteAddrs()
	s.moveLeader(t, s.topic, node)
	c.produce(t)
	c.consume(t)
	if now := s.proxy.Bootstrap(); now != listeners {
		t.Errorf("the proxy listens at %s, expected %s as before", now, listeners)
	}
}, nil}
