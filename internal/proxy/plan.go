package proxy

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/fault"
)

// CheckPlan says whether the proxy can carry out a valid plan: every API has a
// name that it knows, an answer with a code in it can be made where a rule asks for
// one, and a request has the partition or coordinator that a rule is to move. Start
// checks its plan; a trial may ask before it starts a broker.
func CheckPlan(plan fault.Plan) error {
	for _, r := range plan {
		if err := checkRule(r); err != nil {
			return fmt.Errorf("fault rule %q: %w", r.Name, err)
		}
	}
	return nil
}

// needNoRecords says whether a plan can be carried out by batch headers alone.
func needNoRecords(plan fault.Plan) error {
	for _, r := range plan {
		if r.NeedsRecords() {
			return fmt.Errorf("fault rule %q: it is decided by the records of %s requests, and HeadersOnly leaves them undecoded: unset it, or count requests with nth or first", r.Name, r.Select.API)
		}
	}
	return nil
}

// needNoControl says whether a plan leaves the cluster as it is.
func needNoControl(plan fault.Plan) error {
	for _, r := range plan {
		if r.Action.ChangesCluster() {
			return fmt.Errorf("fault rule %q: %s changes the cluster, and nothing was given that could: set Control, or leave the rule out", r.Name, r.Action)
		}
	}
	return nil
}

func checkRule(r fault.Rule) error {
	key, known := apiKey(r.Select.API)
	unknownUntil := slices.ContainsFunc(r.Releases(), func(api string) bool {
		_, known := apiKey(api)
		return !known
	})
	switch {
	case r.Action == fault.RefuseConnection:
		return nil
	case !known:
		return fmt.Errorf("api %q: expected a name as Kafka spells it, such as Produce or InitProducerId", r.Select.API)
	case unknownUntil:
		return fmt.Errorf("until %q: expected an API as Kafka spells it, such as Produce or InitProducerId", r.Until)
	case (r.Select.Role != "" || r.Select.Partition != nil) && !namesPartitions(key):
		return fmt.Errorf("%s %s: its requests are not known by topic or partition, so the rule would never hit", r.Action, r.Select.API)
	case r.Select.TransactionalID != "" && !namesTransactionalID(key):
		return fmt.Errorf("%s %s: its requests name no transactional id, so the rule would never hit", r.Action, r.Select.API)
	case secret(key) && (r.Action == fault.ReplaceResponse || r.Action == fault.AnswerInstead):
		return fmt.Errorf("%s %s: this API is never decoded, so its answers cannot be made", r.Action, r.Select.API)
	case r.Action == fault.AnswerInstead && !answerable(key):
		return fmt.Errorf("%s %s: the proxy cannot answer this API by itself", r.Action, r.Select.API)
	case r.Action == fault.FalseAck && key != int16(kmsg.Produce):
		return fmt.Errorf("%s %s: only Produce writes what an answer could lie about", r.Action, r.Select.API)
	case r.Action == fault.ReplaceResponse && !carriesCode(reflect.TypeOf(kmsg.ResponseForKey(key))):
		return fmt.Errorf("%s %s: its answers have no error code", r.Action, r.Select.API)
	case r.Action == fault.MoveLeader && (!namesPartitions(key) || key == int16(kmsg.Metadata)):
		return fmt.Errorf("%s %s: its requests name no partition whose leader could be moved", r.Action, r.Select.API)
	case r.Action == fault.MoveCoordinator && !hasCoordinator(key):
		return fmt.Errorf("%s %s: its requests name no group or transactional id whose coordinator could be moved", r.Action, r.Select.API)
	}
	return nil
}

// namesPartitions are the APIs whose topics and partitions faults can select by.
func namesPartitions(key int16) bool {
	switch kmsg.Key(key) {
	case kmsg.Produce, kmsg.Fetch, kmsg.ListOffsets, kmsg.Metadata, kmsg.OffsetCommit,
		kmsg.TxnOffsetCommit, kmsg.AddPartitionsToTxn:
		return true
	}
	return false
}

// namesTransactionalID are the APIs whose transactional ids faults can select by.
func namesTransactionalID(key int16) bool {
	switch kmsg.Key(key) {
	case kmsg.Produce, kmsg.FindCoordinator, kmsg.InitProducerID, kmsg.AddPartitionsToTxn, kmsg.AddOffsetsToTxn,
		kmsg.TxnOffsetCommit, kmsg.EndTxn:
		return true
	}
	return false
}

// answerable are the APIs that AnswerInstead can be asked of.
func answerable(key int16) bool {
	switch kmsg.Key(key) {
	case kmsg.Produce, kmsg.Fetch, kmsg.ListOffsets, kmsg.Metadata, kmsg.OffsetCommit, kmsg.OffsetFetch,
		kmsg.FindCoordinator, kmsg.JoinGroup, kmsg.Heartbeat, kmsg.LeaveGroup, kmsg.SyncGroup,
		kmsg.InitProducerID, kmsg.AddPartitionsToTxn, kmsg.AddOffsetsToTxn, kmsg.EndTxn, kmsg.TxnOffsetCommit,
		kmsg.ConsumerGroupHeartbeat:
		return true
	}
	return false
}
