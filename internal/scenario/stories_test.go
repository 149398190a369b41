package scenario

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
	"kcompare/drivers/memory"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
)

// TestEveryStoryOnAnHonestClient: without faults each story comes to its end, and
// what it hands over is what its plan lists.
func TestEveryStoryOnAnHonestClient(t *testing.T) {
	for _, s := range All() {
		for _, v := range s.Variants {
			if why := tooMuchForMemory(v); why != "" {
				t.Logf("%s %s is not played: %s", s.Name, v.Name, why)
				continue
			}
			for _, messages := range []int{1, 3, 40, 200} {
				synctest.Test(t, func(t *testing.T) { playOnMemory(t, s, v, messages) })
			}
		}
	}
}

// playOnMemory runs on a clock that jumps ahead when everybody waits.
func playOnMemory(t *testing.T, s Scenario, v Variant, messages int) {
	p := DefaultParameters()
	p.Messages = messages
	stage := onMemory(t, s, v, p)
	if err := v.Run(t.Context(), stage); err != nil {
		t.Errorf("%s %s with %d messages: %v", s.Name, v.Name, messages, err)
	}
	if err := stage.Close(); err != nil {
		t.Errorf("%s %s: %v", s.Name, v.Name, err)
	}
	if diff := cmp.Diff(plannedOf(v, p), handedOver(stage)); diff != "" {
		t.Errorf("%s %s with %d messages: planned and handed over differ (-planned +handed over):\n%s", s.Name, v.Name, messages, diff)
	}
}

// onMemory sets the stage with an honest client and the topics and inputs of the
// story.
func onMemory(t *testing.T, s Scenario, v Variant, p Parameters) *Stage {
	return withLiar(t, memory.Honest, s, v, p)
}

