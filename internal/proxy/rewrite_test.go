package proxy

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Why a message with a host in it goes on as it is.
const (
	controllersOnly = "between controllers, or shown by admin tools: nobody dials it"
	betweenBrokers  = "between brokers, gone since Kafka 4.0"
	senderItself    = "the sender's own address"
	applications    = "the endpoint of an application, not of a broker"
	principals      = "a host pattern of an ACL"
	members         = "the host that the broker sees a group member at: the proxy's"
)

// leftAlone are the messages with an address that the proxy does not touch.
var leftAlone = map[string]string{
	"DescribeQuorumResponse":        controllersOnly,
	"VoteResponse":                  controllersOnly,
	"BeginQuorumEpochResponse":      controllersOnly,
	"EndQuorumEpochResponse":        controllersOnly,
	"FetchSnapshotResponse":         controllersOnly,
	"UpdateRaftVoterResponse":       controllersOnly,
	"LeaderAndISRRequest":           betweenBrokers,
	"EnvelopeRequest":               betweenBrokers,
	"UpdateMetadataRequest":         betweenBrokers,
	"BeginQuorumEpochRequest":       senderItself,
	"EndQuorumEpochRequest":         senderItself,
	"BrokerRegistrationRequest":     senderItself,
	"ControllerRegistrationRequest": senderItself,
	"AddRaftVoterRequest":           senderItself,
	"UpdateRaftVoterRequest":        senderItself,
	"StreamsGroupHeartbeatRequest":  applications,
	"StreamsGroupHeartbeatResponse": applications,
	"StreamsGroupDescribeResponse":  applications,
	"DescribeACLsRequest":           principals,
	"DescribeACLsResponse":          principals,
	"CreateACLsRequest":             principals,
	"DeleteACLsRequest":             principals,
	"DeleteACLsResponse":            principals,
	"DescribeGroupsResponse":        members,
	"ConsumerGroupDescribeResponse": members,
	"ShareGroupDescribeResponse":    members,
}

// A new kmsg that puts an address into another message fails here, until
// somebody has decided whether clients dial it.
func TestEveryAddressIsClassified(t *testing.T) {
	seen := map[string]bool{}
	for key := range int16(kmsg.MaxKey + 1) {
		if kmsg.RequestForKey(key) == nil {
			continue
		}
		for _, message := range []any{kmsg.RequestForKey(key), kmsg.ResponseForKey(key)} {
			typ := reflect.TypeOf(message).Elem()
			if !hasAddress(typ) {
				continue
			}
			_, response := message.(kmsg.Response)
			_, known := leftAlone[typ.Name()]
			seen[typ.Name()] = true
			if rewritten := response && carriesAddresses(key); rewritten == known {
				t.Errorf("%s has a host or port: rewritten %v, left alone %v", typ.Name(), rewritten, known)
			}
		}
	}
	for name := range leftAlone {
		if !seen[name] {
			t.Errorf("%s is classified, but has no host or port in this kmsg", name)
		}
	}
}

func hasAddress(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if strings.Contains(f.Name, "Host") || f.Name == "Port" || f.IsExported() && hasAddress(f.Type) {
			return true
		}
	}
	return false
}

// elsewhere stands for a listener of the proxy.
func elsewhere(_ int32, host string, port int32) (string, int32, error) {
	return fmt.Sprintf("proxy-for-%s", host), port + 1000, nil
}

// addressed are the seven answers with an address of node 1 wherever one can
// stand, and the same with the address of the proxy.
func addressed(host string, port int32) []kmsg.Response {
	metadata := kmsg.NewPtrMetadataResponse()
	b := kmsg.NewMetadataResponseBroker()
	b.NodeID, b.Host, b.Port, b.Rack = 1, host, port, kmsg.StringPtr("rack")
	metadata.Brokers = append(metadata.Brokers, b)

	cluster := kmsg.NewPtrDescribeClusterResponse()
	cb := kmsg.NewDescribeClusterResponseBroker()
	cb.NodeID, cb.Host, cb.Port, cb.Rack = 1, host, port, kmsg.StringPtr("rack")
	cluster.Brokers = append(cluster.Brokers, cb)

	produce := kmsg.NewPtrProduceResponse()
	pb := kmsg.NewProduceResponseBroker()
	pb.NodeID, pb.Host, pb.Port, pb.Rack = 1, host, port, kmsg.StringPtr("rack")
	produce.Brokers = append(produce.Brokers, pb)

	fetch := kmsg.NewPtrFetchResponse()
	fb := kmsg.NewFetchResponseBroker()
	fb.NodeID, fb.Host, fb.Port, fb.Rack = 1, host, port, kmsg.StringPtr("rack")
	fetch.Brokers = append(fetch.Brokers, fb)

	shareFetch := kmsg.NewPtrShareFetchResponse()
	sf := kmsg.NewShareFetchResponseNodeEndpoint()
	sf.NodeID, sf.Host, sf.Port, sf.Rack = 1, host, port, kmsg.StringPtr("rack")
	shareFetch.NodeEndpoints = append(shareFetch.NodeEndpoints, sf)

	shareAck := kmsg.NewPtrShareAcknowledgeResponse()
	sa := kmsg.NewShareAcknowledgeResponseNodeEndpoint()
	sa.NodeID, sa.Host, sa.Port, sa.Rack = 1, host, port, kmsg.StringPtr("rack")
	shareAck.NodeEndpoints = append(shareAck.NodeEndpoints, sa)

	find := kmsg.NewPtrFindCoordinatorResponse()
	find.NodeID, find.Host, find.Port = 1, host, port
	fc := kmsg.NewFindCoordinatorResponseCoordinator()
	fc.Key, fc.NodeID, fc.Host, fc.Port = "group", 1, host, port
	find.Coordinators = append(find.Coordinators, fc)

	return []kmsg.Response{metadata, find, cluster, produce, fetch, shareFetch, shareAck}
}

