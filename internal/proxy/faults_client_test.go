package proxy

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/internal/fault"
)

// franz-go, idempotent, gets over each fault: every record is acknowledged, and
// stands in the log once.
func TestClientRecovers(t *testing.T) {
	const records = 12
	for _, rule := range []fault.Rule{
		{Action: fault.Stall}, {Action: fault.HalfOpen}, {Action: fault.Throttle, Rate: 2000},
		{Action: fault.Truncate, Bytes: 10}, {Action: fault.DuplicateRequest},
		{Action: fault.HoldRequest, Wait: time.Hour, Until: "Produce"},
		{Action: fault.MoveLeader}, {Action: fault.KillNode}, {Action: fault.RestartNode},
		{Action: fault.PauseNode, Wait: 100 * time.Millisecond},
	} {
		t.Run(string(rule.Action), func(t *testing.T) {
			t.Parallel()
			rule.Select = nth("Produce", 3)
			c, _ := controlled(t, rule)
			client, dialed := c.newClient(t,
				kgo.ProduceRequestTimeout(200*time.Millisecond), kgo.RequestTimeoutOverhead(200*time.Millisecond),
				kgo.RetryBackoffFn(func(int) time.Duration { return 20 * time.Millisecond }))
			var missing []string
			for n := range records {
				wire := payment(n)
				record := &kgo.Record{Topic: topic, Key: wire.Key, Value: wire.Value}
				for _, h := range wire.Headers {
					record.Headers = append(record.Headers, kgo.RecordHeader{Key: h.Key, Value: h.Value})
				}
				missing = append(missing, string(wire.Value))
				if err := client.ProduceSync(within(t), record).FirstErr(); err != nil {
					t.Fatalf("record %d: %v", n, err)
				}
			}
			seen := c.proxy.Observed()
			if len(seen.Fired["rule 1"]) != 1 || len(seen.Problems) > 0 {
				t.Errorf("fired %v, problems %q", seen.Fired, seen.Problems)
			}
			if past := dialed.past(c); len(past) > 0 {
				t.Errorf("dials past the proxy: %q", past)
			}
			if diff := cmp.Diff(missing, consume(t, c, records)); diff != "" {
				t.Errorf("the log (-sent +read):\n%s", diff)
			}
		})
	}
}

// consume reads so many records and everything that is there behind them.
func consume(t *testing.T, c *cluster, n int) []string {
	t.Helper()
	reader, _ := c.newClient(t, kgo.ConsumeTopics(topic))
	var values []string
	for len(values) < n || int64(len(values)) < c.endOffset(topic, 0) {
		fetches := reader.PollFetches(within(t))
		if err := fetches.Err(); err != nil {
			t.Fatalf("read the log: %v", err)
		}
		fetches.EachRecord(func(r *kgo.Record) { values = append(values, string(r.Value)) })
	}
	return slices.Clip(values)
}
