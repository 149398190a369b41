package scenario

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"kcompare/internal/evidence"
)

// This file has the case E05: a producer whose id the broker has forgotten.

// mostRefused is how often a client may ask with an id that is unknown before that is a
// loop: once with each call of a transaction.
const mostRefused = 5

// expiredID is E05 as the proxy tells it: the broker knows the id, and says once that it
// does not.
func expiredID() Variant {
	k := ofExpired(instead)
	return k.expiring("case=E05,expiry=answered")
}

// The settings under which an id is forgotten soon, and how long that takes at most
// (TransactionStateManager.scala, removeExpiredTransactionalIds).
const (
	idExpires = 3 * time.Second
	idSwept   = 200 * time.Millisecond
	forgotten = 7 * time.Second
)

// forgottenID is E05 as it happens by itself: the id was not used for a while.
func forgottenID() Variant {
	k := ofExpired("")
	v := k.expiring("case=E05,expiry=natural")
	cells := cellsOf(k.errors)
	v.NeedsKafka = "an expired id is answered otherwise there, and librdkafka never recovers (docs/brokers.md, expired-write and expired-init)"
	v.BrokerRows = nil // it never runs there
	v.BrokerSettings = map[string]string{
		"transactional.id.expiration.ms":                             fmt.Sprint(idExpires.Milliseconds()),
		"transaction.remove.expired.transaction.cleanup.interval.ms": fmt.Sprint(idSwept.Milliseconds()),
	}
	v.About = func(Parameters) string {
		return fmt.Sprintf("The broker forgets ids that were not used for %v; a producer gets ready, nothing happens for %v, and it writes two transactions.", idExpires, forgotten)
	}
	v.Plan = noFaults
	v.Run = func(ctx context.Context, s *Stage) error { return k.playForgotten(ctx, s, cells[0]) }
	tell := v.Conclude
	v.Conclude = func(o *evidence.Observed) []evidence.Answer {
		return append(tell(o), evidence.Answer{Question: "the broker has forgotten the id", Answer: saysForgotten(o)})
	}
	return v
}

func ofExpired(mode answering) transactionCall {
	return transactionCall{api: "Produce", said: "produce", errors: []kafkaError{invalidMapping}, mode: mode, rows: []string{refusedNumber}}
}

func (k transactionCall) expiring(name string) Variant {
	v := k.variant()
	v.Name = name
	v.Claim = "a producer whose id is forgotten loses nothing and does not ask for ever"
	tell := v.Conclude
	v.Conclude = func(o *evidence.Observed) []evidence.Answer {
		return append(tell(o), evidence.Answer{Question: "asks for ever", Answer: loops(o), Expected: "no"})
	}
	return v
}

func (k transactionCall) playForgotten(ctx context.Context, s *Stage, c errorCell) error {
	p, err := c.producer(s)
	if err != nil {
		return err
	}
	if err := p.Init(ctx); err != nil {
		return err
	}
	if err := s.Pause(ctx, forgotten); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, cellTime)
	defer cancel()
	if k.goOn(limited, p, nil, c) {
		return p.Close()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	heir, err := p.restart(ctx)
	if err != nil {
		return err
	}
	return heir.Close()
}

// loops counts the answers that said that the id is unknown.
func loops(o *evidence.Observed) string {
	if refused := countRequests(o, deniesID); refused > mostRefused {
		return fmt.Sprintf("%d times", refused)
	}
	return "no"
}

// saysForgotten has no answer where the broker knew the id all the time: then nothing
// was shown.
func saysForgotten(o *evidence.Observed) string {
	if countRequests(o, deniesID) == 0 {
		return ""
	}
	return "yes"
}

// deniesID says whether a client was told that its id is unknown.
func deniesID(e evidence.Exchange) bool {
	return e.Delivered && slices.Contains(strings.Split(e.Result, ", "), invalidMapping.name)
}
