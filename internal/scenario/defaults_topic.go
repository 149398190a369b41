package scenario

import (
	"context"
	"time"

	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// What becomes of a record to a topic that is not there.
const (
	missingWritten = "written"
	missingRefused = "UNKNOWN_TOPIC_OR_PARTITION"
)

// missingTopic writes one record to a topic that the broker would make.
func missingTopic(name, claim string) Variant {
	v := bare(name, claim)
	v.Missing = missingTopicRole
	v.Checks = []evidence.Check{check(evidence.LostRecords, "==", 0), check(evidence.LogRecords, "==", evidence.Acked)}
	v.About = func(Parameters) string {
		return "one record to a topic that is not there; the broker makes it for a client that allows that."
	}
	v.Records = func(_ Parameters, place partition.Func) []fault.Record {
		return []fault.Record{recordNotThere().planned(place, 1)}
	}
	v.Run = func(ctx context.Context, s *Stage) error {
		p, err := s.NewProducer("")
		if err != nil {
			return err
		}
		from := s.Elapsed()
		p.Send(ctx, recordNotThere())
		if err := p.Wait(ctx); err != nil {
			return err
		}
		s.Answer(measured("reported after", millis((s.Elapsed() - from).Round(time.Millisecond))))
		return nil
	}
	return v
}

func recordNotThere() Message {
	return Message{Topic: missingTopicRole, ID: evidence.RecordID{Role: missingTopicRole, N: 0}, Value: []byte("record 0")}
}

func defaultMissingTopic() Variant {
	v := missingTopic("topic=missing", "the record is written where a producer allows topics to be made by default, and fails where it does not")
	v.Conclude = func(o *evidence.Observed) []evidence.Answer {
		return append(knownVersion(o, o.Defaults), concludeMissing(o, o.Defaults["allow.auto.create.topics"])...)
	}
	return v
}

func madeMissingTopic() Variant {
	v := missingTopic("allow.auto.create.topics=true,topic=missing", "the record is written where the producer allows topics to be made")
	v.Settings = map[string]string{"allow.auto.create.topics": "true"}
	v.Conclude = func(o *evidence.Observed) []evidence.Answer { return concludeMissing(o, "true") }
	return v
}

// concludeMissing says what the client was told, and what that setting promises.
func concludeMissing(o *evidence.Observed, allowed string) []evidence.Answer {
	w := wire{o.Trace.Exchanges, map[string]string{
		"allow.auto.create.topics": allowed,
		"record to a missing topic": map[string]string{
			"true": missingWritten, "false": missingRefused,
		}[allowed],
	}}
	told := ""
	for _, s := range o.Sends {
		switch {
		case s.Outcome == evidence.OutcomeAcked:
			told = missingWritten
		case s.Error != nil:
			told = s.Error.Code
		}
	}
	return append(w.answers([]fact{{"allow.auto.create.topics", "Metadata", "allow_auto_topic_creation", nil}}),
		w.answer("record to a missing topic", told))
}
