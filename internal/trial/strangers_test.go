package trial_test

import (
	"context"
	"testing"
	"time"

	"kcompare/internal/broker"
	"kcompare/internal/broker/brokertest"
	"kcompare/internal/evidence"
	"kcompare/internal/trial"
)

// TestStrangersOnKafka: on a Kafka that trials share, nobody is taken for a stranger
// who is none, and a client that a broker's own address reached is found.
func TestStrangersOnKafka(t *testing.T) {
	site := &trial.Site{Cluster: startKafka(t)}
	number := 0
	playOn := func(leave ...string) []string {
		for _, d := range clients(t) {
			number++
			s := specOf(t, "transactional", "end=commit", d)
			s.Site, s.Nodes, s.Number = site, 1, number
			s.Parameters.Messages = 20
			s.Sabotage.LeaveAddresses = leave
			if got := play(t, s); got.Verdict != evidence.Holds && leave == nil {
				t.Fatalf("%s is %s: %v", s.Name(), got.Verdict, got.Reasons)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		strangers, err := site.Strangers(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return strangers
	}
	if strangers := playOn(); len(strangers) > 0 {
		t.Errorf("%d strangers, expected none: %v", len(strangers), strangers)
	}
	if len(playOn("Metadata")) == 0 {
		t.Error("no stranger, although the proxy told clients where the broker is")
	}
}

func startKafka(t *testing.T) *broker.Kafka {
	t.Helper()
	brokertest.NeedKafka(t)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	k, err := broker.StartKafka(ctx, broker.KafkaOptions{Nodes: 1, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.Close() })
	return k
}
