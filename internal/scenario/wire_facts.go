package scenario

import (
	"fmt"
	"slices"

	"kcompare/internal/evidence"
)

// fact is a setting that shows in requests.
type fact struct {
	setting string // canonical name
	api     string
	field   string              // of evidence.Exchange.Fields
	word    func(string) string // how settings spell the value; nil: as it is
}

// factsOfProducers and factsOfConsumers are told in this order.
func factsOfProducers() []fact {
	return []fact{
		{"client.software.name", "ApiVersions", "client_software_name", nil},
		{"acks", "Produce", "acks", spelling{"-1": "all"}.of},
		{"request.timeout.ms", "Produce", "timeout_ms", nil},
		{"allow.auto.create.topics", "Metadata", "allow_auto_topic_creation", nil},
	}
}

func factsOfConsumers() []fact {
	return []fact{
		{"client.software.name", "ApiVersions", "client_software_name", nil},
		{"allow.auto.create.topics", "Metadata", "allow_auto_topic_creation", nil},
		{"auto.offset.reset", "ListOffsets", "timestamp", spelling{"-1": "latest", "-2": "earliest"}.of},
		{"isolation.level", "Fetch", "isolation_level", spelling{"0": "read_uncommitted", "1": "read_committed"}.of},
		{"fetch.wait.max.ms", "Fetch", "max_wait_ms", nil},
		{"fetch.min.bytes", "Fetch", "min_bytes", nil},
		{"fetch.max.bytes", "Fetch", "max_bytes", nil},
		{"max.partition.fetch.bytes", "Fetch", "partition_max_bytes", nil},
		{"partition.assignment.strategy", "JoinGroup", "protocols", nil},
		{"session.timeout.ms", "JoinGroup", "session_timeout_ms", nil},
		{"max.poll.interval.ms", "JoinGroup", "rebalance_timeout_ms", nil},
	}
}

// spelling is Kafka's numbers in the words of settings.
type spelling map[string]string

func (s spelling) of(value string) string {
	if word, known := s[value]; known {
		return word
	}
	return value
}

// wire asks what was seen in the requests of the clients of a story. The client's own
// reading comes after them, so what comes first is theirs.
type wire struct {
	exchanges []evidence.Exchange
	expected  map[string]string // setting to what is expected of it; nil: nothing is
}

// of is the first value of a field.
func (w wire) of(api, field string) string {
	for _, e := range w.exchanges {
		if value, has := e.Fields[field]; has && e.API == api {
			return value
		}
	}
	return ""
}

// first is the first request of an API.
func (w wire) first(api string) (evidence.Exchange, bool) {
	i := slices.IndexFunc(w.exchanges, func(e evidence.Exchange) bool { return e.API == api })
	if i < 0 {
		return evidence.Exchange{}, false
	}
	return w.exchanges[i], true
}

// answer is what a setting was found to be, beside what is expected of it.
func (w wire) answer(setting, value string) evidence.Answer {
	return evidence.Answer{Question: setting, Answer: value, Expected: w.expected[setting]}
}

func (w wire) answers(facts []fact) []evidence.Answer {
	var all []evidence.Answer
	for _, f := range facts {
		if f.setting == "allow.auto.create.topics" && w.namesNoTopic() {
			all = append(all, evidence.Answer{Question: f.setting, Answer: "not told, no topic is asked for"})
			continue
		}
		value := w.of(f.api, f.field)
		if f.word != nil {
			value = f.word(value)
		}
		all = append(all, w.answer(f.setting, value))
	}
	return all
}

// namesNoTopic: sarama asks for all topics when it starts, which makes none, and knows
// them then. Whether it would have one made shows with a topic that is missing.
func (w wire) namesNoTopic() bool {
	return w.of("Metadata", "topics") != "" && w.of("Metadata", "allow_auto_topic_creation") == ""
}

// clientID is in the header of every request.
func (w wire) clientID() evidence.Answer {
	value := ""
	if len(w.exchanges) > 0 {
		value = w.exchanges[0].Client
	}
	return w.answer("client.id", value)
}

// versions are those of requests that both sides agreed on. They depend on the broker,
// and so nothing is expected of them.
func (w wire) versions(apis ...string) []evidence.Answer {
	var all []evidence.Answer
	for _, api := range apis {
		value := "not sent"
		if e, sent := w.first(api); sent {
			value = fmt.Sprintf("v%d", e.Version)
		}
		all = append(all, evidence.Answer{Question: api + " version", Answer: value})
	}
	return all
}

// knownVersion is an answer that is missing where the catalogue has no defaults of the
// library's version: nothing can be claimed of it then.
func knownVersion(o *evidence.Observed, defaults map[string]string) []evidence.Answer {
	if len(defaults) > 0 {
		return nil
	}
	return []evidence.Answer{{Question: "the catalogue has " + o.Trial.Library}}
}

// batches are all of Produce, in the order of their requests.
func (w wire) batches() []evidence.TraceBatch {
	var all []evidence.TraceBatch
	for _, e := range w.exchanges {
		all = append(all, e.Batches...)
	}
	return all
}
