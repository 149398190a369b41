package verify

import (
	"context"
	"fmt"

	"kcompare/drivers"
)

// Producer is the client of a stand that writes, in one transaction where its settings
// are those of a transactional producer.
type Producer struct {
	stand *Stand
	lib   drivers.Producer
	txn   drivers.TransactionalProducer // nil without a transactional.id
}

// Producer makes one, and begins its transaction. The stand closes it.
func (s *Stand) Producer(ctx context.Context) (*Producer, error) {
	settings := bare(s.Settings, s.proxy.Bootstrap())
	if !s.Settings.Transactional() {
		lib, err := s.candidate.Driver.NewProducer(settings)
		if err != nil {
			return nil, err
		}
		s.closeLater(lib.Close)
		return &Producer{stand: s, lib: lib}, nil
	}
	txn, err := s.candidate.Driver.NewTransactionalProducer(settings)
	if err != nil {
		return nil, err
	}
	s.closeLater(txn.Close)
	if err := txn.Init(ctx); err != nil {
		return nil, err
	}
	return &Producer{stand: s, lib: txn, txn: txn}, txn.Begin(ctx)
}

// Send hands one record over and returns its number. It waits while the library has no
// room, until ctx ends.
func (p *Producer) Send(ctx context.Context, r drivers.Record) int {
	s := p.stand
	r.Partition = drivers.AnyPartition
	s.mu.Lock()
	n := len(s.sends)
	s.sends = append(s.sends, Send{Key: r.Key, Bytes: len(r.Value), At: s.Elapsed()})
	s.mu.Unlock()
	p.lib.Produce(ctx, r, func(d drivers.Delivery) {
		s.change(n, func(send *Send) {
			send.Reported = s.Elapsed()
			if d.Err != nil {
				send.Failed = d.Err.Code
			}
		})
		s.news.send()
	})
	s.change(n, func(send *Send) { send.Taken = s.Elapsed() })
	return n
}

func (s *Stand) change(n int, change func(*Send)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		change(&s.sends[n])
	}
}

// Sent is what is known of a record by now.
func (s *Stand) Sent(n int) Send {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sends[n]
}

// Report waits until the client has reported on a record.
func (p *Producer) Report(ctx context.Context, n int) (Send, error) {
	err := p.stand.news.await(ctx, fmt.Sprintf("the client's report on record %d", n), func() bool { return p.stand.Sent(n).Reported > 0 })
	return p.stand.Sent(n), err
}

// Write hands one record over, has it sent without lingering, and waits until it is
// reported. The error says that the client gave it up.
func (p *Producer) Write(ctx context.Context, r drivers.Record) error {
	n := p.Send(ctx, r)
	if err := p.Flush(ctx); err != nil {
		return err
	}
	return p.stand.failed(n)
}

// failed is an error where the client has given a record up.
func (s *Stand) failed(n int) error {
	if code := s.Sent(n).Failed; code != "" {
		return fmt.Errorf("the client gave record %d up: %s", n+1, code)
	}
	return nil
}

// Flush sends what lingers, and waits until all is reported.
func (p *Producer) Flush(ctx context.Context) error { return p.lib.Flush(ctx) }

// Commit ends the transaction, if there is one.
func (p *Producer) Commit(ctx context.Context) error {
	if p.txn == nil {
		return nil
	}
	_, err := p.txn.Commit(ctx)
	return err
}
