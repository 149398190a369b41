package brokerdiff

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// versions is which versions of an API a broker offers; a client takes the newest
// that both know. Listed is what the libraries send in the scenarios.
func versions() []Situation {
	var all []Situation
	for _, api := range []kmsg.Key{
		kmsg.Produce, kmsg.Fetch, kmsg.ListOffsets, kmsg.Metadata, kmsg.OffsetCommit, kmsg.OffsetFetch, kmsg.FindCoordinator,
		kmsg.JoinGroup, kmsg.Heartbeat, kmsg.LeaveGroup, kmsg.SyncGroup, kmsg.ApiVersions, kmsg.InitProducerID,
		kmsg.OffsetForLeaderEpoch, kmsg.AddPartitionsToTxn, kmsg.AddOffsetsToTxn, kmsg.EndTxn, kmsg.TxnOffsetCommit,
		kmsg.DescribeCluster, kmsg.ConsumerGroupHeartbeat, kmsg.GetTelemetrySubscriptions, kmsg.PushTelemetry,
		kmsg.ShareGroupHeartbeat, kmsg.ShareFetch, kmsg.ShareAcknowledge,
	} {
		all = append(all, Situation{
			ID: "versions-" + api.Name(), Asks: "versions of " + api.Name(),
			play: func(s *session) { s.tellVersions(api) },
		})
	}
	return all
}

func (s *session) tellVersions(api kmsg.Key) {
	resp := s.apiVersions()
	if resp == nil {
		return
	}
	for _, offered := range resp.ApiKeys {
		if offered.ApiKey == api.Int16() {
			s.tell("offered", fmt.Sprintf("%d to %d", offered.MinVersion, offered.MaxVersion))
			return
		}
	}
	s.tell("offered", "no")
}