// Each version of each of the seven is encoded, decoded, rewritten, encoded and
// decoded again: the address is the proxy's, and nothing else changed.
func TestRewriteEveryVersion(t *testing.T) {
	ignore := cmpopts.IgnoreUnexported(kmsg.Tags{})
	want := addressed("proxy-for-broker", 10092)
	for i, resp := range addressed("broker", 9092) {
		for version := range resp.MaxVersion() + 1 {
			onTheWire := roundTrip(t, resp, version)
			changed, err := rewrite(onTheWire, elsewhere)
			if err != nil {
				t.Fatal(err)
			}
			got, want := roundTrip(t, onTheWire, version), roundTrip(t, want[i], version)
			if diff := cmp.Diff(want, got, ignore); diff != "" {
				t.Errorf("%s v%d (-want +got):\n%s", apiName(resp.Key()), version, diff)
			}
			if has := !cmp.Equal(roundTrip(t, resp, version), want, ignore); has != changed {
				t.Errorf("%s v%d: changed %v, want %v", apiName(resp.Key()), version, changed, has)
			}
		}
	}
}

// roundTrip is what the other side decodes at that version.
func roundTrip(t *testing.T, resp kmsg.Response, version int16) kmsg.Response {
	t.Helper()
	resp.SetVersion(version)
	back := kmsg.ResponseForKey(resp.Key())
	back.SetVersion(version)
	if err := back.ReadFrom(resp.AppendTo(nil)); err != nil {
		t.Fatalf("decode %s v%d: %v", apiName(resp.Key()), version, err)
	}
	return back
}

// Versions without a place for an address must really have none: Produce before
// 9, Fetch before 12 are the only ones.
func TestWhichVersionsHaveAddresses(t *testing.T) {
	first := map[string]int16{}
	for _, resp := range addressed("broker", 9092) {
		for version := range resp.MaxVersion() + 1 {
			if changed, _ := rewrite(roundTrip(t, resp, version), elsewhere); changed {
				if _, known := first[apiName(resp.Key())]; !known {
					first[apiName(resp.Key())] = version
				}
			}
		}
	}
	want := map[string]int16{
		"Metadata": 0, "FindCoordinator": 0, "DescribeCluster": 0, "Produce": 9, "Fetch": 12,
		"ShareFetch": 0, "ShareAcknowledge": 0,
	}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("first version with an address (-want +got):\n%s", diff)
	}
}

func TestAddressesThatAreNone(t *testing.T) {
	absent := kmsg.NewPtrFindCoordinatorResponse()
	absent.NodeID, absent.Host, absent.Port = -1, "", -1
	noHost := kmsg.NewPtrFindCoordinatorResponse()
	noHost.NodeID, noHost.Port = 1, 9092
	noPort := kmsg.NewPtrFindCoordinatorResponse()
	noPort.NodeID, noPort.Host, noPort.Port = 1, "broker", -1
	about := kmsg.NewPtrDescribeClusterResponse()
	about.Version, about.EndpointType = 1, controllers
	cb := kmsg.NewDescribeClusterResponseBroker()
	cb.NodeID, cb.Host, cb.Port = 3000, "controller", 9093
	about.Brokers = append(about.Brokers, cb)
	for name, resp := range map[string]kmsg.Response{
		"node -1": absent, "no host": noHost, "port -1": noPort, "controllers": about,
	} {
		before := resp.AppendTo(nil)
		if changed, err := rewrite(resp, elsewhere); changed || err != nil {
			t.Errorf("%s: changed %v, error %v", name, changed, err)
		}
		if !slices.Equal(before, resp.AppendTo(nil)) {
			t.Errorf("%s: the message changed", name)
		}
	}
}

func TestLowerVersions(t *testing.T) {
	resp := kmsg.NewPtrApiVersionsResponse()
	for _, k := range [][3]int16{{0, 0, 99}, {1, 4, 12}, {3, 98, 99}, {10_001, 0, 99}} {
		api := kmsg.NewApiVersionsResponseApiKey()
		api.ApiKey, api.MinVersion, api.MaxVersion = k[0], k[1], k[2]
		resp.ApiKeys = append(resp.ApiKeys, api)
	}
	newest := kmsg.RequestForKey(0).MaxVersion()
	if diff := cmp.Diff([]string{fmt.Sprintf("Produce 99 -> %d", newest)}, lowerVersions(resp)); diff != "" {
		t.Errorf("lowered (-want +got):\n%s", diff)
	}
	var got [][3]int16
	for _, k := range resp.ApiKeys {
		got = append(got, [3]int16{k.ApiKey, k.MinVersion, k.MaxVersion})
	}
	if diff := cmp.Diff([][3]int16{{0, 0, newest}, {1, 4, 12}, {3, 98, 99}, {10_001, 0, 99}}, got); diff != "" {
		t.Errorf("key, minimum, maximum (-want +got):\n%s", diff)
	}
}

// A broker that does not know ApiVersions v4 answers in version 0.
func TestReadApiVersionsByContent(t *testing.T) {
	old := kmsg.NewPtrApiVersionsResponse()
	old.ErrorCode = 35
	old.ApiKeys = []kmsg.ApiVersionsResponseApiKey{{ApiKey: 18, MaxVersion: 2}}
	got, err := readApiVersions(old.AppendTo(nil), 4)
	if err != nil {
		t.Fatal(err)
	}
	if got.Version != 0 || len(got.ApiKeys) != 1 || got.ApiKeys[0].MaxVersion != 2 {
		t.Errorf("got %+v, want a version 0 answer with ApiVersions 0 to 2", got)
	}
}
