package trial

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
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
	spec     Spec
	cluster  broker.Cluster
	embedded *broker.Embedded // the cluster, if it is this trial's own; nil otherwise
	names    Names
	reader   *broker.Reader
	readers  []*broker.Reader // this one, and those before it
	proxy    *proxy.Proxy
	topics   map[string]string               // role -> real name, those of names
	ours     []string                        // topics on a shared cluster that the trial removes
	before   map[broker.TopicPartition]int64 // end offsets when the scenario began
	clock    func() time.Duration            // since the trial began
	closers  []func() error

	exchanges exchanges
}

// keptExchanges bounds the trace of a trial. The proxy keeps ten times as many of
// Produce, at about half a kilobyte each.
const keptExchanges = 100_000

// open starts everything in order. When a part fails, those before it are
// stopped.
func open(ctx context.Context, r *run, clock func() time.Duration) (*house, error) {
	h := &house{spec: r.spec, names: r.spec.Names(), clock: clock}
	h.topics = h.names.Topics
	if err := h.findCluster(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, makingTime)
	defer cancel()
	if err := h.start(ctx, r); err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

// findCluster is the one that trials share, or another for this trial alone where it is
// about settings of brokers. An embedded one is started later.
func (h *house) findCluster(ctx context.Context) (err error) {
	site := h.spec.Site
	if site == nil {
		return nil
	}
	h.cluster = site.Cluster
	own := h.spec.Variant.BrokerSettings
	if own == nil {
		return nil
	}
	if h.cluster, err = site.StartOwn(ctx, own); err != nil {
		return fmt.Errorf("start a broker for this trial: %w", err)
	}
	h.closers = append(h.closers, h.cluster.Close)
	return nil
}

func (h *house) start(ctx context.Context, r *run) error {
	var err error
	if err := h.startBroker(r); err != nil {
		return err
	}
	if err := h.connectReader(); err != nil {
		return err
	}
	ids, err := h.createTopics(ctx, r)
	if err != nil {
		return err
	}
	if err := h.awaitCoordinators(ctx); err != nil {
		return err
	}
	if err := h.writeInputs(ctx, r); err != nil {
		return err
	}
	if h.before, err = h.reader.EndOffsets(ctx, h.topicNames()); err != nil {
		return fmt.Errorf("read the end offsets before the trial: %w", err)
	}
	if h.proxy, err = startProxy(r, h, ids); err != nil {
		return fmt.Errorf("start the proxy: %w", err)
	}
	h.closers = append(h.closers, h.proxy.Close)
	if r.spec.Sabotage.Started != nil {
		r.spec.Sabotage.Started(h.embedded, h.topics)
	}
	return nil
}

// awaitCoordinators: a cluster makes the topics of its coordinators when the first
// client asks for one, and answers COORDINATOR_NOT_AVAILABLE meanwhile. How long a
// library puts up with that is not what a trial is about.
func (h *house) awaitCoordinators(ctx context.Context) error {
	if h.embedded != nil {
		return nil
	}
	for kind, key := range map[int8]string{
		proxy.GroupCoordinator: h.names.Group, proxy.TransactionCoordinator: h.names.TransactionalID,
	} {
		if key == "" {
			continue
		}
		if err := h.reader.AwaitCoordinator(ctx, kind, key); err != nil {
			return fmt.Errorf("wait for the coordinator of %s: %w", key, err)
		}
	}
	if h.names.TransactionalID == "" {
		return nil
	}
	return h.reader.AwaitProducerIDs(ctx)
}

// startBroker starts an embedded one where there is none that trials share.
func (h *house) startBroker(r *run) (err error) {
	if h.cluster != nil {
		return nil
	}
	var options []broker.EmbeddedOption
	if r.spec.Variant.Missing != "" {
		options = broker.AutoCreateTopics()
	}
	if h.embedded, err = broker.StartEmbedded(r.spec.Nodes, options...); err != nil {
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
		topic := broker.Topic{Name: h.topics[t.Role], Partitions: r.partitions(t.Role), Config: t.Config}
		if site := r.spec.Site; site != nil {
			topic.Leaders, topic.Replicas = h.leaders(i, topic.Partitions), site.Replicas
			topic.Config = joined(site.TopicConfig, t.Config)
		}
		topics = append(topics, topic)
	}
	if h.embedded == nil {
		if err := h.claimNames(ctx); err != nil {
			return nil, err
		}
	}
	ids, err := h.makeTopics(ctx, r, topics)
	if err != nil {
		return nil, fmt.Errorf("create the topics of %s: %w", r.spec.Scenario.Name, err)
	}
	if h.embedded == nil {
		return ids, nil
	}
	return ids, h.moveLeaders(r)
}

// makeTopics lets the cluster choose leaders where it takes no choice. What somebody
// else made since claimNames looked is not the trial's to remove.
func (h *house) makeTopics(ctx context.Context, r *run, topics []broker.Topic) (map[string][16]byte, error) {
	ids, err := h.reader.CreateTopics(ctx, topics)
	if errors.Is(err, broker.ErrAssignment) {
		r.observed.Trial.Notes = append(r.observed.Trial.Notes, "the cluster does not let anybody choose leaders: they are where it put them")
		ids, err = h.reader.CreateTopics(ctx, withoutLeaders(topics))
	}
	var taken *broker.TakenError
	if errors.As(err, &taken) && h.embedded == nil {
		h.ours = slices.DeleteFunc(h.ours, func(name string) bool { return slices.Contains(taken.Topics, name) })
		h.spec.Site.Remains.removed("topic", taken.Topics...)
	}
	return ids, err
}

// claimNames makes sure that nothing is there yet, for the trial removes its topics at
// the end.
func (h *house) claimNames(ctx context.Context) error {
	there, err := h.reader.Existing(ctx, h.topicNames())
	if err != nil {
		return fmt.Errorf("look for topics that are there already: %w", err)
	}
	if len(there) > 0 {
		return fmt.Errorf("topic %s is there already, and a trial writes only to topics that it made: delete it (kcompare topics delete), or choose another --topic or --prefix",
			strings.Join(there, " and "))
	}
	h.ours = h.topicNames()
	h.closers = append(h.closers, h.leaveNothing)
	h.spec.Site.Remains.made("topic", h.ours...)
	h.spec.Site.Remains.made("group", h.names.Group)
	return nil
}

func withoutLeaders(topics []broker.Topic) []broker.Topic {
	for i := range topics {
		topics[i].Leaders = nil
	}
	return topics
}

// joined is both maps in one; the second wins.
func joined(first, second map[string]string) map[string]string {
	all := maps.Clone(first)
	if all == nil {
		return second
	}
	maps.Copy(all, second)
	return all
}

// leaders gives partition n to the nth node, and around again, one further for each
// topic.
func (h *house) leaders(topic int, partitions int32) []int32 {
	nodes := slices.Sorted(maps.Keys(h.cluster.Addrs()))
	var leaders []int32
	for p := range partitions {
		leaders = append(leaders, nodes[(int(p)+topic)%len(nodes)])
	}
	return leaders
}

func (h *house) moveLeaders(r *run) error {
	for i, t := range r.spec.Scenario.Topics {
		for p, node := range h.leaders(i, r.partitions(t.Role)) {
			if err := h.embedded.PlaceLeader(h.topics[t.Role], int32(p), node); err != nil {
				return fmt.Errorf("spread the leaders of %s: %w", t.Role, err)
			}
		}
	}
	return nil
}

// revivingTime bounds what a shared cluster needs until all its nodes are back.
const revivingTime = 2 * time.Minute

// revive makes a shared cluster whole again after a trial that changed it, so that the
// next trial finds what the first one did.
func (h *house) revive(ctx context.Context) error {
	changed, can := h.cluster.(interface{ Revive(context.Context) error })
	if h.embedded != nil || !can || !h.spec.ChangesCluster() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, revivingTime)
	defer cancel()
	return changed.Revive(ctx)
}

