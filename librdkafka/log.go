//go:build cgo

package librdkafka

import (
	"fmt"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
)

// logs carries the library's log to Settings.Log. It takes lines even if nobody
// wants them: librdkafka waits for room in a full channel, and without a
// channel it writes to stderr.
type logs struct {
	lines chan kafka.LogEvent
	sink  func(string)
	done  chan struct{}
}

// startLogs begins to take lines. stop must be called once the client that
// writes to the channel is gone.
func startLogs(sink func(string)) *logs {
	if sink == nil {
		sink = func(string) {}
	}
	l := &logs{lines: make(chan kafka.LogEvent, 100), sink: sink, done: make(chan struct{})}
	go l.serve()
	return l
}

func (l *logs) serve() {
	defer close(l.done)
	for e := range l.lines {
		l.sink(fmt.Sprintf("%d %s %s: %s", e.Level, e.Tag, e.Name, e.Message))
	}
}

// event logs what the library told through its events and nobody else gets.
func (l *logs) event(e kafka.Event) {
	if err, ok := e.(kafka.Error); ok {
		l.sink("event " + codeName(err.Code()) + ": " + err.Error())
		return
	}
	l.sink(fmt.Sprintf("event %T: %s", e, e))
}

func (l *logs) stop() {
	close(l.lines)
	<-l.done
}
