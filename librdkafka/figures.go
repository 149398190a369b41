//go:build cgo

package librdkafka

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"

	"kcompare/drivers"
)

// statisticsInterval is how often librdkafka is to speak, in milliseconds: often enough
// to be waited for.
const statisticsInterval = 50

// figures keeps who waits for what librdkafka says of itself (statistics.interval.ms,
// STATISTICS.md).
type figures struct {
	began time.Time // before the library's client was made

	mu      sync.Mutex
	waiting []chan statistics
}

// statistics is the part of an event that is a figure here.
type statistics struct {
	Age      int64 `json:"age"`     // of the library's client, in microseconds
	Messages int64 `json:"msg_cnt"` // in queues
	Sent     int64 `json:"txmsgs"`
	Brokers  map[string]struct {
		WaitingRequests int64            `json:"waitresp_cnt"`
		WaitingMessages int64            `json:"waitresp_msg_cnt"`
		Retries         int64            `json:"txretries"`
		Requests        map[string]int64 `json:"req"`
	} `json:"brokers"`
	Topics map[string]struct {
		Partitions map[string]struct {
			Messages int64 `json:"msgs"`
		} `json:"partitions"`
	} `json:"topics"`
	EOS struct {
		TransactionState string `json:"txn_state"`
		Epoch            int    `json:"producer_epoch"`
	} `json:"eos"`
}

// unassigned is the partition that librdkafka has for records without one.
const unassigned = "-1"

// event takes what librdkafka says.
func (f *figures) event(text string) {
	var s statistics
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return // whoever waits will wait on, and say so
	}
	f.mu.Lock()
	waiting := f.waiting
	f.waiting = nil
	f.mu.Unlock()
	for _, one := range waiting {
		one <- s
	}
}

// fresh is the first event of which nothing is older than the call. Others may have been
// on their way already, and several of them on a machine that has other things to do.
func (f *figures) fresh(ctx context.Context) (statistics, error) {
	called := time.Since(f.began)
	for {
		s, err := f.next(ctx)
		if err != nil || s.Age >= called.Microseconds() {
			return s, err
		}
	}
}

// next is the first event that comes after the call.
func (f *figures) next(ctx context.Context) (statistics, error) {
	one := make(chan statistics, 1)
	f.mu.Lock()
	f.waiting = append(f.waiting, one)
	f.mu.Unlock()
	select {
	case s := <-one:
		return s, nil
	case <-ctx.Done():
		return statistics{}, ctx.Err()
	}
}

// Figures is drivers.Teller.
func (p *producer) Figures(ctx context.Context) (drivers.Figures, error) {
	s, err := p.figures.fresh(ctx)
	if err != nil {
		return nil, fmt.Errorf("figures: librdkafka did not speak: %w", err)
	}
	return s.figures(p.transactional), nil
}

func (s statistics) figures(transactional bool) drivers.Figures {
	var taken, requests, again, openRequests, openRecords int64
	for _, t := range s.Topics {
		for number, p := range t.Partitions {
			if number != unassigned { // records wait there for the metadata, and are counted again
				taken += p.Messages
			}
		}
	}
	for _, b := range s.Brokers {
		requests += b.Requests["Produce"]
		again += b.Retries
		openRequests += b.WaitingRequests
		openRecords += b.WaitingMessages
	}
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	all := drivers.Figures{
		drivers.RecordsTaken: number(taken), drivers.RecordsSent: number(s.Sent), drivers.RecordsWaiting: number(s.Messages),
		drivers.RecordsInFlight: number(openRecords), drivers.ProduceRequests: number(requests),
		drivers.RequestsAgain: number(again), drivers.RequestsOpen: number(openRequests),
		drivers.ProducerEpoch: strconv.Itoa(s.EOS.Epoch),
	}
	if transactional {
		all[drivers.TransactionState] = s.EOS.TransactionState
	}
	return all
}

// told hands on what is no report: statistics, or what the log gets.
func (p *producer) told(e kafka.Event) {
	if s, ok := e.(*kafka.Stats); ok {
		p.figures.event(s.String())
		return
	}
	p.logs.event(e)
}
