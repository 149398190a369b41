package sequence

import (
	"fmt"
	"slices"
	"strings"

	"kcompare/internal/evidence"
)

// names calls things as the story does: topics by their role, transactional ids and groups
// without what a trial puts around them, producer ids and connections by number.
type names struct {
	topics      map[string]string // real name to role
	suffix      string            // of everything that a trial makes on a cluster that it shares
	producers   []string
	connections []connection
}

type connection struct {
	node string
	id   int64
}

const prefix = "kcompare-" // trial.DefaultPrefix

func newNames(seen *evidence.Observed) *names {
	n := &names{topics: map[string]string{}}
	var real []string
	for _, e := range seen.Trace.Exchanges {
		for _, b := range e.Batches {
			real = append(real, b.Topic)
		}
	}
	for _, p := range seen.Log.Partitions {
		real = append(real, p.Topic)
	}
	// The name of a role has no number at its end, so this is the trial's own.
	if own := fmt.Sprintf("-%d", seen.Trial.Number); len(real) > 0 && strings.HasSuffix(real[0], own) {
		n.suffix = own
	}
	for _, name := range real {
		n.topics[name] = n.role(seen.Trial.Scenario, name)
	}
	return n
}

// role: a trial calls a topic PREFIX-SCENARIO-ROLE.
func (n *names) role(scenario, name string) string {
	if _, after, found := strings.Cut(name, "-"+scenario+"-"); found {
		name = after
	}
	return strings.TrimSuffix(name, n.suffix)
}

// place is "payments-1".
func (n *names) place(topic string, partition int32) string {
	return fmt.Sprintf("%s-%d", n.topics[topic], partition)
}

// partition reads a topic, or a topic's partition, of a request's summary.
func (n *names) partition(word string) (string, bool) {
	if role, is := n.topics[word]; is {
		return role, true
	}
	i := strings.LastIndexByte(word, '-')
	if i < 0 {
		return "", false
	}
	role, is := n.topics[word[:i]]
	return role + word[i:], is
}

// id is a transactional id, or a group with "group=" before it.
func (n *names) id(word string) string {
	name, isGroup := strings.CutPrefix(word, "group=")
	name = strings.TrimSuffix(strings.TrimPrefix(name, prefix), n.suffix)
	if isGroup {
		return "group " + name
	}
	return name
}

// producer is "P1 epoch 0"; "" for none.
func (n *names) producer(id, epoch string) string {
	if strings.HasPrefix(id, "-") {
		return ""
	}
	return fmt.Sprintf("P%d epoch %s", number(&n.producers, id), epoch)
}

// connection counts those of each role: whether the coordinator is the leader of a partition
// as well, so that one connection serves for both, is chance. So is the whole connection where
// the client may ask whomever it likes: it has no number.
func (n *names) connection(node string, id int64) string {
	if node == AnyBroker {
		return ""
	}
	return fmt.Sprintf("c%d", number(&n.connections, connection{node, id}))
}

// number counts from 1, by first appearance.
func number[T comparable](known *[]T, id T) int {
	i := slices.Index(*known, id)
	if i < 0 {
		i = len(*known)
		*known = append(*known, id)
	}
	return i + 1
}
