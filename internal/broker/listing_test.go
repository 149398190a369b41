package broker

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// TestListing: what `kcompare topics` asks the embedded broker.
func TestListing(t *testing.T) { expectListing(t, start(t, 3)) }

// expectListing makes a topic with transactions of every fate and describes it.
func expectListing(t *testing.T, c Cluster) {
	t.Helper()
	ctx := withTimeout(t, starting)
	r, err := NewReader(c.Addrs(), c.Access())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ledger := Topic{Name: "ledger", Partitions: 2, Config: map[string]string{"retention.ms": "3600000"}}
	if _, err := r.CreateTopics(ctx, []Topic{ledger}); err != nil {
		t.Fatal(err)
	}
	playLedger(t, c, r)
	topics, err := r.Topics(ctx)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(topics, func(t TopicInfo) bool { return t.Name == "ledger" })
	if i < 0 {
		t.Fatalf("the topic is not among %v", topics)
	}
	if err := r.LookUpOffsets(ctx, topics[i:i+1]); err != nil {
		t.Fatal(err)
	}
	want := TopicInfo{Name: "ledger", Partitions: []PartitionInfo{{Partition: 0, End: 9, Stable: 8}, {Partition: 1, End: 1, Stable: 1}}}
	if diff := cmp.Diff(want, topics[i], cmpopts.IgnoreFields(PartitionInfo{}, "Leader", "Replicas", "InSync")); diff != "" {
		t.Errorf("description: -want +got:\n%s", diff)
	}
	expectReplicas(t, c, topics[i])
	expectCounts(t, r, topics[i])
	expectOpen(t, r, topics[i])
	expectConfigs(t, r)
	expectRemoval(t, r)
}

// playLedger commits two records, aborts two, commits one and leaves one open, all
// in partition 0; one more stands in partition 1 outside any transaction.
func playLedger(t *testing.T, c Cluster, r *Reader) {
	t.Helper()
	cl := ledgerClient(t, c, kgo.TransactionalID("ledger"))
	for _, txn := range []struct {
		records int
		end     kgo.TransactionEndTry
	}{{2, kgo.TryCommit}, {2, kgo.TryAbort}, {1, kgo.TryCommit}} {
		writeTransaction(t, cl, txn.records)
		if err := cl.EndTransaction(withTimeout(t, patience), txn.end); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.ReadLog(withTimeout(t, patience), []string{"ledger"}, nil); err != nil { // until the last marker is there
		t.Fatal(err)
	}
	writeTransaction(t, ledgerClient(t, c, kgo.TransactionalID("stuck")), 1)
	if err := ledgerClient(t, c).ProduceSync(withTimeout(t, patience), &kgo.Record{Topic: "ledger", Partition: 1}).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

func ledgerClient(t *testing.T, c Cluster, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	opts = append(opts, kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.SeedBrokers(slices.Collect(maps.Values(c.Addrs()))...))
	cl, err := kgo.NewClient(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return cl
}

func writeTransaction(t *testing.T, cl *kgo.Client, records int) {
	t.Helper()
	if err := cl.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	for range records {
		if err := cl.ProduceSync(withTimeout(t, patience), &kgo.Record{Topic: "ledger"}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}

func expectReplicas(t *testing.T, c Cluster, topic TopicInfo) {
	t.Helper()
	nodes := slices.Sorted(maps.Keys(c.Addrs()))
	for _, p := range topic.Partitions {
		if !slices.Equal(slices.Sorted(slices.Values(p.Replicas)), nodes) || !slices.Equal(slices.Sorted(slices.Values(p.InSync)), nodes) {
			t.Errorf("partition %d: replicas %v, in sync %v, want %v", p.Partition, p.Replicas, p.InSync, nodes)
		}
		if !slices.Contains(nodes, p.Leader) {
			t.Errorf("partition %d: leader %d, want one of %v", p.Partition, p.Leader, nodes)
		}
	}
}

func expectCounts(t *testing.T, r *Reader, topic TopicInfo) {
	t.Helper()
	got, err := r.CountRecords(withTimeout(t, patience), topic)
	if err != nil {
		t.Fatal(err)
	}
	want := []RecordCount{
		{TopicPartition: TopicPartition{Topic: "ledger"}, End: 9, Data: 6, Aborted: 2, Open: 1, Control: 3},
		{TopicPartition: TopicPartition{Topic: "ledger", Partition: 1}, End: 1, Data: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("counts: -want +got:\n%s", diff)
	}
}

func expectOpen(t *testing.T, r *Reader, topic TopicInfo) {
	t.Helper()
	got, err := r.OpenTransactions(withTimeout(t, patience), topic)
	if err != nil {
		t.Fatal(err)
	}
	want := []OpenTransaction{{TopicPartition: TopicPartition{Topic: "ledger"}, TransactionalID: "stuck", First: 8}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(OpenTransaction{}, "ProducerID", "ProducerEpoch")); diff != "" {
		t.Errorf("open transactions: -want +got:\n%s", diff)
	}
}

func expectConfigs(t *testing.T, r *Reader) {
	t.Helper()
	all, err := r.TopicConfigs(withTimeout(t, patience), "ledger")
	if err != nil {
		t.Fatal(err)
	}
	own := slices.DeleteFunc(all, func(c TopicConfig) bool { return c.Source != "topic" })
	want := []TopicConfig{{Name: "retention.ms", Value: "3600000", Source: "topic"}}
	if diff := cmp.Diff(want, own); diff != "" {
		t.Errorf("configs: -want +got:\n%s", diff)
	}
}

func expectRemoval(t *testing.T, r *Reader) {
	t.Helper()
	ctx := withTimeout(t, patience)
	left, err := r.RemoveTopics(ctx, []string{"ledger", "never-there"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]error{"never-there": kerr.UnknownTopicOrPartition}, left, cmpopts.EquateErrors()); diff != "" {
		t.Errorf("left behind: -want +got:\n%s", diff)
	}
	there, err := r.Existing(ctx, []string{"ledger"})
	if err != nil || len(there) > 0 {
		t.Errorf("%v exists after its removal (%v)", there, err)
	}
}
