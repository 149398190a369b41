package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"kcompare/internal/evidence"
)

// The short run of a producer.

// writing writes more than fits into full batches while answers come late, and then single
// records at leisure, which tells of linger.ms: by then a virtual machine has compiled what
// a record passes through. What is cold shows in the first batches alone: an idempotent
// franz-go has one request of a partition in flight until the first answer (kgo/sink.go,
// recBuf.okOnSink).
func (p *proof) writing(ctx context.Context) error {
	work := p.stage()
	if err := p.ready(ctx, work); err != nil {
		return fmt.Errorf("make it ready: %w", err)
	}
	if err := p.fill(ctx); err != nil {
		return err
	}
	if work == evidence.BenchLatency {
		if err := p.linger(ctx); err != nil {
			return err
		}
	} else {
		p.noLinger(p.whyNoLinger())
	}
	if err := p.spread(ctx); err != nil {
		return err
	}
	early, late := writes(p.trace(), p.early()), writes(p.trace(), p.late())
	seeWrites(&p.seen, late, append(slices.Clone(early), late...))
	p.seen.Partitions = partitions(early)
	return p.seeRecords(ctx)
}

func (p *proof) seeRecords(ctx context.Context) (err error) {
	p.seen.RecordBytes, err = p.recordBytes(ctx)
	return err
}

// stage is the work that the client is made for. A producer that can pace its records does
// so at any rate, none included.
func (p *proof) stage() evidence.BenchWork {
	switch {
	case p.Work == evidence.BenchTransactions:
		return p.Work
	case p.player.About().Can.Paced:
		return evidence.BenchLatency
	}
	return evidence.BenchProduce
}

// whyNoLinger is for works with transactions.
const whyNoLinger = "a commit does not wait for it"

// whyNoSingle is for tools that keep latencies to themselves (Played.Told).
const whyNoSingle = "it tells no latency of a single record"

func (p *proof) whyNoLinger() string {
	if p.Work == evidence.BenchTransactions {
		return whyNoLinger
	}
	return "this client does not pace its records"
}

// noLinger notes why it was not seen.
func (p *proof) noLinger(why string) {
	p.seen.NotSeen = map[string]string{evidence.SettingLinger: why}
}

const (
	leastOnes = 5    // records of which the least is taken
	mostOnes  = 40   // of them
	lingering = 1000 // milliseconds, that all of them may take together unless they are the fewest
)

// linger writes records so far apart that each goes alone. Where they do not, the client
// lingers for longer than it was told, and they are written farther apart.
func (p *proof) linger(ctx context.Context) error {
	apart := p.number("linger.ms", 5) + 20 // milliseconds
	for range 3 {
		ones := int64(min(max(lingering/apart, leastOnes), mostOnes)) + firstOnes + 1
		before := len(writes(p.trace(), p.early()))
		played, err := p.play(ctx, Turn{Topic: p.early(), Load: p.paced(1000 / apart)}, ones)
		if err != nil {
			return fmt.Errorf("single records: %w", err)
		}
		if len(played.Latencies) == 0 { // a tool that only sums them up
			p.noLinger(whyNoSingle)
			return nil
		}
		if ms, ok := lingered(writes(p.trace(), p.early())[before:], played.Latencies); ok {
			p.seen.LingerMS = &ms
			return nil
		}
		apart *= 4
	}
	p.noLinger(fmt.Sprintf("records went together that were %.0f ms apart", apart/4))
	return nil
}

func (p *proof) paced(rate float64) evidence.BenchLoad {
	return evidence.BenchLoad{Partitions: p.load.Partitions, Keys: p.load.Keys, Rate: rate}
}

func (p *proof) trace() []evidence.Exchange { return p.proxy.Observed().Trace.Exchanges }

// spread writes until there is a record in every partition, or enough to believe that
// there will be none: a library without keys keeps to a partition for a while, by time or by
// bytes.
func (p *proof) spread(ctx context.Context) error {
	for round := range 6 {
		if partitions(writes(p.trace(), p.early())) >= int(p.load.Partitions) {
			break
		}
		load := p.paced(100)
		records := int64(8 * p.load.Partitions)
		if round%2 == 0 || !p.player.About().Can.Paced {
			load.Rate, records = 0, max(p.load.Keys, int64(p.load.Partitions)*p.inBatches(3))
		}
		if _, err := p.play(ctx, Turn{Topic: p.early(), Load: load}, records); err != nil {
			return fmt.Errorf("records for every partition: %w", err)
		}
	}
	return nil
}

const (
	enoughBatches = 10      // of a partition, so that some are full whatever went before
	mostRecords   = 400_000 // of a turn, however small they are
	overhead      = 10      // bytes of a record in a batch, about
	manyKeys      = 1000    // of a topic of at most mostLate partitions
)

// inBatches is how many records so many full batches have.
func (p *proof) inBatches(batches float64) int64 {
	bytes := min(p.number("batch.size", 131072), 4<<20)
	return int64(batches*bytes)/int64(p.load.RecordBytes+overhead) + 1
}

// fill writes so much that batches fill to their limit. Records have keys, whatever those
// of the work have, so that there is something to send for every partition all the time: an
// idempotent librdkafka has one request of a partition in flight where batches have more
// than four records (rdkafka_broker.c, rd_kafka_toppar_producer_serve, takes five less the
// messages in flight), and chance would decide how many of a connection.
func (p *proof) fill(ctx context.Context) error {
	records := min(p.inBatches(enoughBatches)*int64(p.latePartitions()), mostRecords)
	load := evidence.BenchLoad{Partitions: p.latePartitions(), Keys: manyKeys}
	if _, err := p.play(ctx, Turn{Topic: p.late(), Load: load}, records); err != nil {
		return fmt.Errorf("full batches: %w", err)
	}
	if p.config["acks"] != "0" {
		return nil
	}
	return p.arrive(ctx, p.late(), records)
}

// arrive waits until so many records have come by, for a while: a client that asks for no
// acks is done before they have. Whether any is lost is for the rounds to say.
func (p *proof) arrive(ctx context.Context, topic string, records int64) error {
	quiet, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	for recordsOf(writes(p.trace(), topic)) < records {
		select {
		case <-tick.C:
		case <-quiet.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

func recordsOf(requests []evidence.Exchange) int64 {
	var n int64
	for _, e := range requests {
		for _, b := range e.Batches {
			n += int64(b.Records)
		}
	}
	return n
}
