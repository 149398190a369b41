package proxy

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// errNoPlace: Fetch v0 without partitions, or Metadata for all topics.
var errNoPlace = errors.New("this request leaves no place for an error code in its answer")

// refusal is the answer of a broker that did nothing but say code: it names the
// topics, partitions, groups and keys of the request.
func (p *Proxy) refusal(r *request, code int16) (kmsg.Response, error) {
	resp := r.message.ResponseKind()
	mirror(reflect.ValueOf(r.message).Elem(), reflect.ValueOf(resp).Elem())
	switch m := resp.(type) {
	case *kmsg.FindCoordinatorResponse:
		for _, key := range r.message.(*kmsg.FindCoordinatorRequest).CoordinatorKeys {
			c := kmsg.NewFindCoordinatorResponseCoordinator()
			c.Key = key
			m.Coordinators = append(m.Coordinators, c)
		}
	case *kmsg.MetadataResponse:
		m.Brokers = p.brokers()
	}
	return resp, putCode(resp, code)
}

// frameOf is a whole answer to a request.
func frameOf(r *request, resp kmsg.Response) []byte {
	return appendFrame(nil, responseHeader(r, resp), resp)
}

// responseHeader is the header of an answer that the proxy makes. The tags of a
// flexible one are empty.
func responseHeader(r *request, resp kmsg.Response) []byte {
	header := kbin.AppendInt32(nil, r.correlation)
	if resp.IsFlexible() && r.key != int16(kmsg.ApiVersions) {
		header = append(header, 0)
	}
	return header
}

// brokers are the nodes as a Metadata answer lists them.
func (p *Proxy) brokers() []kmsg.MetadataResponseBroker {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []kmsg.MetadataResponseBroker
	for _, id := range slices.Sorted(maps.Keys(p.nodes)) {
		if id < 0 {
			continue
		}
		b := kmsg.NewMetadataResponseBroker()
		b.NodeID, b.Host, b.Port, b.Rack = id, listenHost, p.nodes[id].port, p.nodes[id].rack
		all = append(all, b)
	}
	return all
}

// mirrored are the fields that an answer repeats from its request. Others may
// share a name and mean something else: ProducerID of InitProducerId is asked
// for, then given.
func mirrored(name string) bool {
	switch name {
	case "Topic", "TopicID", "Partition", "Group", "TransactionalID", "MemberID":
		return true
	}
	return false
}

// mirror fills an answer with the structure of its request: for each topic a
// topic, for each partition a partition.
func mirror(req, resp reflect.Value) {
	for i := range resp.NumField() {
		name := resp.Type().Field(i).Name
		from, to := req.FieldByName(name), resp.Field(i)
		switch {
		case !from.IsValid():
		case mirrored(name) && from.Type() == to.Type():
			to.Set(from)
		case from.Kind() == reflect.Slice && to.Kind() == reflect.Slice && to.Type().Elem().Kind() == reflect.Struct:
			mirrorSlice(from, to)
		}
	}
}

// mirrorSlice also takes requests that list bare partition numbers.
func mirrorSlice(from, to reflect.Value) {
	to.Set(reflect.MakeSlice(to.Type(), from.Len(), from.Len()))
	for i := range from.Len() {
		f, t := from.Index(i), to.Index(i)
		t.Addr().Interface().(interface{ Default() }).Default()
		if f.Kind() == reflect.Struct {
			mirror(f, t)
		} else if partition := t.FieldByName("Partition"); partition.IsValid() && partition.Kind() == f.Kind() {
			partition.Set(f)
		}
	}
}

// putCode puts the code where this kind of answer has its codes, and takes out
// what a broker that failed would not have said.
func putCode(resp kmsg.Response, code int16) error {
	places := 0
	eachCode(reflect.ValueOf(resp), func(field reflect.Value) {
		field.SetInt(int64(code))
		places++
	})
	switch m := resp.(type) {
	case *kmsg.ProduceResponse:
		failAppends(m)
	case *kmsg.FetchResponse:
		places = failFetches(m, code)
	case *kmsg.MetadataResponse:
		m.ErrorCode = 0 // since v13, and about the cluster: codes of topics stand with the topics
		places--
	case *kmsg.AddPartitionsToTxnResponse:
		m.ErrorCode = 0 // since v4, and about the whole request: codes of partitions stand with them
		places--
	case *kmsg.FindCoordinatorResponse:
		noCoordinator(m)
	case *kmsg.InitProducerIDResponse:
		m.ProducerID, m.ProducerEpoch = noProducer, noProducer
	}
	if places == 0 || !encodesCode(resp, code) {
		return fmt.Errorf("answer %s v%d with %s: %w", apiName(resp.Key()), resp.GetVersion(), codeName(code), errNoPlace)
	}
	return nil
}

func failAppends(m *kmsg.ProduceResponse) {
	for i := range m.Topics {
		for j := range m.Topics[i].Partitions {
			partition := &m.Topics[i].Partitions[j]
			partition.BaseOffset, partition.LogAppendTime, partition.LogStartOffset = -1, -1, -1
		}
	}
}

// failFetches: codes of sessions stand at the top, others with each partition
// (KIP-227). An answer without partitions has but the top.
func failFetches(m *kmsg.FetchResponse, code int16) (places int) {
	m.ErrorCode = 0
	for i := range m.Topics {
		for j := range m.Topics[i].Partitions {
			partition := &m.Topics[i].Partitions[j]
			partition.RecordBatches, partition.HighWatermark, partition.LastStableOffset = nil, -1, -1
			places++
		}
	}
	if places > 0 && !sessionCode(code) {
		return places
	}
	m.ErrorCode, m.Topics = code, nil
	return 1
}

func sessionCode(code int16) bool {
	return code == kerr.FetchSessionIDNotFound.Code || code == kerr.InvalidFetchSessionEpoch.Code ||
		code == kerr.FetchSessionTopicIDError.Code
}

// noCoordinator is how Kafka says that there is no address.
func noCoordinator(m *kmsg.FindCoordinatorResponse) {
	m.NodeID, m.Host, m.Port = -1, "", -1
	for i := range m.Coordinators {
		m.Coordinators[i].NodeID, m.Coordinators[i].Host, m.Coordinators[i].Port = -1, "", -1
	}
}

// encodesCode asks whether the code is still there after a trip over the wire:
// some fields exist in some versions only.
func encodesCode(resp kmsg.Response, code int16) bool {
	back := resp.RequestKind().ResponseKind()
	back.SetVersion(resp.GetVersion())
	if err := back.ReadFrom(resp.AppendTo(nil)); err != nil {
		return false
	}
	found := false
	eachCode(reflect.ValueOf(back), func(field reflect.Value) { found = found || int16(field.Int()) == code })
	return found
}

// carriesCode says whether answers of this type have an error code anywhere.
func carriesCode(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.IsExported() && (f.Name == "ErrorCode" && f.Type.Kind() == reflect.Int16 || carriesCode(f.Type)) {
			return true
		}
	}
	return false
}