// leaveNothing removes what a trial made on a cluster that it shares. What could not
// be removed stays in Site.Remains.
func (h *house) leaveNothing() error {
	site := h.spec.Site
	ctx, cancel := context.WithTimeout(context.Background(), readingTime)
	defer cancel()
	var noTopics, noGroup error
	if !site.Keep {
		if noTopics = h.reader.DeleteTopics(ctx, h.ours); noTopics == nil {
			site.Remains.removed("topic", h.ours...)
		}
	}
	if h.names.Group != "" {
		if noGroup = h.reader.DeleteGroups(ctx, []string{h.names.Group}); noGroup == nil {
			site.Remains.removed("group", h.names.Group)
		}
	}
	site.Remains.refused(noTopics)
	site.Remains.refused(noGroup)
	return errors.Join(noTopics, noGroup)
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
	return r.spec.Scenario.Topics[i].PartitionsWith(r.spec.Parameters)
}

// storyIDs are the real transactional ids that a plan is about, with what the story
// calls them: the variant's own one, and those beside it (scenario.Stage.OwnID).
func storyIDs(plan fault.Plan, story, real string) map[string]string {
	ids := map[string]string{}
	for _, rule := range plan {
		name := rule.Select.TransactionalID
		if part, ours := strings.CutPrefix(name, story); ours && name != "" && (part == "" || part[0] == '-') {
			ids[real+part] = name
		}
	}
	return ids
}

