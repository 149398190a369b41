// Package trial puts one variant of a scenario on stage: a fresh broker, a proxy
// with the planned faults in front of it, one client library, one seed. It
// returns what was seen and judges nothing.
package trial

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"kcompare/drivers"
	"kcompare/internal/broker"
	"kcompare/internal/config"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/partition"
	"kcompare/internal/proxy"
	"kcompare/internal/scenario"
)

// Spec is everything that decides how a trial goes, its clock included.
type Spec struct {
	Scenario   scenario.Scenario
	Variant    scenario.Variant
	Driver     drivers.Driver
	Parameters scenario.Parameters
	Overrides  map[string]string // the user's own settings, by any of their names
	Seed       int64
	Repeat     int           // 1, 2, ... with --repeat; 0 without
	Number     int           // its place in the run, from 1
	Nodes      int           // of the broker
	Site       *Site         // the cluster that trials share; nil: an embedded one for this trial alone
	Prefix     string        // of everything that is made on a cluster; "" is DefaultPrefix
	Topic      string        // the user's own name for topics; "" for names by scenario and role
	Alone      bool          // it is the only trial of its run
	Timeout    time.Duration // of what the scenario does; reading back comes on top
	Now        func() time.Time

	// Contestants starts clients as processes of their own; nil: variants that need
	// that are not supported.
	Contestants *Contestants

	// Reported, if set, is called after each record that the client reported on,
	// from any goroutine. It must not block.
	Reported func()

	Sabotage Sabotage
}

// Sabotage breaks one thing each that a trial must notice. Only tests set it.
type Sabotage struct {
	FaultsOff      bool     // faults are planned and never fire
	LeaveAddresses []string // the proxy lets real broker addresses through in answers of these APIs

	// Started is called with the broker and the real names of the topics, by
	// role, before the scenario begins.
	Started func(*broker.Embedded, map[string]string)
}

// Name is the trial in a few words, for progress and errors.
func (s Spec) Name() string {
	name := fmt.Sprintf("%s %s %s", s.Scenario.Name, s.Variant.Name, s.Driver.Client())
	if s.Repeat > 0 {
		name += fmt.Sprintf(" #%d", s.Repeat)
	}
	return name
}

// Check finds out without a broker whether Run would refuse the settings. The
// error is a *drivers.ConfigError.
func (s Spec) Check() error {
	_, err := prepare(s)
	return err
}

// secured adds what it takes to get into the cluster; nil stays nil.
func (s Spec) secured(set map[string]string) map[string]string {
	if set == nil || s.Site == nil || len(s.Site.Security) == 0 {
		return set
	}
	all := maps.Clone(set)
	maps.Copy(all, s.Site.Security)
	return all
}

// ownBroker says whether the cluster may be changed. What is not started yet will
// be ours.
func (s Spec) ownBroker() bool {
	if s.Site == nil || s.Site.Cluster == nil {
		return true
	}
	_, ours := s.Site.Cluster.(proxy.Control)
	return ours
}

// makingTime bounds what is done before the scenario. On a busy machine a Kafka that all
// trials share takes its time over the partitions of all of them.
const makingTime = time.Minute

// readingTime bounds each of the two readings after it, the log by the reader and the
// topics by the client itself, and the removal of what was made.
const readingTime = 10 * time.Second

// Run plays the trial. Whatever the client did is in the evidence; the error is
// a *drivers.ConfigError for settings that nobody can run with, the cause of ctx
// when the user stopped it, and otherwise says why kcompare itself failed.
func Run(ctx context.Context, spec Spec) (*evidence.Observed, error) {
	r, err := prepare(spec)
	if err != nil {
		return nil, err
	}
	if r.observed.Trial.Conditions.Unsupported != "" {
		return r.observed, nil
	}
	if err := r.makePlan(); err != nil {
		return nil, err
	}
	err = r.play(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx) // whatever else went wrong came of it
	}
	return r.observed, err
}

// play starts everything, lets the scenario act, and reads back what came of it.
func (r *run) play(ctx context.Context) error {
	begin := r.spec.Now()
	h, err := open(ctx, r, func() time.Duration { return r.spec.Now().Sub(begin) })
	if err != nil {
		return err
	}
	defer h.close()
	if !r.startClient(ctx) {
		return nil
	}
	defer r.stopClient()
	r.act(ctx, h)
	if ctx.Err() != nil {
		return nil
	}
	r.readBack(ctx, h)
	r.noteProgram()
	r.collect(h)
	r.conclude()
	if err := h.revive(ctx); err != nil {
		return err
	}
	r.observed.Trial.ElapsedMS = r.spec.Now().Sub(begin).Milliseconds()
	return nil
}

// Intended is how many records the variant means to write, for progress.
func (s Spec) Intended() int { return len(s.Variant.Records(s.Parameters, partition.Murmur2)) }

// Planned is the points at which faults are to strike, and how many records the variant
// means to write. It is pure and quick: the seed and the parameters say all of it.
func (s Spec) Planned() (points []fault.Point, records int, err error) {
	r, err := prepare(s)
	if err != nil {
		return nil, 0, err
	}
	if err := r.makePlan(); err != nil {
		return nil, 0, err
	}
	for _, of := range r.planned {
		points = append(points, of...)
	}
	return points, r.records, nil
}

