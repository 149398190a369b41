package trial

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"kcompare/drivers"
	"kcompare/internal/broker"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/proxy"
	"kcompare/internal/scenario"
)

// house is what a trial runs in: broker, reader, topics, and the proxy in front.
type house struct {
	cluster  broker.Cluster
	embedded *broker.Embedded // the cluster, if it is this trial's own; nil otherwise
	suffix   string           // of names on a cluster that trials share
	reader   *broker.Reader
	proxy    *proxy.Proxy
	topics   map[string]string               // role -> real name
	before   map[broker.TopicPartition]int64 // end offsets when the scenario began
	closers  []func() error
}

// keptExchanges bounds the trace of a trial. The proxy keeps ten times as many of
// Produce, at about half a kilobyte each.
const keptExchanges = 100_000

// open starts everything in order. When a part fails, those before it are
// stopped.
func open(ctx context.Context, r *run, clock func() time.Duration) (*house, error) {
	ctx, cancel := context.WithTimeout(ctx, readingTime)
	defer cancel()
	h := &house{cluster: r.spec.Cluster, topics: map[string]string{}}
	if h.cluster != nil {
		h.suffix = fmt.Sprintf("-%d", r.spec.Number)
	}
	for _, t := range r.spec.Scenario.Topics {
		h.topics[t.Role] = "kcompare-" + r.spec.Scenario.Name + "-" + t.Role + h.suffix
	}
	if err := h.start(ctx, r, clock); err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

func (h *house) start(ctx context.Context, r *run, clock func() time.Duration) error {
	var err error
	if err := h.startBroker(r); err != nil {
		return err
	}
	if h.reader, err = broker.NewReader(h.cluster.Addrs(), h.cluster.Access()); err != nil {
		return fmt.Errorf("connect the reader: %w", err)
	}
	h.closers = append(h.closers, func() error { h.reader.Close(); return nil })
	ids, err := h.createTopics(ctx, r)
	if err != nil {
		return err
	}
	if err := h.writeInputs(ctx, r); err != nil {
		return err
	}
	if h.before, err = h.reader.EndOffsets(ctx, h.topicNames()); err != nil {
		return fmt.Errorf("read the end offsets before the trial: %w", err)
	}
	if h.proxy, err = startProxy(r, h, ids, clock); err != nil {
		return fmt.Errorf("start the proxy: %w", err)
	}
	h.closers = append(h.closers, h.proxy.Close)
	if r.spec.Sabotage.Started != nil {
		r.spec.Sabotage.Started(h.embedded, h.topics)
	}
	return nil
}

// startBroker starts an embedded one where there is none that trials share.
func (h *house) startBroker(r *run) (err error) {
	if h.cluster != nil {
		return nil
	}
	if h.embedded, err = broker.StartEmbedded(r.spec.Nodes); err != nil {
		return fmt.Errorf("start the embedded broker: %w", err)
	}
	h.cluster = h.embedded
	h.closers = append(h.closers, h.embedded.Close)
	return nil
}

// createTopics makes them with the leaders where a trial wants them: how many
// partitions share a connection decides what goes down with it. kfake chooses at
// random, whatever it is told, and so its leaders are moved.
func (h *house) createTopics(ctx context.Context, r *run) (map[string][16]byte, error) {
	var topics []broker.Topic
	for i, t := range r.spec.Scenario.Topics {
		topic := broker.Topic{Name: h.topics[t.Role], Partitions: t.Partitions, Config: t.Config}
		if h.embedded == nil {
			topic.Leaders = r.leaders(i, t.Partitions)
		}
		topics = append(topics, topic)
	}
	ids, err := h.reader.CreateTopics(ctx, topics)
	if err != nil {
		return nil, fmt.Errorf("create the topics of %s: %w", r.spec.Scenario.Name, err)
	}
	if h.embedded == nil {
		h.closers = append(h.closers, func() error { return h.leaveNothing(r) })
		return ids, nil
	}
	return ids, h.moveLeaders(r)
}

// leaders gives partition n to node n modulo nodes, one further for each topic.
func (r *run) leaders(topic int, partitions int32) []int32 {
	var leaders []int32
	for p := range partitions {
		leaders = append(leaders, (p+int32(topic))%int32(r.spec.Nodes))
	}
	return leaders
}

func (h *house) moveLeaders(r *run) error {
	for i, t := range r.spec.Scenario.Topics {
		for p, node := range r.leaders(i, t.Partitions) {
			if err := h.embedded.MoveLeader(h.topics[t.Role], int32(p), node); err != nil {
				return fmt.Errorf("spread the leaders of %s: %w", t.Role, err)
			}
		}
	}
	return nil
}

// leaveNothing removes what a trial made on a cluster that it shares.
func (h *house) leaveNothing(r *run) error {
	ctx, cancel := context.WithTimeout(context.Background(), readingTime)
	defer cancel()
	var groups []string
	if group := r.consuming.Config["group.id"]; group != "" {
		groups = append(groups, group+h.suffix)
	}
	return errors.Join(h.reader.DeleteTopics(ctx, h.topicNames()), h.reader.DeleteGroups(ctx, groups))
}

// writeInputs writes what stands in a topic before the story begins, where the
// declared partitioner puts it.
func (h *house) writeInputs(ctx context.Context, r *run) error {
	var records []drivers.Record
	for _, in := range r.inputs {
		records = append(records, drivers.Record{
			Topic: h.topics[in.Topic], Partition: r.place(in.Key, r.partitions(in.Topic)), Key: in.Key, Value: in.Value,
			Headers: []drivers.Header{{Key: evidence.IDHeader, Value: []byte(in.ID.String())}},
		})
	}
	if err := h.reader.Write(ctx, records); err != nil {
		return fmt.Errorf("write the inputs of %s: %w", r.spec.Scenario.Name, err)
	}
	return nil
}

// partitions is how many the topic of a role has.
func (r *run) partitions(role string) int32 {
	i := slices.IndexFunc(r.spec.Scenario.Topics, func(t scenario.Topic) bool { return t.Role == role })
	return r.spec.Scenario.Topics[i].Partitions
}

func startProxy(r *run, h *house, ids map[string][16]byte, clock func() time.Duration) (*proxy.Proxy, error) {
	plan := r.plan
	if r.spec.Sabotage.FaultsOff {
		plan = nil
	}
	roles, names := map[string]string{}, map[[16]byte]string{}
	for role, topic := range h.topics {
		roles[topic] = role
		names[ids[topic]] = topic
	}
	return proxy.Start(proxy.Options{
		Upstreams: h.cluster.Addrs(), Roles: roles, TopicIDs: names,
		Engine: fault.NewEngine(plan, r.spec.Seed), Clock: clock, Keep: keptExchanges,
		LeaveAddresses: r.spec.Sabotage.LeaveAddresses,
	})
}

// strangers says who reached a node of the broker past the proxy. Only the embedded
// one tells who is connected; elsewhere each batch in the log has to have its
// Produce in the trace.
func (h *house) strangers(proxySide []string) []string {
	if h.embedded == nil {
		return nil
	}
	known := map[string]bool{}
	for _, addr := range slices.Concat(proxySide, h.reader.Connections()) {
		known[addr] = true
	}
	n := len(h.embedded.Strangers(known))
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d connections reached the broker past the proxy", n)}
}

// throughProxy points settings at the proxy, and on a shared cluster at ids that no
// other trial has; evidence keeps them as they are for every trial.
func (h *house) throughProxy(s drivers.Settings) drivers.Settings {
	if s.Config == nil {
		return s // there is no such client
	}
	s.Config = maps.Clone(s.Config)
	s.Config["bootstrap.servers"] = h.proxy.Bootstrap()
	for _, id := range []string{"transactional.id", "group.id"} {
		if s.Config[id] != "" {
			s.Config[id] += h.suffix
		}
	}
	return s
}

func (h *house) topicNames() []string { return slices.Sorted(maps.Values(h.topics)) }

// close stops what was started, the last part first.
func (h *house) close() {
	for _, stop := range slices.Backward(h.closers) {
		_ = stop() // the evidence is complete by now, and the process goes on
	}
	h.closers = nil
}
