package proxy

import (
	"encoding/base64"
	"sync"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// topics maps topic ids to names. Since Produce v13 and Fetch v13 (KIP-516)
// requests carry ids alone, while faults and evidence speak of names. Clients
// learn an id from the answers below, so the proxy sees it first.
//
// Clients ask for Metadata again and again, so an id that is in use is learned
// again. One that was not, for as long as it took to learn mostTopics others, is
// forgotten: topics come and go on a cluster that lives for long.
type topics struct {
	mu    sync.RWMutex
	most  int
	names map[[16]byte]string
	older map[[16]byte]string // what names was before it was full
}

const mostTopics = 100_000

func newTopics(known map[[16]byte]string) *topics {
	t := &topics{most: mostTopics, names: map[[16]byte]string{}}
	for id, name := range known {
		t.learn(id, name)
	}
	return t
}

func (t *topics) learn(id [16]byte, name string) {
	if id == ([16]byte{}) || name == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.names[id]; !known && len(t.names) >= t.most {
		t.names, t.older = map[[16]byte]string{}, t.names
	}
	t.names[id] = name
}

// learnFrom takes the ids out of an answer that has any.
func (t *topics) learnFrom(resp kmsg.Response) {
	switch resp := resp.(type) {
	case *kmsg.MetadataResponse:
		for _, topic := range resp.Topics {
			t.learn(topic.TopicID, deref(topic.Topic))
		}
	case *kmsg.CreateTopicsResponse:
		for _, topic := range resp.Topics {
			t.learn(topic.TopicID, topic.Topic)
		}
	case *kmsg.DescribeTopicPartitionsResponse:
		for _, topic := range resp.Topics {
			t.learn(topic.TopicID, deref(topic.Topic))
		}
	}
}

// name is the topic of a request or answer, which has either a name or an id.
// For an id that nobody taught, it is the id as Kafka prints it, and false.
func (t *topics) name(name string, id [16]byte) (string, bool) {
	if name != "" || id == ([16]byte{}) {
		return name, true
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, names := range []map[[16]byte]string{t.names, t.older} {
		if known, ok := names[id]; ok {
			return known, true
		}
	}
	return base64.RawURLEncoding.EncodeToString(id[:]), false
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