// run is a trial on its way from plan to evidence.
type run struct {
	spec      Spec
	client    drivers.Driver   // of the spec, or its process of this trial
	settings  drivers.Settings // of producers
	consuming drivers.Settings // of the consumers in the story
	plan      fault.Plan
	place     partition.Func           // where the declared partitioner puts keys
	planned   map[string][]fault.Point // by rule
	records   int                      // that the scenario means to write
	inputs    []scenario.Input
	ledger    *scenario.Ledger
	requests  map[string]int64 // of the story, by API
	log       *clientLog
	observed  *evidence.Observed
}

// prepare finds out what the client would make of the settings. It plans nothing,
// so that it is quick.
func prepare(spec Spec) (*run, error) {
	set, err := settingsOf(spec.Variant, spec.Parameters, spec.Overrides)
	if err != nil {
		return nil, err
	}
	log := &clientLog{}
	r := &run{
		spec: spec, client: spec.Driver, log: log,
		settings:  ofProducers(spec.Variant, set.producing, log),
		consuming: drivers.Settings{Config: set.consuming, Bare: spec.Variant.Bare, Log: log.add},
		plan:      spec.Variant.Plan(spec.Parameters),
		ledger:    &scenario.Ledger{Reported: spec.Reported},
		observed:  &evidence.Observed{Trial: describe(spec, set)},
	}
	library := spec.Driver.Library()
	r.observed.Defaults = config.Defaults(library.Name, library.Version, config.Producer)
	r.observed.ConsumingDefaults = config.Defaults(library.Name, library.Version, config.Consumer)
	if r.place, err = placing(set.producing); err != nil {
		return nil, err
	}
	return r, r.askDriver()
}

// placing is where the declared partitioner puts keys. Where none is declared no plan
// asks, and no audit (see collect): murmur2 stands in.
func placing(set map[string]string) (partition.Func, error) {
	declared, is := set["partitioner"]
	if !is {
		return partition.Murmur2, nil
	}
	place, err := partition.ByName(declared)
	if err != nil {
		return nil, &drivers.ConfigError{Keys: []string{"partitioner"}, Reason: fmt.Sprintf(
			"is %q, expected one of %s: a plan has to know where each key goes", declared, strings.Join(partition.Names(), ", "))}
	}
	return place, nil
}

func ofProducers(v scenario.Variant, set map[string]string, log *clientLog) drivers.Settings {
	return drivers.Settings{
		Config: set, OneRecordPerBatch: v.OneRecordPerBatch,
		RecordContexts: v.RecordContexts, GiveUpInFlight: v.GiveUpInFlight, Figures: v.Needs.Figures, Bare: v.Bare, Log: log.add,
	}
}

// makePlan computes from the seed alone where faults will strike.
func (r *run) makePlan() error {
	if err := r.plan.Validate(); err != nil {
		return err
	}
	retries := r.spec.Parameters.Retries
	if set, is := r.settings.Config["retries"]; is {
		var err error
		if retries, err = strconv.Atoi(set); err != nil {
			return &drivers.ConfigError{Keys: []string{"retries"}, Reason: err.Error()}
		}
	}
	records := r.spec.Variant.Records(r.spec.Parameters, r.place)
	r.records = len(records)
	if r.spec.Variant.Inputs != nil {
		r.inputs = r.spec.Variant.Inputs(r.spec.Parameters)
	}
	r.planned = r.plan.Planned(r.spec.Seed, records, fault.MaxAttempts(retries))
	return nil
}

// askDriver notes what the client can express only approximately, or not at all,
// in the story and in the reading after it.
func (r *run) askDriver() error {
	c := &r.observed.Trial.Conditions
	if r.spec.ChangesCluster() && !r.spec.ownBroker() {
		c.Unsupported = "needs own broker: a fault changes the cluster"
		return nil
	}
	if why := r.spec.Variant.NeedsKafka; why != "" && r.spec.embedded() {
		c.Unsupported = "needs Apache Kafka: " + why
		return nil
	}
	if r.spec.Variant.Missing != "" && !r.spec.embedded() {
		c.Unsupported = "needs the embedded broker: it makes a topic when a client asks for it"
		return nil
	}
	if r.spec.Variant.BrokerSettings != nil && (r.spec.embedded() || r.spec.Site.StartOwn == nil) {
		c.Unsupported = "needs a broker of its own: it is about settings of brokers"
		return nil
	}
	if least := r.spec.Variant.Nodes; r.spec.Nodes < least {
		c.Unsupported = fmt.Sprintf("it needs a broker of %d nodes, this one has %d", least, r.spec.Nodes)
		return nil
	}
	if c.Unsupported = r.spec.processless(); c.Unsupported != "" {
		return nil
	}
	if c.Unsupported = unwanted(r.spec.Variant, r.settings.Config, r.consuming.Config); c.Unsupported != "" {
		return nil
	}
	if lacking := r.spec.Variant.Needs.Lacking(r.spec.Driver.Abilities()); len(lacking) > 0 {
		c.Unsupported = fmt.Sprintf("%s has no %s", r.spec.Driver.Client(), strings.Join(lacking, " and no "))
		return nil
	}
	producer := drivers.RoleProducer
	if isTransactional(r.settings.Config) {
		producer = drivers.RoleTransactionalProducer
	}
	err := r.noteDifferences(producer, r.settings)
	if err == nil && r.consuming.Config != nil {
		err = r.noteDifferences(drivers.RoleConsumer, r.consuming)
	}
	if err == nil && c.Unsupported == "" {
		_, err = r.differences(drivers.RoleConsumer, drivers.Settings{Config: r.observed.Trial.Reading})
	}
	return err
}

