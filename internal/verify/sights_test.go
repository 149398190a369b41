package verify

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/evidence"
)

// TestSightsOfConsumers: what is seen in a trace, and what is not seen is said to be.
func TestSightsOfConsumers(t *testing.T) {
	t.Parallel()
	request := func(ms int64, api string, fields ...string) evidence.Exchange {
		e := evidence.Exchange{API: api, At: ms * 1000, Delivered: true, Fields: map[string]string{}}
		for i := 0; i < len(fields); i += 2 {
			e.Fields[fields[i]] = fields[i+1]
		}
		return e
	}
	some, none := map[string]Observation{"records": counted(3, "%d")}, map[string]Observation{"records": counted(0, "%d")}
	until := func(ms float64) map[string]Observation { return map[string]Observation{"leaves": {Number: ms * 1000}} }
	for name, tt := range map[string]struct {
		see  func(Seen) Observation
		seen Seen
		want Observation
	}{
		"nobody joined": {joins("group_id", "group_id"), Seen{}, unseen("no member joined")},
		"joined": {joins("group_id", "group_id"), Seen{Trace: []evidence.Exchange{request(1, "JoinGroup", "group_id", "till")}},
			saw("JoinGroup group_id=till")},
		"joined without": {joins("group_instance_id", "group_instance_id"), Seen{Trace: []evidence.Exchange{request(1, "JoinGroup")}},
			saw("JoinGroup without group_instance_id")},
		"the broker decides": {classicField("session_timeout_ms"), Seen{Settings: Settings{"group.protocol": "consumer"}, Trace: []evidence.Exchange{request(1, "ConsumerGroupHeartbeat")}},
			unseen("because of group.protocol=consumer: the broker decides")},
		"a member assigns": {remoteAssignor, Seen{Trace: []evidence.Exchange{request(1, "JoinGroup")}},
			unseen("without group.protocol=consumer a member of the group assigns")},
		"the end":           {askedOffset, Seen{Trace: []evidence.Exchange{request(1, "ListOffsets", "timestamp", "-1")}}, saw("ListOffsets for the end")},
		"an error":          {askedOffset, Seen{Notes: map[string]Observation{"refused to read": saw("the client gives an error, and reads nothing")}}, saw("the client gives an error, and reads nothing")},
		"not even an error": {askedOffset, Seen{}, unseen("no ListOffsets was sent")},
		"commits":           {commitsUnasked, Seen{Notes: some, Trace: []evidence.Exchange{request(1, "OffsetCommit")}}, saw("OffsetCommit comes unasked")},
		"no commit":         {commitsUnasked, Seen{Notes: some}, saw("no OffsetCommit, not even when it leaves")},
		"no record":         {commitsUnasked, Seen{Notes: none}, unseen("no record came whose offset could be committed")},
		"no interval":       {commitsUnasked, Seen{Settings: Settings{"auto.commit.interval.ms": "0"}, Notes: some}, unseen("because of auto.commit.interval.ms=0: it turns automatic commits off")},
		"stores nothing": {commitsUnasked, Seen{Settings: Settings{"enable.auto.offset.store": "false"}, Notes: some},
			unseen("because of enable.auto.offset.store=false: there is nothing to commit")},
		"commits nothing": {storesUnasked, Seen{Settings: Settings{"enable.auto.commit": "false"}, Notes: some},
			unseen("because of enable.auto.commit=false: nothing that is stored is committed")},
		"pushes":     {metricsPush, Seen{Trace: []evidence.Exchange{request(1, "GetTelemetrySubscriptions")}}, saw("GetTelemetrySubscriptions is sent")},
		"not so far": {metricsPush, Seen{Trace: []evidence.Exchange{request(1, "Metadata")}}, unseen("the client did not get that far")},
		"no push":    {metricsPush, Seen{Trace: []evidence.Exchange{request(1, "ListOffsets")}}, saw("no GetTelemetrySubscriptions")},
		"one heartbeat": {between("Heartbeat"), Seen{Notes: until(9000), Trace: []evidence.Exchange{request(1, "Heartbeat")}},
			unseen("fewer than two requests Heartbeat")},
		"the middle gap, before it leaves": {between("OffsetCommit"), Seen{Notes: until(1000), Trace: []evidence.Exchange{
			request(100, "OffsetCommit"), request(110, "OffsetCommit"), request(410, "OffsetCommit"), request(900, "OffsetCommit"), request(1001, "OffsetCommit"),
		}}, lasted(300 * time.Millisecond)},
		"no refresh": {refreshes, Seen{Settings: Settings{"metadata.max.age.ms": "1000"}, Trace: []evidence.Exchange{request(1, "Metadata"), request(2, "Metadata")}},
			unseen("the client asked for no Metadata again in 6 s")},
		"a refresh, not of the cluster": {refreshes, Seen{Settings: Settings{"metadata.max.age.ms": "1000"}, Trace: []evidence.Exchange{
			request(1, "Metadata", "topics", "1"), request(50, "Metadata", "topics", "1"), request(600, "Metadata", "topics", "0"), request(1050, "Metadata", "topics", "1"),
		}}, lasted(time.Second)},
	} {
		if diff := cmp.Diff(tt.want, tt.see(tt.seen)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestAlikeIdle: kgo may take twice as long as it is allowed, librdkafka a second more.
func TestAlikeIdle(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b float64
		want bool
	}{
		{600, 1300, true}, {3000, 6000, true}, {3002, 4000, true}, {1002, 3002, false}, {600, 3000, false}, {6000, 1300, false}, {11987, 5005, true},
	} {
		if got := alikeIdle(Observation{Number: tt.a}, Observation{Number: tt.b}); got != tt.want {
			t.Errorf("%v ms and %v ms: %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}
