package proxy

import (
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/batch"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// view reads the topics, partitions and ids out of one request. A list prints
// at most mostNames of its names.
type view struct {
	p       *Proxy
	api     string
	records *batch.Parser // nil: batch headers alone are read
	names   []string      // "orders-0", in the order of the request
}

const mostNames = 4

// topic is the topic's name. Not knowing it would mean not knowing whether a
// fault was due, so that is a problem, not a miss.
func (v *view) topic(name string, id [16]byte) string {
	name, known := v.p.topics.name(name, id)
	if !known {
		v.p.record.problem("%s names topic id %s, which no Metadata or CreateTopics answer told: faults cannot be decided for it", v.api, name)
	}
	return name
}

// part notes a partition of the request, and makes the fault part of it.
func (v *view) part(topic string, partition int32) fault.Part {
	v.names = append(v.names, fmt.Sprintf("%s-%d", topic, partition))
	return fault.Part{Topic: topic, Role: v.p.opts.Roles[topic], Partition: partition}
}

// produce reads the batches, and makes one part of each.
func (v *view) produce(m *kmsg.ProduceRequest) ([]evidence.TraceBatch, []fault.Part) {
	var all []evidence.TraceBatch
	var parts []fault.Part
	for _, t := range m.Topics {
		topic := v.topic(t.Topic, t.TopicID)
		for _, partition := range t.Partitions {
			batches, err := readBatches(place{topic, partition.Partition}, partition.Records, v.records)
			if err != nil {
				v.p.record.problem("%v", err)
			}
			for _, b := range batches {
				parts = append(parts, v.producePart(b))
			}
			all = append(all, batches...)
		}
	}
	return all, parts
}

func (v *view) producePart(b evidence.TraceBatch) fault.Part {
	part := v.part(b.Topic, b.Partition)
	part.ProducerID, part.ProducerEpoch, part.BaseSequence = b.ProducerID, b.ProducerEpoch, b.BaseSequence
	part.Records = make([]string, len(b.IDs))
	for i, id := range b.IDs {
		part.Records[i] = id.String()
	}
	return part
}

func (v *view) produceSummary(m *kmsg.ProduceRequest) string {
	s := fmt.Sprintf("acks=%d %s", m.Acks, v.list())
	if m.TransactionID != nil {
		s += " " + *m.TransactionID
	}
	return s
}

// list is the partitions in a few words.
func (v *view) list() string {
	if len(v.names) <= mostNames {
		return strings.Join(v.names, " ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(v.names[:mostNames], " "), len(v.names)-mostNames)
}

// noPartition stands in the parts of requests that name topics alone.
const noPartition = -1

// parts are the partitions that a request other than Produce names.
func (v *view) parts(message kmsg.Request) []fault.Part {
	var parts []fault.Part
	add := func(topic string, partition int32) { parts = append(parts, v.part(topic, partition)) }
	switch m := message.(type) {
	case *kmsg.FetchRequest:
		for _, t := range m.Topics {
			topic := v.topic(t.Topic, t.TopicID)
			for _, partition := range t.Partitions {
				add(topic, partition.Partition)
			}
		}
	case *kmsg.ListOffsetsRequest:
		for _, t := range m.Topics {
			for _, partition := range t.Partitions {
				add(t.Topic, partition.Partition)
			}
		}
	case *kmsg.OffsetCommitRequest:
		for _, t := range m.Topics {
			topic := v.topic(t.Topic, t.TopicID)
			for _, partition := range t.Partitions {
				add(topic, partition.Partition)
			}
		}
	case *kmsg.TxnOffsetCommitRequest:
		for _, t := range m.Topics {
			topic := v.topic(t.Topic, t.TopicID)
			for _, partition := range t.Partitions {
				add(topic, partition.Partition)
			}
		}
	case *kmsg.AddPartitionsToTxnRequest:
		addPartitions(m, add)
	case *kmsg.MetadataRequest:
		for _, t := range m.Topics {
			topic, _ := v.p.topics.name(deref(t.Topic), t.TopicID) // asking for a name is how a client learns it
			parts = append(parts, fault.Part{Topic: topic, Role: v.p.opts.Roles[topic], Partition: noPartition})
			v.names = append(v.names, topic)
		}
	}
	return parts
}

// addPartitions walks both shapes: see addingProducers.
func addPartitions(m *kmsg.AddPartitionsToTxnRequest, add func(string, int32)) {
	for _, t := range m.Topics {
		for _, partition := range t.Partitions {
			add(t.Topic, partition)
		}
	}
	for _, txn := range m.Transactions {
		for _, t := range txn.Topics {
			for _, partition := range t.Partitions {
				add(t.Topic, partition)
			}
		}
	}
}

// summary is a request in a few words: who and which partitions. An API that is
// not listed has none.
func (v *view) summary(message kmsg.Request) string {
	return strings.TrimSpace(who(message) + " " + v.list())
}

// who is the transactional id, group or key that a request is about.
func who(message kmsg.Request) string {
	switch m := message.(type) {
	case *kmsg.FindCoordinatorRequest:
		return strings.TrimSpace(m.CoordinatorKey + " " + strings.Join(m.CoordinatorKeys, " "))
	case *kmsg.InitProducerIDRequest:
		return deref(m.TransactionalID) + " " + producer(m.ProducerID, m.ProducerEpoch)
	case *kmsg.AddPartitionsToTxnRequest:
		return addingProducers(m)
	case *kmsg.AddOffsetsToTxnRequest:
		return m.TransactionalID + " " + producer(m.ProducerID, m.ProducerEpoch) + " group=" + m.Group
	case *kmsg.TxnOffsetCommitRequest:
		return m.TransactionalID + " " + producer(m.ProducerID, m.ProducerEpoch) + " group=" + m.Group
	case *kmsg.OffsetCommitRequest:
		return "group=" + m.Group
	case *kmsg.OffsetFetchRequest:
		return fetchingGroups(m)
	case *kmsg.JoinGroupRequest:
		return "group=" + m.Group
	case *kmsg.SyncGroupRequest:
		return "group=" + m.Group
	case *kmsg.HeartbeatRequest:
		return "group=" + m.Group
	case *kmsg.LeaveGroupRequest:
		return "group=" + m.Group
	case *kmsg.ConsumerGroupHeartbeatRequest:
		return "group=" + m.Group
	case *kmsg.SASLHandshakeRequest:
		return m.Mechanism
	}
	return ""
}

// addingProducers: before v4 one transaction, since then a list (KIP-890).
func addingProducers(m *kmsg.AddPartitionsToTxnRequest) string {
	if m.Version < 4 {
		return m.TransactionalID + " " + producer(m.ProducerID, m.ProducerEpoch)
	}
	var all []string
	for _, t := range m.Transactions {
		all = append(all, t.TransactionalID+" "+producer(t.ProducerID, t.ProducerEpoch))
	}
	return strings.Join(all, " ")
}

// fetchingGroups: before v8 one group, since then a list.
func fetchingGroups(m *kmsg.OffsetFetchRequest) string {
	if m.Version < 8 {
		return "group=" + m.Group
	}
	var all []string
	for _, g := range m.Groups {
		all = append(all, "group="+g.Group)
	}
	return strings.Join(all, " ")
}

func producer(id int64, epoch int16) string {
	return fmt.Sprintf("pid=%d epoch=%d", id, epoch)
}