func withLiar(t *testing.T, lie memory.Lie, s Scenario, v Variant, p Parameters) *Stage {
	t.Helper()
	driver, began := memory.New(lie), time.Now()
	stage := &Stage{
		Driver: driver, Topics: map[string]string{}, Parameters: p, Ledger: &Ledger{},
		Settings: onlyKnown(v.Settings), Consuming: onlyKnown(v.Consuming),
		Watch: instantly{driver.Broker()}, Wire: expelling{driver.Broker()}, Elapsed: func() time.Duration { return time.Since(began) }, Pause: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
	stage.Spawn = (&goroutines{driver: driver}).spawn
	for _, topic := range s.Topics {
		stage.Topics[topic.Role] = "kcompare-" + topic.Role
		driver.Broker().CreateTopic(stage.Topics[topic.Role], topic.Partitions)
	}
	if v.Missing != "" { // it is made when somebody asks for it
		stage.Topics[v.Missing] = "kcompare-" + v.Missing
		driver.Broker().CreateTopic(stage.Topics[v.Missing], 1)
	}
	if v.Inputs != nil {
		write(t, stage, v.Inputs(p))
	}
	return stage
}

// expelling expels from the group whoever is cut or held, as the end of a session does.
type expelling struct{ broker *memory.Broker }

func (w expelling) Cut(clientID string) int  { return w.broker.Expel(clientID) }
func (w expelling) Hold(clientID string) int { return w.broker.Expel(clientID) }
func (expelling) Lift(string)                {}

// tooMuchForMemory is what the driver in memory cannot do for a story; "" if it can
// all that is needed.
func tooMuchForMemory(v Variant) string {
	if lacking := v.Needs.Lacking(memory.New(memory.Honest).Abilities()); len(lacking) > 0 {
		return fmt.Sprintf("the driver in memory has no %s", strings.Join(lacking, " and no "))
	}
	if strings.HasPrefix(v.Name, "member=none,") {
		return "a group in memory has no session timeout"
	}
	if v.Consuming["enable.auto.commit"] == "true" && v.Consuming["enable.auto.offset.store"] != "false" {
		return "a consumer in memory commits nothing by itself, so nobody can wait for it"
	}
	return ""
}

// instantly is a stage on which whatever is waited for has happened. A transaction that
// is still open has timed out then.
type instantly struct{ broker *memory.Broker }

func (instantly) Exchange(context.Context, func(evidence.Exchange) bool) (evidence.Exchange, error) {
	return evidence.Exchange{}, nil
}

func (i instantly) Decided(context.Context) error {
	i.broker.TimeOut()
	return nil
}

func (i instantly) Standing(context.Context, func([]evidence.Standing) bool) ([]evidence.Standing, error) {
	i.broker.TimeOut()
	return nil, nil
}

func onlyKnown(set map[string]string) drivers.Settings {
	known := map[string]string{"bootstrap.servers": memory.Address}
	for _, key := range []string{"transactional.id", "group.id", "acks", "enable.idempotence"} {
		if value, ok := set[key]; ok {
			known[key] = value
		}
	}
	if known["group.id"] != "" {
		known["auto.offset.reset"] = "earliest"
	}
	return drivers.Settings{Config: known}
}

func write(t *testing.T, s *Stage, inputs []Input) {
	t.Helper()
	p, err := s.Driver.NewProducer(drivers.Settings{Config: map[string]string{"bootstrap.servers": memory.Address}})
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range inputs {
		r := drivers.Record{Topic: s.Topics[in.Topic], Key: in.Key, Value: in.Value}
		p.Produce(t.Context(), r, func(drivers.Delivery) {})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := p.Flush(ctx); err != nil {
		t.Fatal(err)
	}
}

func plannedOf(v Variant, p Parameters) []string {
	var all []string
	for _, r := range v.Records(p, partition.Murmur2) {
		all = append(all, "kcompare-"+r.Role+" "+r.Record)
	}
	slices.Sort(all)
	return all
}

func handedOver(s *Stage) []string {
	var all []string
	for _, send := range s.Ledger.Sends() {
		all = append(all, send.Topic+" "+send.ID.String())
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestFencing: what an old instance does counts as fenced from the moment at which
// the new one is ready, and what it had open does too.
func TestFencing(t *testing.T) {
	z := zombie()
	v := z.Variants[0]
	p := DefaultParameters()
	p.Messages = 40
	stage := onMemory(t, z, v, p)
	if err := v.Run(t.Context(), stage); err != nil {
		t.Fatal(err)
	}
	want := []evidence.Transaction{
		{N: 1, Instance: 1, Asked: evidence.AskedCommit, Outcome: evidence.TransactionUnknown, Fenced: true},
		{N: 2, Instance: 2, Asked: evidence.AskedCommit, Outcome: evidence.TransactionCommitted},
	}
	if diff := cmp.Diff(want, stage.Ledger.Transactions()); diff != "" {
		t.Errorf("transactions (-want +got):\n%s", diff)
	}
	var fenced []string
	for _, s := range stage.Ledger.Sends() {
		if s.Fenced {
			fenced = append(fenced, s.Send.String()[:4]+s.ID.String())
		}
	}
	if diff := cmp.Diff([]string{"1/2/payments/2"}, fenced); diff != "" {
		t.Errorf("sends of a fenced instance (-want +got):\n%s", diff)
	}
	for _, e := range stage.Ledger.Errors() {
		if e.Who != oldInstance {
			t.Errorf("an error of %q, only the old instance has any: %+v", e.Who, e)
		}
	}
}

// TestPlansAreReached: with no request repeated, an honest client sends as many of
// each API as a plan counts on, whatever the number of messages.
func TestPlansAreReached(t *testing.T) {
	for _, messages := range []int{1, 2, 7, 50, 200} {
		p := DefaultParameters()
		p.Messages = messages
		for _, rule := range append(loseEndings(p), disturbProcessor(p)...) {
			if first := rule.Select.First; first > ordersOf(p) {
				t.Errorf("%d messages: %s counts on %d requests in %d transactions", messages, rule.Name, first, ordersOf(p))
			}
		}
	}
}

func TestCrashOffset(t *testing.T) {
	for n := 1; n <= 300; n++ {
		at := crashOffset(n)
		inputs := incomingOrders(Parameters{Messages: 5 * n})
		if at < 0 || at >= int64(n) || !inputs[at].Valid {
			t.Errorf("%d orders: crash at %d, expected a valid order", n, at)
		}
	}
}

func TestProcessOrder(t *testing.T) {
	outputs, err := processOrder(drivers.Record{Key: []byte("order_7"), Value: []byte(`{"order_id": 7, "amount": 120}`)})
	if err != nil {
		t.Fatal(err)
	}
	id := evidence.RecordID{Role: orders, N: 7}
	want := []Message{
		{Topic: processedOrders, ID: id, Key: []byte("order_7"), Value: []byte(`{"order_id": 7, "status": "processed", "amount": 120.00, "tax": 12.00}`)},
		{Topic: orderEvents, ID: id, Key: []byte("order_7"), Value: []byte(`{"event": "order_processed", "order_id": 7}`)},
	}
	if diff := cmp.Diff(want, outputs); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	for _, wrong := range []string{`{"order_id": 7, "amount": 0}`, `{"order_id": 7, "amount": -1}`, `{"amount"`} {
		if _, err := processOrder(drivers.Record{Value: []byte(wrong)}); err == nil {
			t.Errorf("order %s was processed", wrong)
		}
	}
}

// TestUnansweredOrders: the story of abort=unanswered needs the orders in one
// partition, and the refused event on another node than the order whose answer is
// lost.
func TestUnansweredOrders(t *testing.T) {
	place := func(m Message) fault.Record { return m.planned(partition.Murmur2, shopPartitions) }
	node := func(n, topic int) int32 { return (place(unanswered(n)[topic]).Partition + int32(topic)) % 3 }
	for _, n := range []int{givenUp, following} {
		if place(unanswered(n)[0]).Partition != place(unanswered(connecting)[0]).Partition {
			t.Errorf("order %d goes to another partition", n)
		}
	}
	if place(unanswered(givenUp)[1]).Partition == place(unanswered(following)[1]).Partition {
		t.Error("the event behind the refused one goes to the same partition")
	}
	if node(givenUp, 0) == node(givenUp, 1) {
		t.Error("the refused event shares a node with its order")
	}
	if !strings.Contains(string(unanswered(givenUp)[1].Value), "note") {
		t.Error("no event is refused")
	}
}
