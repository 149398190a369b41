package proxy

import "testing"

// Ids that are not learned again are forgotten, those that are stay.
func TestTopicsAreBounded(t *testing.T) {
	topics := newTopics(nil)
	topics.most = 10
	id := func(n byte) [16]byte { return [16]byte{n} }
	for n := range byte(100) {
		topics.learn(id(1), "in use")
		topics.learn(id(100+n), "came and went")
	}
	if kept := len(topics.names) + len(topics.older); kept > 2*topics.most {
		t.Errorf("%d ids are kept, want at most %d", kept, 2*topics.most)
	}
	for _, tt := range []struct {
		id    byte
		known bool
	}{{1, true}, {199, true}, {190, true}, {100, false}} {
		if _, known := topics.name("", id(tt.id)); known != tt.known {
			t.Errorf("id %d: known %v, want %v", tt.id, known, tt.known)
		}
	}
}
