package trial_test

import (
	"strings"
	"testing"

	"kcompare/franz"
	"kcompare/internal/evidence"
)

// onSix is where a key went on six partitions, by question.
func onSix(t *testing.T, got evidence.Trial) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, a := range got.Answers {
		if at := strings.Fields(a.Answer); len(at) == 5 && at[1] != "of" {
			all[a.Question] = at[1]
		}
	}
	return all
}

func compareKeys(t *testing.T, got evidence.Trial, want map[string]string) {
	t.Helper()
	at := onSix(t, got)
	for key, partition := range want {
		if at[key] != partition {
			t.Errorf("%s puts %s into partition %q of 6, published is %s", got.Client, key, at[key], partition)
		}
	}
}

// TestC01SameKeyOtherPartition: somebody moved a producer from librdkafka to franz-go, or
// to Java, and the keys went elsewhere. murmur2_random makes them agree.
func TestC01SameKeyOtherPartition(t *testing.T) {
	asMurmur2 := map[string]string{"order-1": "4", "order-2": "3", "order-3": "3", "order-4": "2", "customer-42": "3"}
	byDefault := map[string]map[string]string{
		"librdkafka": {"order-1": "1", "order-2": "3", "order-3": "5", "order-4": "2", "customer-42": "5"},
		"franz":      asMurmur2,
	}
	for _, d := range clients(t) {
		t.Run(d.Client(), func(t *testing.T) {
			t.Parallel()
			compareKeys(t, play(t, specOf(t, "partitioner", "partitioner=default", d)), byDefault[d.Client()])
			compareKeys(t, play(t, specOf(t, "partitioner", "partitioner=murmur2_random", d)), asMurmur2)
		})
	}
}

// TestC04PublishedTable is the table of a blog post, on six partitions.
func TestC04PublishedTable(t *testing.T) {
	for variant, want := range map[string]map[string]string{
		"partitioner=murmur2_random":    {"my_key_1": "0", "my_key_2": "4", "my_key_3": "5", "my_key_4": "2"},
		"partitioner=consistent_random": {"my_key_1": "2", "my_key_2": "2", "my_key_3": "2", "my_key_4": "5"},
	} {
		for _, d := range clients(t) {
			t.Run(variant+" "+d.Client(), func(t *testing.T) {
				t.Parallel()
				compareKeys(t, play(t, specOf(t, "partitioner", variant, d)), want)
			})
		}
	}
}

// TestWrongPartitionersAreFoundOut: a client that takes another hash than it was told, or
// treats records without a key otherwise, breaks the claim of every variant.
func TestWrongPartitionersAreFoundOut(t *testing.T) {
	for variant, other := range map[string]string{
		"murmur2_random": "consistent_random", "murmur2": "murmur2_random",
		"consistent_random": "consistent", "consistent": "consistent_random",
		"fnv1a_random": "murmur2_random", "fnv1a": "fnv1a_random",
	} {
		t.Run(variant+" is "+other, func(t *testing.T) {
			t.Parallel()
			lie := meddler{Driver: franz.New(), settings: func(set map[string]string) {
				if _, producer := set["partitioner"]; producer {
					set["partitioner"] = other
				}
			}}
			got := play(t, specOf(t, "partitioner", "partitioner="+variant, lie))
			if got.Verdict != evidence.Violated {
				t.Errorf("verdict is %s: %q", got.Verdict, got.Reasons)
			}
			otherHash := strings.TrimSuffix(variant, "_random") != strings.TrimSuffix(other, "_random")
			named := len(got.Anomalies) == 1 && got.Anomalies[0].Kind == evidence.WrongPartition
			if otherHash != named {
				t.Errorf("anomalies are %v; another hash: %v", got.Anomalies, otherHash)
			}
		})
	}
}

// TestPartitionsAreFixed: --partitions does not reach a story that is about numbers of
// partitions, and the trial says so.
func TestPartitionsAreFixed(t *testing.T) {
	s := specOf(t, "partitioner", "partitioner=murmur2_random", clients(t)[0])
	s.Parameters.Partitions = 5
	got := play(t, s)
	if got.Verdict != evidence.Holds || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "--partitions=5 does not apply") {
		t.Errorf("verdict is %s: %q; notes %q", got.Verdict, got.Reasons, got.Notes)
	}
}

// TestTheUsersPartitioner takes the point out of the variant that is about the default.
func TestTheUsersPartitioner(t *testing.T) {
	s := specOf(t, "partitioner", "partitioner=default", clients(t)[0])
	s.Overrides = map[string]string{"partitioner": "fnv1a"}
	if got := play(t, s); got.Verdict != evidence.NotSupported {
		t.Errorf("verdict is %s: %q", got.Verdict, got.Reasons)
	}
}
