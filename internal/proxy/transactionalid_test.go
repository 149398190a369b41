package proxy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/fault"
)

// TestTransactionalIDs: every API that a rule may select by id, in both shapes where
// it has two. Those of groups and of producers without transactions have none.
func TestTransactionalIDs(t *testing.T) {
	id := "shop-1-real"
	p := &Proxy{opts: Options{TransactionalIDs: map[string]string{id: "shop-1", "shop-2-real": "shop-2"}}}
	selectable := map[int16]bool{}
	for _, tt := range []struct {
		request kmsg.Request
		want    []string
	}{
		{&kmsg.ProduceRequest{TransactionID: &id}, []string{"shop-1"}},
		{&kmsg.ProduceRequest{}, nil},
		{&kmsg.FindCoordinatorRequest{Version: 3, CoordinatorType: 1, CoordinatorKey: id}, []string{"shop-1"}},
		{&kmsg.FindCoordinatorRequest{Version: 4, CoordinatorType: 1, CoordinatorKeys: []string{"other", id}}, []string{"shop-1"}},
		{&kmsg.FindCoordinatorRequest{Version: 4, CoordinatorType: 0, CoordinatorKeys: []string{id}}, nil},
		{&kmsg.InitProducerIDRequest{TransactionalID: &id}, []string{"shop-1"}},
		{&kmsg.InitProducerIDRequest{}, nil},
		{&kmsg.AddPartitionsToTxnRequest{Version: 3, TransactionalID: id}, []string{"shop-1"}},
		{&kmsg.AddPartitionsToTxnRequest{Version: 4, Transactions: []kmsg.AddPartitionsToTxnRequestTransaction{
			{TransactionalID: "shop-2-real"}, {TransactionalID: id}}}, []string{"shop-2", "shop-1"}},
		{&kmsg.AddOffsetsToTxnRequest{TransactionalID: id}, []string{"shop-1"}},
		{&kmsg.TxnOffsetCommitRequest{TransactionalID: id}, []string{"shop-1"}},
		{&kmsg.EndTxnRequest{TransactionalID: id}, []string{"shop-1"}},
		{&kmsg.EndTxnRequest{TransactionalID: "other"}, nil},
	} {
		selectable[tt.request.Key()] = true
		if diff := cmp.Diff(tt.want, p.known(transactionalIDs(tt.request))); diff != "" {
			t.Errorf("%s v%d (-want +got):\n%s", apiName(tt.request.Key()), tt.request.GetVersion(), diff)
		}
	}
	for key := range int16(kmsg.MaxKey + 1) {
		if namesTransactionalID(key) != selectable[key] {
			t.Errorf("%s: selectable %v, in the list above %v", apiName(key), namesTransactionalID(key), selectable[key])
		}
	}
}

// TestRuleByTransactionalID: only the id that the rule is about is hit, by the name
// that the rule has for it, and the trace has that name.
func TestRuleByTransactionalID(t *testing.T) {
	c := startCluster(t, func(o *Options) {
		o.TransactionalIDs = map[string]string{"shop-1-real": "shop-1"}
		o.Engine = plan(fault.Rule{Action: fault.AnswerInstead, Code: 90, Select: fault.Selector{
			API: "InitProducerId", TransactionalID: "shop-1", First: 1, Probability: 1}})
	}, kfake.NumBrokers(1))
	client := dialNode(t, c.proxy, 0)
	var codes []string
	for _, id := range []string{"shop-2-real", "shop-1-real", "shop-1-real"} {
		init := kmsg.NewPtrInitProducerIDRequest()
		init.Version, init.TransactionalID, init.TransactionTimeoutMillis = 4, &id, 60000
		codes = append(codes, codeName(client.ask(init).(*kmsg.InitProducerIDResponse).ErrorCode))
	}
	if diff := cmp.Diff([]string{"ok", "PRODUCER_FENCED", "ok"}, codes); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	seen := c.proxy.Observed()
	var told []string
	for _, e := range seen.Trace.Exchanges {
		if e.API == "InitProducerId" {
			told = append(told, e.TransactionalID)
		}
	}
	if diff := cmp.Diff([]string{"", "shop-1", "shop-1"}, told); diff != "" {
		t.Errorf("ids in the trace (-want +got):\n%s", diff)
	}
}
