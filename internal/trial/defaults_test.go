package trial_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/evidence"
	"kcompare/internal/trial"
)

// client is one of the two libraries.
func client(t *testing.T, name string) drivers.Driver {
	t.Helper()
	all := clients(t)
	return all[slices.IndexFunc(all, func(d drivers.Driver) bool { return d.Client() == name })]
}

// found is the answers of a trial that holds, by question.
func found(t *testing.T, variant, clientName string) map[string]string {
	t.Helper()
	got := play(t, specOf(t, "defaults", variant, client(t, clientName)))
	if got.Verdict != evidence.Holds {
		t.Fatalf("%s of %s is %s: %q", variant, clientName, got.Verdict, got.Reasons)
	}
	all := map[string]string{}
	for _, a := range got.Answers {
		all[a.Question] = a.Answer
	}
	return all
}

// expectFound compares the answers that are named.
func expectFound(t *testing.T, variant string, want map[string]map[string]string) {
	t.Helper()
	for name, answers := range want {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := found(t, variant, name)
			maps.DeleteFunc(got, func(question, _ string) bool { _, asked := answers[question]; return !asked })
			if diff := cmp.Diff(answers, got); diff != "" {
				t.Errorf("answers (-want +got):\n%s", diff)
			}
		})
	}
}

// TestI03I14IdempotenceByDefault: franz-go asks for a producer id and numbers its batches
// without being told to, librdkafka does not.
func TestI03I14IdempotenceByDefault(t *testing.T) {
	expectFound(t, "role=producer", map[string]map[string]string{
		"franz":      {"enable.idempotence": "true", "InitProducerId version": "v5"},
		"librdkafka": {"enable.idempotence": "false", "InitProducerId version": "not sent"},
	})
}

// TestB01T14DefaultIsolation: consumers with nothing set read the same log differently.
func TestB01T14DefaultIsolation(t *testing.T) {
	expectFound(t, "isolation.level=default", map[string]map[string]string{
		"franz":      {"offsets that the consumer gets": "0 1 3 4 6 7", "isolation.level": "read_uncommitted"},
		"librdkafka": {"offsets that the consumer gets": "0 1 6 7", "isolation.level": "read_committed"},
	})
}

// TestB02NewGroupWithoutOffsets: five records in the topic, a new group, nothing set.
func TestB02NewGroupWithoutOffsets(t *testing.T) {
	expectFound(t, "role=consumer", map[string]map[string]string{
		"franz":      {"records before the group that it gets": "5 of 5", "auto.offset.reset": "earliest"},
		"librdkafka": {"records before the group that it gets": "0 of 5", "auto.offset.reset": "latest"},
	})
}

// TestB04MissingTopic: the broker makes topics that clients ask for.
func TestB04MissingTopic(t *testing.T) {
	expectFound(t, "topic=missing", map[string]map[string]string{
		"franz":      {"record to a missing topic": "UNKNOWN_TOPIC_OR_PARTITION", "allow.auto.create.topics": "false"},
		"librdkafka": {"record to a missing topic": "written", "allow.auto.create.topics": "true"},
	})
	expectFound(t, "allow.auto.create.topics=true,topic=missing", map[string]map[string]string{
		"franz": {"record to a missing topic": "written"},
	})
}

// TestD09EndOffsetMinusRecords: commit 2, abort 2, commit 2 in one partition. The end
// offset is 9, there are six records, and nothing is missing.
func TestD09EndOffsetMinusRecords(t *testing.T) {
	for _, d := range clients(t) {
		t.Run(d.Client(), func(t *testing.T) {
			t.Parallel()
			got := play(t, specOf(t, "defaults", "isolation.level=read_committed", d))
			for metric, want := range map[evidence.Metric]int64{
				evidence.LogDelta: 9, evidence.LogRecords: 6, evidence.Visible: 4, evidence.LostRecords: 0,
			} {
				if got.Counts[metric] != want {
					t.Errorf("%s is %d, want %d", metric, got.Counts[metric], want)
				}
			}
			if len(got.Anomalies) > 0 || got.Verdict != evidence.Holds {
				t.Errorf("verdict is %s: %q; anomalies %v", got.Verdict, got.Reasons, got.Anomalies)
			}
		})
	}
}