// noteDifferences lists each difference once: consumers and producers share some.
func (r *run) noteDifferences(role drivers.Role, s drivers.Settings) error {
	differences, err := r.differences(role, s)
	all := &r.observed.Trial.Differences
	for _, d := range differences {
		if !slices.Contains(*all, d) {
			*all = append(*all, d)
		}
	}
	return err
}

// differences notes a setting that the client has no way to express.
func (r *run) differences(role drivers.Role, s drivers.Settings) ([]string, error) {
	s.Config = r.spec.secured(s.Config)
	differences, err := r.spec.Driver.Differences(role, s)
	var unsupported *drivers.UnsupportedError
	if errors.As(err, &unsupported) {
		r.observed.Trial.Conditions.Unsupported = unsupported.Error()
		return differences, nil
	}
	return differences, err
}

func describe(spec Spec, set settings) evidence.Trial {
	v := spec.Variant
	return evidence.Trial{
		Scenario: spec.Scenario.Name, Variant: v.Name, Kind: v.Kind,
		Client: spec.Driver.Client(), Library: spec.Driver.Library().String(), Repeat: spec.Repeat, Number: spec.Number,
		About: v.About(spec.Parameters), Bare: v.Bare, Config: config.Masked(set.producing), Notes: fixedTopics(spec),
		Claim: v.Claim, Requires: v.Requires, Checks: v.Checks, Allowed: v.Allowed,
		Consuming: masked(set.consuming), Reading: config.Masked(set.reading), Differences: []string{},
		Faults: []evidence.Fault{}, Counts: evidence.Counts{}, Requests: map[string]int64{},
		Anomalies: []evidence.Anomaly{}, Errors: []evidence.ErrorCount{}, Reasons: []string{},
		BrokerRows: brokerRows(spec), Repeats: v.Repeats,
	}
}

// fixedTopics says that the user's number of partitions does not apply everywhere.
func fixedTopics(spec Spec) []string {
	fixed := func(t scenario.Topic) bool { return t.Fixed }
	if spec.Parameters.Partitions == 0 || !slices.ContainsFunc(spec.Scenario.Topics, fixed) {
		return nil
	}
	return []string{fmt.Sprintf("--partitions=%d does not apply: the story is about topics of certain numbers of partitions", spec.Parameters.Partitions)}
}

// brokerRows is where the embedded broker's answers are not Kafka's; on any other
// broker there is nothing to say.
func brokerRows(spec Spec) []string {
	if !spec.embedded() {
		return nil
	}
	return spec.Variant.BrokerRows
}

// embedded says whether the broker is the trial's own embedded one.
func (s Spec) embedded() bool { return s.Site == nil }

// masked keeps a story without consumers one without settings of consumers.
func masked(set map[string]string) map[string]string {
	if set == nil {
		return nil
	}
	return config.Masked(set)
}

// act lets the scenario do what it does, and seals the account of it.
func (r *run) act(whole context.Context, h *house) {
	ctx, cancel := context.WithTimeout(whole, r.spec.Timeout)
	defer cancel()
	stage := &scenario.Stage{
		Driver: r.client, Settings: h.throughProxy(r.settings), Consuming: h.throughProxy(r.consuming),
		Topics: h.topics, Parameters: r.spec.Parameters, Ledger: r.ledger,
		Defaults: r.observed.Defaults, ConsumingDefaults: r.observed.ConsumingDefaults,
		Watch: h, Wire: h.wire(), Elapsed: h.clock, Pause: pause,
	}
	if r.spec.Contestants != nil {
		stage.Spawn = r.spec.Contestants.spawn
	}
	err := errors.Join(r.spec.Variant.Run(ctx, stage), h.proxy.Changed(ctx))
	r.ledger.Seal()
	c := &r.observed.Trial.Conditions
	c.Finished = err == nil
	if c.Finished {
		r.awaitGivenUp(whole, h)
	}
	if ctx.Err() != nil {
		err = nil // time was up, which pending records tell
	}
	if err = errors.Join(err, stage.Close()); err != nil {
		c.Error = fmt.Sprintf("the scenario could not go on: %v", err)
	}
	r.requests = h.proxy.Requests() // the story's own, before anything is read
	if err := r.ledger.Err(); err != nil {
		c.Error = err.Error()
	}
}
