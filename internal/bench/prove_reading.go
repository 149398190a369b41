package bench

import (
	"context"
	"fmt"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// The short runs of those that read.

// reading reads a topic that has more than one answer to Fetch takes, while the first
// answers come late.
func (p *proof) reading(ctx context.Context) error {
	records, err := p.writeInput(ctx)
	if err != nil {
		return err
	}
	if err := p.ready(ctx, p.Work); err != nil {
		return fmt.Errorf("make it ready: %w", err)
	}
	played, err := p.play(ctx, Turn{Topic: p.early(), Load: evidence.BenchLoad{Partitions: p.load.Partitions, Keys: p.load.Keys}}, records)
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	p.seen.Partitions = readFrom(played.Runs)
	fetches := of(p.trace(), "Fetch")
	seeReads(&p.seen, fetches)
	p.seen.InFlight = inFlight(fetches, lateness)
	return nil
}

// processing has all of its input in one transaction, so that its output fills batches.
func (p *proof) processing(ctx context.Context) error {
	records, err := p.writeInput(ctx)
	if err != nil {
		return err
	}
	if err := p.ready(ctx, p.Work); err != nil {
		return fmt.Errorf("make it ready: %w", err)
	}
	turn := Turn{Topic: p.early(), Out: p.late(), Load: evidence.BenchLoad{Partitions: p.load.Partitions, Keys: p.load.Keys}}
	if _, err := p.play(ctx, turn, records); err != nil {
		return fmt.Errorf("read, process and write: %w", err)
	}
	written := writes(p.trace(), p.late())
	seeWrites(&p.seen, written, written)
	seeReads(&p.seen, of(p.trace(), "Fetch"))
	p.seen.Partitions = partitions(written)
	p.noLinger(whyNoLinger)
	return p.seeRecords(ctx)
}

func readFrom(runs []drivers.Run) int {
	seen := map[drivers.TopicPartition]bool{}
	for _, run := range runs {
		seen[run.TopicPartition] = true
	}
	return len(seen)
}

const (
	written  = 400 // records of a batch of the input: small beside what a Fetch takes
	mostRead = 24 << 20
)

// writeInput writes half as much again into each partition as a Fetch may take of it.
func (p *proof) writeInput(ctx context.Context) (records int64, err error) {
	bytes := min(1.5*p.number("max.partition.fetch.bytes", 1<<20), mostRead/float64(p.load.Partitions))
	batches := int(bytes)/(written*(p.load.RecordBytes+overhead)) + 1
	for range batches {
		var batch []drivers.Record
		for partition := range p.load.Partitions {
			for range written {
				r := recordOf(records+int64(len(batch)), p.load)
				r.Topic, r.Partition = p.early(), partition
				batch = append(batch, r)
			}
		}
		if err := p.reader.Write(ctx, batch); err != nil {
			return 0, fmt.Errorf("write what is to be read: %w", err)
		}
		records += int64(len(batch))
	}
	return records, nil
}
