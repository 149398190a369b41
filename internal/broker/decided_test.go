package broker

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// TestAwaitDecided: an open transaction is named, and waited for until it has ended.
func TestAwaitDecided(t *testing.T) {
	cluster, err := StartEmbedded(1)
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	reader, err := NewReader(cluster.Addrs(), Access{})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := reader.CreateTopics(ctx, []Topic{{Name: "orders", Partitions: 1}}); err != nil {
		t.Fatal(err)
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.Addrs()[0]), kgo.TransactionalID("shop"), kgo.DefaultProduceTopic("orders"))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := client.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	if err := client.ProduceSync(ctx, kgo.StringRecord("order")).FirstErr(); err != nil {
		t.Fatal(err)
	}
	short, stop := context.WithTimeout(ctx, 200*time.Millisecond)
	defer stop()
	if err := reader.AwaitDecided(short, []string{"orders"}); err == nil || !strings.Contains(err.Error(), "orders-0 has an open transaction at offset 0") {
		t.Errorf("with an open transaction: %v", err)
	}
	if err := client.EndTransaction(ctx, kgo.TryCommit); err != nil {
		t.Fatal(err)
	}
	if err := reader.AwaitDecided(ctx, []string{"orders"}); err != nil {
		t.Errorf("when it has ended: %v", err)
	}
}
