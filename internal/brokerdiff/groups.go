package brokerdiff

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// groupExists is why no scenario of the core meets these differences.
const groupExists = "A consumer of the core leaves a group that exists."

// groups is membership: classic groups, consumer groups (KIP-848), share groups
// (KIP-932).
func groups() []Situation {
	return []Situation{
		{
			ID: "join-without-id", Asks: "JoinGroup v5 of a new group without a member id (KIP-394)",
			play: func(s *session) {
				n, id := s.join("", "range")
				s.tell("JoinGroup", fmt.Sprintf("%s, member id given: %t", code(n), id != ""))
			},
		},
		{
			ID: "join-other-assignor", Asks: "a second member has no assignor in common with the first",
			play: joinOtherAssignor,
		},
		{
			ID: "heartbeat-unknown", Asks: "Heartbeat of a group that does not exist",
			Means: "Another code for a consumer whose group was removed.",
			Aside: groupExists,
			play:  heartbeatUnknown,
		},
		{
			ID: "leave-unknown", Asks: "LeaveGroup v4 of a member and a group that do not exist",
			Means: "Another code, and for the whole request.",
			Aside: groupExists,
			play:  leaveUnknown,
		},
		{
			ID: "describe-group-unknown", Asks: "DescribeGroups v5 of a group that does not exist",
			play: func(s *session) { s.describeGroup(5) },
		},
		{
			ID: "describe-group-unknown-new", Asks: "DescribeGroups v6 of a group that does not exist",
			play: func(s *session) { s.describeGroup(6) },
		},
		{
			ID: "delete-group-unknown", Asks: "DeleteGroups of a group that does not exist",
			play: deleteGroupUnknown,
		},
		{
			ID: "consumer-group-join", Asks: "ConsumerGroupHeartbeat v1 of the first member of a group (KIP-848)",
			play: consumerGroupJoin,
		},
		{
			ID: "consumer-group-stranger", Asks: "ConsumerGroupHeartbeat v1 of a member that the group does not have",
			play: consumerGroupStranger,
		},
		{
			ID: "share-group-join", Asks: "ShareGroupHeartbeat v1 of the first member of a share group (KIP-932)",
			play: shareGroupJoin,
		},
		{
			ID: "share-coordinator", Asks: "FindCoordinator v6 for a share group",
			play: shareCoordinator,
		},
	}
}

// join is JoinGroup of the session's group; id is the member id in the answer.
func (s *session) join(member, assignor string) (n int16, id string) {
	protocol := kmsg.NewJoinGroupRequestProtocol()
	protocol.Name = assignor
	req := kmsg.NewPtrJoinGroupRequest()
	req.Group, req.MemberID, req.ProtocolType = s.name, member, "consumer"
	req.SessionTimeoutMillis, req.RebalanceTimeoutMillis = 10_000, 10_000
	req.Protocols = append(req.Protocols, protocol)
	resp := ask[*kmsg.JoinGroupResponse](s, 5, req)
	return resp.ErrorCode, resp.MemberID
}

func joinOtherAssignor(s *session) {
	_, id := s.join("", "range")
	n, _ := s.join(id, "range")
	s.must("JoinGroup of the first member", n)
	_, id = s.join("", "roundrobin")
	n, _ = s.join(id, "roundrobin")
	s.tell("JoinGroup of the second", code(n))
}

func heartbeatUnknown(s *session) {
	req := kmsg.NewPtrHeartbeatRequest()
	req.Group, req.MemberID, req.Generation = s.name, "nobody", 1
	s.tell("Heartbeat", code(ask[*kmsg.HeartbeatResponse](s, 4, req).ErrorCode))
}

func leaveUnknown(s *session) {
	member := kmsg.NewLeaveGroupRequestMember()
	member.MemberID = "nobody"
	req := kmsg.NewPtrLeaveGroupRequest()
	req.Group = s.name
	req.Members = append(req.Members, member)
	resp := ask[*kmsg.LeaveGroupResponse](s, 4, req)
	s.tell("LeaveGroup", code(resp.ErrorCode))
	for _, m := range resp.Members {
		s.tell("member", code(m.ErrorCode))
	}
}

func (s *session) describeGroup(version int16) {
	req := kmsg.NewPtrDescribeGroupsRequest()
	req.Groups = []string{s.name}
	group := only(s, "groups", ask[*kmsg.DescribeGroupsResponse](s, version, req).Groups)
	s.tell("DescribeGroups", fmt.Sprintf("%s, state %q", code(group.ErrorCode), group.State))
}

func deleteGroupUnknown(s *session) {
	req := kmsg.NewPtrDeleteGroupsRequest()
	req.Groups = []string{s.name}
	s.tell("DeleteGroups", code(only(s, "groups", ask[*kmsg.DeleteGroupsResponse](s, 2, req).Groups).ErrorCode))
}

func (s *session) consumerHeartbeat(member string, epoch int32) *kmsg.ConsumerGroupHeartbeatResponse {
	req := kmsg.NewPtrConsumerGroupHeartbeatRequest()
	req.Group, req.MemberID, req.MemberEpoch = s.name, member, epoch
	req.RebalanceTimeoutMillis = 10_000
	req.SubscribedTopicNames, req.Topics = []string{s.newTopic().name}, []kmsg.ConsumerGroupHeartbeatRequestTopic{}
	return ask[*kmsg.ConsumerGroupHeartbeatResponse](s, 1, req)
}

// memberID is one that a client makes up itself (KIP-1082).
const memberID = "AAAAAAAAAAAAAAAAAAAAAQ"

func consumerGroupJoin(s *session) {
	resp := s.consumerHeartbeat(memberID, 0)
	s.tell("ConsumerGroupHeartbeat", fmt.Sprintf("%s, assigned: %t", code(resp.ErrorCode), resp.Assignment != nil))
}

func consumerGroupStranger(s *session) {
	s.must("ConsumerGroupHeartbeat", s.consumerHeartbeat(memberID, 0).ErrorCode)
	s.tell("ConsumerGroupHeartbeat", code(s.consumerHeartbeat("AAAAAAAAAAAAAAAAAAAAAg", 5).ErrorCode))
}

func shareGroupJoin(s *session) {
	req := kmsg.NewPtrShareGroupHeartbeatRequest()
	req.GroupID, req.MemberID, req.SubscribedTopicNames = s.name, memberID, []string{s.newTopic().name}
	s.tell("ShareGroupHeartbeat", code(ask[*kmsg.ShareGroupHeartbeatResponse](s, 1, req).ErrorCode))
}

func shareCoordinator(s *session) {
	req := kmsg.NewPtrFindCoordinatorRequest()
	req.CoordinatorType, req.CoordinatorKeys = 2, []string{s.name + ":AAAAAAAAAAAAAAAAAAAAAQ:0"}
	var n int16
	s.until("the share coordinator is found", func() bool { // Kafka makes its topic when it is first asked
		n = only(s, "coordinators", ask[*kmsg.FindCoordinatorResponse](s, 6, req).Coordinators).ErrorCode
		return !notNow(n)
	})
	s.tell("FindCoordinator", code(n))
}