// TestOtherDefaultsAreFoundOut: a library whose default is another one breaks the claim,
// and each setting is named. What a library takes for a contradiction is left out.
func TestOtherDefaultsAreFoundOut(t *testing.T) {
	for _, tt := range []struct {
		variant, client string
		set             map[string]string
		named           []string // beside the settings, which are named too
	}{
		{"role=producer", "librdkafka", map[string]string{
			"acks": "1", "allow.auto.create.topics": "false", "client.id": "other", "compression.type": "lz4",
			"partitioner": "murmur2_random", "request.timeout.ms": "1234",
		}, nil},
		{"role=producer", "librdkafka", map[string]string{"enable.idempotence": "true"}, nil},
		{"role=producer", "franz", map[string]string{
			"allow.auto.create.topics": "true", "client.id": "other", "compression.type": "none", "enable.idempotence": "false",
			"partitioner": "consistent_random", "request.timeout.ms": "1234",
		}, nil},
		{"role=transactional-producer", "franz", map[string]string{"transaction.timeout.ms": "12345"}, nil},
		{"answers=slow,role=producer", "librdkafka", map[string]string{"max.in.flight": "5"}, []string{"more than 5 requests in flight"}},
		{"role=consumer", "librdkafka", map[string]string{
			"auto.offset.reset": "earliest", "enable.auto.commit": "false", "fetch.max.bytes": "52428801", "fetch.min.bytes": "2",
			"fetch.wait.max.ms": "123", "isolation.level": "read_uncommitted", "max.partition.fetch.bytes": "1048577",
			"max.poll.interval.ms": "50000", "partition.assignment.strategy": "range", "session.timeout.ms": "46000",
		}, []string{"records before the group that it gets"}},
		{"isolation.level=default", "franz", map[string]string{"isolation.level": "read_committed"}, []string{"offsets that the consumer gets"}},
		{"isolation.level=read_committed", "franz", map[string]string{"isolation.level": "read_uncommitted"}, []string{"offsets that the consumer gets"}},
		{"topic=missing", "franz", map[string]string{"allow.auto.create.topics": "true"}, []string{"record to a missing topic"}},
		{"allow.auto.create.topics=true,topic=missing", "franz", map[string]string{"allow.auto.create.topics": "false"}, []string{"record to a missing topic"}},
		{"acks=1,compression.type=gzip,enable.idempotence=false", "librdkafka", map[string]string{
			"acks": "all", "allow.auto.create.topics": "false", "client.id": "rdkafka", "compression.type": "none",
			"enable.idempotence": "true", "request.timeout.ms": "30000",
		}, nil},
	} {
		t.Run(tt.variant+" "+tt.client, func(t *testing.T) {
			t.Parallel()
			other := meddler{Driver: client(t, tt.client), settings: func(set map[string]string) {
				if set["client.id"] != "kcompare" { // not the reading at the end
					maps.Copy(set, tt.set)
				}
			}}
			got := play(t, specOf(t, "defaults", tt.variant, other))
			if got.Verdict != evidence.Violated {
				t.Errorf("verdict is %s: %q", got.Verdict, got.Reasons)
			}
			for _, name := range append(tt.named, slices.Sorted(maps.Keys(tt.set))...) {
				if name != "max.in.flight" && !strings.Contains(strings.Join(got.Reasons, "\n"), name) {
					t.Errorf("%s is not named: %q", name, got.Reasons)
				}
			}
		})
	}
}

// nextVersion is a library that nobody has measured yet.
type nextVersion struct{ drivers.Driver }

func (n nextVersion) Library() drivers.Library {
	l := n.Driver.Library()
	l.Version += "-next"
	return l
}

// TestDefaultsOfAnotherVersion: nothing is claimed of a version that the catalogue does
// not have, and so nothing holds.
func TestDefaultsOfAnotherVersion(t *testing.T) {
	got := play(t, specOf(t, "defaults", "role=transactional-producer", nextVersion{franz.New()}))
	if got.Verdict != evidence.Inconclusive || !strings.Contains(strings.Join(got.Reasons, "\n"), "the catalogue has franz-go") {
		t.Errorf("verdict is %s: %q", got.Verdict, got.Reasons)
	}
}

// TestFieldsWhereTheyAreAskedFor: the settings in requests are kept in the trace of a
// variant that asks for them, and of no other.
func TestFieldsWhereTheyAreAskedFor(t *testing.T) {
	for _, tt := range []struct {
		scenario, variant string
		want              bool
	}{
		{"defaults", "role=transactional-producer", true},
		{"partitioner", "partitioner=default", false},
	} {
		seen, err := trial.Run(t.Context(), specOf(t, tt.scenario, tt.variant, franz.New()))
		if err != nil {
			t.Fatal(err)
		}
		has := slices.ContainsFunc(seen.Trace.Exchanges, func(e evidence.Exchange) bool { return e.Fields["acks"] == "-1" })
		if has != tt.want {
			t.Errorf("%s %s: a Produce with its acks in the trace: %v, want %v", tt.scenario, tt.variant, has, tt.want)
		}
	}
}
