package verify

import (
	"math/rand/v2"
	"time"

	"kcompare/internal/broker"
	"kcompare/internal/config"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// ofProducers is Experiment.Roles of what only producers do.
var ofProducers = []config.Role{config.Producer}

// producing are the experiments of producers.
func producing() []Experiment {
	return []Experiment{
		written(), compressed(), bulk(), many(), largest(), lateFirst(), room("queue.buffering.max.messages"), room("queue.buffering.max.kbytes"),
		lingering(), outstanding(), sticking(),
		retried(), backedOff(), backedOffMost(), unanswered(), unsent(), inFlightForGood(), gapped(),
	}
}

// onlyTopic is that of experiments in which the partition does not matter. It takes
// records of any size.
const onlyTopic = "kcompare-verify"

func onePartition() []broker.Topic {
	return []broker.Topic{{Name: onlyTopic, Partitions: 1, Config: map[string]string{"max.message.bytes": "1000000000"}}}
}

// everyProduce hits each Produce that has records, the first so many.
func everyProduce(action fault.Action, first int, more fault.Rule) fault.Plan {
	more.Name, more.Action = string(action), action
	more.Select = fault.Selector{API: "Produce", Role: onlyTopic, First: first, Probability: 1}
	return fault.Plan{more}
}

// always is more requests than any experiment waits for.
const always = 100_000

// noAnswers is why nothing can be done to the answers of Produce.
func noAnswers(s Settings) string {
	if s["acks"] == "0" {
		return because(s, "acks", "the broker does not answer").Not
	}
	return ""
}

// noise is bytes that no codec makes shorter, the same in every run.
func noise(n int) []byte {
	value := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{}).Read(value) // never fails
	return value
}

// arrived is when a request came.
func arrived(e evidence.Exchange) time.Duration { return time.Duration(e.At) * time.Microsecond }

// gaps are the times between Produce requests.
func gaps(trace []evidence.Exchange) []time.Duration {
	var all []time.Duration
	attempts := writes(trace)
	for i := 1; i < len(attempts); i++ {
		all = append(all, arrived(attempts[i])-arrived(attempts[i-1]))
	}
	return all
}
