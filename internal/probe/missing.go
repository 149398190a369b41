package probe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kcompare/internal/broker"
	"kcompare/internal/evidence"
)

// missing makes the topics that clients ask for in vain. A broker makes a topic itself
// where the client allows it (allow.auto.create.topics); franz-go and Java's consumers
// with that switched off do not, and would find nothing to work with.
type missing struct {
	reader *broker.Reader
	names  chan string
	done   chan struct{}

	seen []string // by look alone

	made []string // after close
	err  error
}

// mostMissing bounds how many topics are made for clients that ask for ever new ones.
const mostMissing = 100

// newMissing starts the goroutine that makes topics; close ends it. Without wanted, look
// finds nothing.
func newMissing(reader *broker.Reader, wanted bool) *missing {
	m := &missing{reader: reader, names: make(chan string, mostMissing), done: make(chan struct{})}
	if !wanted {
		m.reader = nil
	}
	go m.serve()
	return m
}

func (m *missing) serve() {
	defer close(m.done)
	for name := range m.names {
		ctx, cancel := context.WithTimeout(context.Background(), makingTime)
		_, err := m.reader.CreateTopics(ctx, []broker.Topic{{Name: name, Partitions: 1}})
		cancel()
		var taken *broker.TakenError
		switch {
		case errors.As(err, &taken): // the broker made it meanwhile
		case err != nil:
			m.err = errors.Join(m.err, fmt.Errorf("make topic %s, which a client asked for: %w", name, err))
		default:
			m.made = append(m.made, name)
		}
	}
}

// look is proxy.Options.OnExchange: it is called once at a time, and must not wait.
func (m *missing) look(e evidence.Exchange) {
	if m.reader == nil || e.API != "Metadata" || e.Fields["allow_auto_topic_creation"] != "false" || !strings.Contains(e.Result, "UNKNOWN_TOPIC_OR_PARTITION") {
		return
	}
	names, _, _ := strings.Cut(e.Summary, " and ") // of many topics the first ones; the client asks again for what is missing
	for name := range strings.FieldsSeq(names) {
		if len(m.seen) < mostMissing && !slices.Contains(m.seen, name) {
			m.seen = append(m.seen, name)
			m.names <- name // has room for them all
		}
	}
}

// close waits for what is being made. Nobody may look any more.
func (m *missing) close() error {
	close(m.names)
	<-m.done
	return m.err
}
