package franz

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/drivers"
)

// counters is what kgo's hooks tell of a producer. kgo keeps no numbers of its own but
// that of buffered records; what programs see on a dashboard is counted so (plugin/kprom,
// plugin/kotel).
type counters struct {
	taken   atomic.Int64 // OnProduceRecordBuffered
	sent    atomic.Int64 // OnProduceBatchWritten: records of batches that "are known to be successfully produced"
	written atomic.Int64 // OnBrokerWrite: Produce requests without an error
	begun   atomic.Int64 // OnBrokerWrite: those of which any byte was written
	ended   atomic.Int64 // OnBrokerE2E: those that were answered, or given up
}

func (c *counters) OnProduceRecordBuffered(*kgo.Record) { c.taken.Add(1) }

func (c *counters) OnProduceBatchWritten(_ kgo.BrokerMetadata, _ string, _ int32, m kgo.ProduceBatchMetrics) {
	c.sent.Add(int64(m.NumRecords))
}

func (c *counters) OnBrokerWrite(_ kgo.BrokerMetadata, key int16, bytes int, _, _ time.Duration, err error) {
	if key != int16(kmsg.Produce) {
		return
	}
	if bytes > 0 {
		c.begun.Add(1)
	}
	if err == nil {
		c.written.Add(1)
	}
}

// OnBrokerE2E is called for requests that were never written too; and for one that was
// written and whose connection ended before its turn to be answered with a WriteErr,
// though OnBrokerWrite had none (kgo/broker.go, handleResps).
func (c *counters) OnBrokerE2E(_ kgo.BrokerMetadata, key int16, e kgo.BrokerE2E) {
	if key == int16(kmsg.Produce) && e.BytesWritten > 0 {
		c.ended.Add(1)
	}
}

// Figures is drivers.Teller. kgo tells nothing of records in flight, of repetitions, and
// of the state of a transaction.
func (p *producer) Figures(ctx context.Context) (drivers.Figures, error) {
	figures := drivers.Figures{drivers.RecordsWaiting: strconv.FormatInt(p.cl.BufferedProduceRecords(), 10)}
	if c := p.counters; c != nil {
		ended := c.ended.Load() // before what was begun, so that it is never more
		open := c.begun.Load() - ended
		figures[drivers.RecordsTaken] = strconv.FormatInt(c.taken.Load(), 10)
		figures[drivers.RecordsSent] = strconv.FormatInt(c.sent.Load(), 10)
		figures[drivers.ProduceRequests] = strconv.FormatInt(c.written.Load(), 10)
		figures[drivers.RequestsOpen] = strconv.FormatInt(open, 10)
	}
	_, epoch, err := p.cl.ProducerID(ctx)
	if err != nil {
		return figures, fmt.Errorf("figures: %w", errorOf("producer id", err))
	}
	figures[drivers.ProducerEpoch] = strconv.Itoa(int(epoch))
	return figures, nil
}
