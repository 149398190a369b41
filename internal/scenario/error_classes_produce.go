package scenario

import (
	"context"
	"fmt"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// This file has the cells of an idempotent producer without transactions: one answered
// error on the first Produce of a record, then a second record to the same partition.

// cellTime bounds one cell. No library that was seen needs a tenth of it; one that
// asks for ever is given up, and a new client goes on.
const cellTime = 30 * time.Second

// produceCells is the promise of idempotence under each code. Whom a broker tells that it
// wrote nothing, and it did, may write again under another number: that promise is
// about loss alone.
func produceCells(mode answering, errors []kafkaError) Variant {
	v := producing(mode, errors)
	v.Name, v.Kind = fmt.Sprintf("call=Produce,mode=%s", mode), evidence.Promise
	v.Settings = map[string]string{"acks": "all", "enable.idempotence": "true"}
	v.Needs = drivers.Abilities{Idempotence: true}
	v.Claim = "nothing acknowledged is missing, nothing stands twice"
	v.Checks = []evidence.Check{check(evidence.LostRecords, "==", 0), check(evidence.Duplicates, "==", 0)}
	v.Allowed = []evidence.AnomalyKind{evidence.FailedButPresent}
	if mode == denied {
		v.Claim = "nothing acknowledged is missing; what stands twice shows who gave it another number"
		v.Checks = v.Checks[:1]
		v.Allowed = append(v.Allowed, evidence.Duplicate)
	}
	return v
}

// withoutNumbers is the control: what the broker has written is written again.
func withoutNumbers() Variant {
	v := producing(afterwards, afterWriting())
	v.Name, v.Kind = "call=Produce,enable.idempotence=false,mode=after", evidence.Control
	v.Settings = map[string]string{"acks": "all", "enable.idempotence": "false"}
	v.Claim = "without idempotence each of these codes leaves a duplicate"
	v.Checks = []evidence.Check{check(evidence.Duplicates, "==", len(afterWriting())), check(evidence.LostRecords, "==", 0)}
	v.Allowed = []evidence.AnomalyKind{evidence.Duplicate, evidence.FailedButPresent}
	return v
}

func producing(mode answering, errors []kafkaError) Variant {
	cells := cellsOf(errors)
	return Variant{
		About: func(Parameters) string {
			return fmt.Sprintf("%s, each on the first Produce of a record, %s; then a second record from the same producer.", plural(len(cells), "error code"), mode.inWords())
		},
		OneRecordPerBatch: true,
		Repeats:           true,
		Plan: func(Parameters) fault.Plan {
			var plan fault.Plan
			for _, c := range cells {
				plan = append(plan, c.rule(mode, fault.Selector{API: "Produce", Record: c.order(hitTurn).ID.String(), Attempts: 1}, ""))
			}
			return plan
		},
		Records: func(p Parameters, place partition.Func) []fault.Record {
			var records []fault.Record
			for _, c := range cells {
				for _, t := range []turn{hitTurn, nextTurn} {
					records = append(records, c.order(t).planned(place, p.PartitionsOf(shopPartitions)))
				}
			}
			return records
		},
		Run:      func(ctx context.Context, s *Stage) error { return produceEach(ctx, s, cells) },
		Conclude: func(o *evidence.Observed) []evidence.Answer { return tellRecords(o, cells) },
	}
}

// produceEach plays the cells with one producer as long as it lives: a producer whose
// next record fails is given up for a new one.
func produceEach(ctx context.Context, s *Stage, cells []errorCell) error {
	var p *Producer
	made := 0
	for _, c := range cells {
		if p == nil {
			var err error
			if p, err = s.NewProducer(""); err != nil {
				return err
			}
			made++
		}
		lives, err := p.playCell(ctx, c)
		if err != nil {
			return err
		}
		if !lives {
			if err := p.Close(); err != nil {
				return err
			}
			p = nil
		}
	}
	s.Answer(measured("producers needed", fmt.Sprint(made))) // see cell.next
	return nil
}

// playCell says whether the producer lives on.
func (p *Producer) playCell(ctx context.Context, c errorCell) (lives bool, err error) {
	limited, cancel := context.WithTimeout(ctx, cellTime)
	defer cancel()
	for _, t := range []turn{hitTurn, nextTurn} {
		p.who = c.who(t)
		p.failed.Store(0)
		p.Send(limited, c.order(t))
		if err := p.Wait(limited); err != nil {
			return false, ctx.Err()
		}
	}
	return !p.Failed(), nil
}
