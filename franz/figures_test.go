package franz

import (
	"errors"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestCounters: what is written comes to an end, whatever that is called.
func TestCounters(t *testing.T) {
	const produce, metadata = int16(kmsg.Produce), int16(kmsg.Metadata)
	failed := errors.New("failed")
	var meta kgo.BrokerMetadata
	for _, tt := range []struct {
		name          string
		happens       func(*counters)
		written, open int64
	}{
		{"written", func(c *counters) { c.OnBrokerWrite(meta, produce, 100, 0, 0, nil) }, 1, 1},
		{"answered", func(c *counters) {
			c.OnBrokerWrite(meta, produce, 100, 0, 0, nil)
			c.OnBrokerE2E(meta, produce, kgo.BrokerE2E{BytesWritten: 100, BytesRead: 50})
		}, 1, 0},
		{"its connection ended while it was read", func(c *counters) {
			c.OnBrokerWrite(meta, produce, 100, 0, 0, nil)
			c.OnBrokerE2E(meta, produce, kgo.BrokerE2E{BytesWritten: 100, ReadErr: failed})
		}, 1, 0},
		{"its connection ended before its turn", func(c *counters) {
			c.OnBrokerWrite(meta, produce, 100, 0, 0, nil)
			c.OnBrokerE2E(meta, produce, kgo.BrokerE2E{BytesWritten: 100, WriteErr: failed})
		}, 1, 0},
		{"half written", func(c *counters) {
			c.OnBrokerWrite(meta, produce, 40, 0, time.Second, failed)
			c.OnBrokerE2E(meta, produce, kgo.BrokerE2E{BytesWritten: 40, WriteErr: failed})
		}, 0, 0},
		{"never written", func(c *counters) { c.OnBrokerE2E(meta, produce, kgo.BrokerE2E{WriteErr: failed}) }, 0, 0},
		{"another request", func(c *counters) { c.OnBrokerWrite(meta, metadata, 100, 0, 0, nil) }, 0, 0},
	} {
		var c counters
		tt.happens(&c)
		if written, open := c.written.Load(), c.begun.Load()-c.ended.Load(); written != tt.written || open != tt.open {
			t.Errorf("%s: %d written and %d open, expected %d and %d", tt.name, written, open, tt.written, tt.open)
		}
	}
}