func startProxy(r *run, h *house, ids map[string][16]byte) (*proxy.Proxy, error) {
	plan := r.plan
	if r.spec.Sabotage.FaultsOff {
		plan = nil
	}
	roles, names := map[string]string{}, map[[16]byte]string{}
	for role, topic := range h.topics {
		roles[topic] = role
		names[ids[topic]] = topic
	}
	opts := proxy.Options{
		Upstreams: h.cluster.Addrs(), Roles: roles, TopicIDs: names,
		TransactionalIDs: storyIDs(plan, r.spec.Variant.Settings["transactional.id"], h.names.TransactionalID),
		Engine:           fault.NewEngine(plan, r.spec.Seed), Clock: h.clock, Keep: keptExchanges,
		OnExchange: h.exchanges.settled, Fields: r.spec.Variant.Fields,
		LeaveAddresses: r.spec.Sabotage.LeaveAddresses,
	}
	opts.Control, _ = h.cluster.(proxy.Control)
	if site := r.spec.Site; site != nil {
		opts.ClientTLS, opts.BrokerTLS = site.ClientTLS, site.BrokerTLS
	}
	return proxy.Start(opts)
}

// connectReader makes the reader, and once more after a story in which the cluster
// changed: a node that was restarted may be somewhere else, and a reader that knew no
// other node would not find it.
func (h *house) connectReader() error {
	reader, err := broker.NewReader(h.cluster.Addrs(), h.cluster.Access())
	if err != nil {
		return fmt.Errorf("connect the reader: %w", err)
	}
	h.reader, h.readers = reader, append(h.readers, reader)
	h.closers = append(h.closers, func() error { return h.closeReader(reader) })
	return nil
}

func (h *house) closeReader(reader *broker.Reader) error {
	reader.Close()
	if site := h.spec.Site; site != nil {
		site.dialledFrom(reader.Connections()...)
	}
	return nil
}

// strangers says who reached a node of the trial's own broker past the proxy. Where
// trials share one, whoever asks at the end of the run has to know the connections
// of them all (Site.Strangers); and each batch in the log has to have its Produce in
// the trace, wherever it is.
func (h *house) strangers(proxySide []string) []string {
	if h.embedded == nil {
		h.spec.Site.dialledFrom(proxySide...)
		return nil
	}
	known := map[string]bool{}
	for _, addr := range proxySide {
		known[addr] = true
	}
	for _, reader := range h.readers {
		for _, addr := range reader.Connections() {
			known[addr] = true
		}
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
	s.Config = joined(s.Config, h.spec.secured(map[string]string{"bootstrap.servers": h.proxy.Bootstrap()}))
	if s.Config["transactional.id"] != "" {
		s.Config["transactional.id"] = h.names.TransactionalID
	}
	if s.Config["group.id"] != "" {
		s.Config["group.id"] = h.names.Group
	}
	return s
}

// topicNames are the topics that the trial makes.
func (h *house) topicNames() []string {
	names := maps.Clone(h.topics)
	delete(names, h.spec.Variant.Missing)
	return slices.Sorted(maps.Values(names))
}

// written are the topics that may have something: those of the trial, and the missing
// one if it is there by now.
func (h *house) written(ctx context.Context) ([]string, error) {
	missing := h.topics[h.spec.Variant.Missing]
	if missing == "" {
		return h.topicNames(), nil
	}
	there, err := h.reader.Existing(ctx, []string{missing})
	if err != nil {
		return nil, fmt.Errorf("look for the topic that was missing: %w", err)
	}
	return slices.Concat(h.topicNames(), there), nil
}

// close stops what was started, the last part first.
func (h *house) close() {
	for _, stop := range slices.Backward(h.closers) {
		_ = stop() // the evidence is complete by now, and the process goes on
	}
	h.closers = nil
}
