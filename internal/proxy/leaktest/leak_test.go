package leaktest

import (
	"slices"
	"testing"
)

// TestEmbedded plays every story on kfake, whose nodes can tell who came.
func TestEmbedded(t *testing.T) {
	start := func(t *testing.T) brokers {
		t.Parallel() // each story has a cluster of its own, and most of it is waiting
		return startEmbedded(t)
	}
	tellAll(t, start, func(m mutation) bool { return m.embedded })
}

// TestKafka plays the stories on Apache Kafka, one cluster for all of them. Its
// nodes cannot tell who came; what counts is what the clients say they dialled.
func TestKafka(t *testing.T) {
	k := startKafka(t)
	tellAll(t, func(*testing.T) brokers { return k }, func(m mutation) bool { return m.kafka })
}

// tellAll shows that no client gets past the proxy, and that it would be seen:
// with one of the seven answers left as the broker wrote it, somebody does.
func tellAll(t *testing.T, start func(*testing.T) brokers, leaks func(mutation) bool) {
	for _, lib := range libraries() {
		for _, story := range stories() {
			t.Run(lib.name+"/"+story.name, func(t *testing.T) {
				nobodyGetsPast(t, start(t), lib, story)
			})
		}
	}
	for _, m := range mutations() {
		t.Run("leave "+m.api+"/"+m.library.name+"/"+m.story.name, func(t *testing.T) {
			m.play(t, start(t), leaks(m))
		})
	}
}

func nobodyGetsPast(t *testing.T, b brokers, lib library, story story) {
	s := newStage(t, b, "")
	story.play(t, s, lib.open(t, s))
	if past := s.past(t); len(past) > 0 {
		t.Errorf("past the proxy: %q", past)
	}
	for _, api := range story.moved {
		if nodes := slices.Compact(s.servers(api)); len(nodes) < 2 {
			t.Errorf("%s was answered by the nodes %v, expected two different ones", api, nodes)
		}
	}
}

// mutation is one API whose answers keep the addresses that are in them, and a
// story in which that matters to a library.
type mutation struct {
	api             string
	library         library
	story           story
	embedded, kafka bool // who it makes the client get past
}

// mutations has each of the seven APIs with a client that gets past. A client
// that does not, takes no address from there.
func mutations() []mutation {
	franz, librdkafka := libraries()[0], libraries()[1]
	return []mutation{
		{"Metadata", franz, clusterDescribed, true, true},
		{"Metadata", librdkafka, clusterDescribed, true, true},

		// franz-go takes the coordinator's node id alone, and the address from Metadata.
		{"FindCoordinator", franz, coordinatorsMove, false, false},
		{"FindCoordinator", librdkafka, coordinatorsMove, true, true},

		// The administrators of both libraries ask by Metadata. franz-go can send the
		// request by hand.
		{"DescribeCluster", franz, clusterDescribed, true, true},
		{"DescribeCluster", librdkafka, clusterDescribed, false, false},

		{"Produce", franz, leaderMoves, true, true},
		{"Produce", librdkafka, leaderMoves, true, true},

		// An old leader that stays a replica answers FENCED_LEADER_EPOCH on Kafka,
		// NOT_LEADER_OR_FOLLOWER on kfake; franz-go follows the latter alone.
		{"Fetch", franz, leaderMoves, true, false},
		{"Fetch", franz, partitionLeaves, true, true},
		{"Fetch", librdkafka, leaderMoves, true, true},

		// An old leader answers ShareAcknowledge with UNKNOWN_TOPIC_OR_PARTITION on
		// Kafka 4.4.0, and no address.
		{"ShareFetch", franz, shareGroup, true, true},
		{"ShareAcknowledge", franz, acknowledgedAfterMove, true, false},
	}
}

// mostOften bounds how often a story is played until a client gets past. Once is enough,
// but for a client that happens to ask for Metadata at the moment when Produce or Fetch
// tell it the address: the answer has the proxy's, and if it comes before the client
// connects, that is where it goes. A librdkafka that asks every 10 ms did so in 11 of 16.
const mostOften = 5

func (m mutation) play(t *testing.T, b brokers, leaks bool) {
	s := newStage(t, b, m.api)
	c := m.library.open(t, s)
	for range mostOften {
		m.story.play(t, s, c)
		if !leaks || s.dialled() {
			break
		}
	}
	past := s.past(t)
	if leaks != (len(past) > 0) {
		t.Errorf("with the addresses in answers to %s left: past the proxy %q, expected somebody: %v", m.api, past, leaks)
	}
}
