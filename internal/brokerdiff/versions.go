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
		one := Situation{ID: "versions-" + api.Name(), Asks: "the versions of " + api.Name(), play: func(s *session) { s.tellVersions(api) }}
		one.Means, one.Aside = versionsMean(api)
		all = append(all, one)
	}
	return all
}

// versionsMean is what the difference does, where there is one.
func versionsMean(api kmsg.Key) (means, aside string) {
	switch api {
	case kmsg.Produce, kmsg.OffsetCommit, kmsg.OffsetFetch, kmsg.OffsetForLeaderEpoch, kmsg.ShareGroupHeartbeat, kmsg.ShareFetch, kmsg.ShareAcknowledge:
		return "None: the newest version is the same.", "The libraries of the core know the newest versions or ones in between."
	case kmsg.ListOffsets:
		return "A client that knows v11 sends v10 here; v11 has one more timestamp to ask for (KIP-1023).", "No story of the core asks for it."
	case kmsg.GetTelemetrySubscriptions, kmsg.PushTelemetry:
		return "Clients with KIP-714 ask for it here; Kafka offers it only with a reporter of client metrics.", "It is counted under requests, and no claim is about it."
	}
	return "", ""
}

func (s *session) tellVersions(api kmsg.Key) {
	for _, offered := range s.apiVersions().ApiKeys {
		if offered.ApiKey == api.Int16() {
			s.tell("offered", fmt.Sprintf("%d to %d", offered.MinVersion, offered.MaxVersion))
			return
		}
	}
	s.tell("offered", "no")
}
