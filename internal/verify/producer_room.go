package verify

import (
	"context"
	"fmt"
	"time"

	"kcompare/drivers"
)

const (
	mostWaiting = 20_000 // records; more are for --deep
	roomTrials  = 40     // records that fill queue.buffering.max.kbytes
)

// room counts the records that the client takes while nothing leaves it.
func room(key string) Experiment {
	messages := key == "queue.buffering.max.messages"
	records := func(s Settings) int {
		if messages {
			return int(s.Number(key, 0))
		}
		return roomTrials
	}
	bytes := func(s Settings) int {
		if messages {
			return 1
		}
		return int(s.Number(key, 0)) * 1024 / roomTrials
	}
	return Experiment{
		Name: "room: " + key, Roles: ofProducers, About: "records are handed over while nothing leaves the client, until it takes no more",
		Topics: onePartition(),
		Wants: func(s Settings) string {
			switch {
			case !s.Has(key):
				return key + " is not set: there is room for more records than are written here"
			case records(s) == 0:
				return because(s, key, "there is no limit").Not
			case records(s) > mostWaiting, bytes(s) > batchBytes(s)/2:
				return because(s, key, "there is room for more than is written here").Not
			case messages:
				return roomFor(without(s, key), records(s)+1, 1)
			}
			return roomFor(without(s, key), roomTrials+1, 1)
		},
		Play: func(ctx context.Context, s *Stand) error {
			taken, err := fill(ctx, s, 2*records(s.Settings)+1, bytes(s.Settings))
			if err != nil {
				return err
			}
			text := fmt.Sprintf("room for %d records (%d B each)", taken, bytes(s.Settings))
			if taken > 2*records(s.Settings) {
				text += " and more"
			}
			s.Note("room", Observation{Text: text, Number: float64(taken * bytes(s.Settings))})
			return nil
		},
		Sights: []Sight{{Key: key, Timed: true, See: noted("room"), Alike: near(0.06, 0)}},
	}
}

func without(s Settings, key string) Settings {
	rest := Settings{}
	for k, v := range s {
		if k != key {
			rest[k] = v
		}
	}
	return rest
}

// fill hands records over until one is not taken, or so many are.
func fill(ctx context.Context, s *Stand, most, bytes int) (taken int, err error) {
	const patience = 300 * time.Millisecond
	p, err := s.Producer(ctx)
	if err != nil {
		return 0, err
	}
	lift, err := s.Hold()
	if err != nil {
		return 0, err
	}
	defer lift()
	value := noise(bytes)
	for taken < most {
		waiting, stop := context.WithTimeout(ctx, patience)
		n := p.Send(waiting, drivers.Record{Topic: onlyTopic, Value: value})
		full := waiting.Err() != nil
		stop()
		if full {
			_, err := p.Report(ctx, n)
			return taken, err
		}
		taken++
	}
	return taken, nil
}
