package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"kcompare/drivers"
	"kcompare/internal/bench"
	"kcompare/internal/config"
	"kcompare/internal/evidence"
	"kcompare/internal/kafkatools"
)

// setContestants chooses who is timed: clients, or one client with several values of a key.
func (o *benchOptions) setContestants(ctx context.Context, plan *bench.Options) error {
	values := o.clients
	if o.compare != "" && !o.given("client") {
		values = []string{"franz"}
	}
	names, err := distinctClients(values)
	if err != nil {
		return err
	}
	compared, err := o.compared(plan.Config)
	if err != nil {
		return err
	}
	if compared.key != "" && (len(names) > 1 || names[0] == allClients) {
		return usagef("--compare and --client=%s: a setting is compared within one client", strings.Join(names, ","))
	}
	tools, err := o.tools(compared.key)
	if err != nil {
		return err
	}
	players, err := o.players(ctx, names)
	if err != nil {
		return err
	}
	plan.Contestants = slices.Concat(players, tools)
	if compared.key != "" {
		plan.Compare = compared.key
		plan.Contestants, err = o.withValues(players[0], compared)
	}
	return err
}

// players starts each client's program.
func (o *benchOptions) players(ctx context.Context, names []string) ([]bench.Contestant, error) {
	all := names[0] == allClients
	if all {
		names = o.state.builtInNames()
		for _, n := range o.state.ready() {
			names = append(names, n.Given)
		}
	}
	made, errs := make([]*bench.Contestant, len(names)), make([]error, len(names))
	var group errgroup.Group
	for i, name := range names {
		group.Go(func() error {
			made[i], errs[i] = o.player(ctx, name)
			return nil
		})
	}
	_ = group.Wait() // none returns one
	var players []bench.Contestant
	for i, err := range errs {
		switch {
		case err == nil:
			players = append(players, *made[i])
		case all:
			fmt.Fprintf(o.state.Stderr, "kcompare: without %s: %v\n", names[i], err)
		default:
			return nil, err
		}
	}
	if len(players) == 0 {
		return nil, fmt.Errorf("no client could be started")
	}
	return players, nil
}

// player is a client in a process of its own, which those of other languages are anyway.
func (o *benchOptions) player(ctx context.Context, name string) (*bench.Contestant, error) {
	if _, is, err := o.state.builtIn(name); is && err != nil {
		return nil, err // better known before its process is started
	}
	d, err := o.apart(ctx, name)
	if err != nil {
		return nil, err
	}
	program, is := d.(drivers.Program)
	if !is {
		return nil, fmt.Errorf("client %s: it is no program, and cannot be timed in a process of its own", name)
	}
	return &bench.Contestant{Name: name, Client: name, Open: bench.Program(program)}, nil
}

func (o *benchOptions) apart(ctx context.Context, name string) (drivers.Driver, error) {
	if slices.Contains(o.state.builtInNames(), name) {
		return o.state.ownProgram(ctx, name)
	}
	return o.state.contestant(ctx, name)
}

// The values of --beside.
const (
	besidePerfTest = "perf-test"
	besideCopier   = "copier"
)

// tools are Kafka's own, which do one kind of work each.
func (o *benchOptions) tools(comparedKey string) ([]bench.Contestant, error) {
	var tools []bench.Contestant
	options := kafkatools.Options{Kafka: o.kafka(o.state)}
	for i, name := range o.beside {
		switch known := []string{besidePerfTest, besideCopier}; {
		case slices.Contains(o.beside[:i], name):
			return nil, usagef("--beside: %s is named twice", name)
		case !slices.Contains(known, name):
			return nil, fmt.Errorf("--beside: %w", unknown("tool", name, known))
		case comparedKey != "":
			return nil, usagef("--beside=%s and --compare: a setting is compared within one client", name)
		case name == besidePerfTest && o.work != evidence.BenchProduce && o.work != evidence.BenchLatency:
			return nil, usagef("--beside=%s: it does produce and latency, not %s", name, o.work)
		case name == besideCopier && o.work != evidence.BenchRPW:
			return nil, usagef("--beside=%s: it does rpw, not %s", name, o.work)
		case name == besidePerfTest:
			tools = append(tools, kafkatools.PerfTest(options))
		default:
			tools = append(tools, kafkatools.Copier(options))
		}
	}
	return tools, nil
}

// compared is --compare, read.
type compared struct {
	key    string // canonical; "" without --compare
	values []string
}

func (o *benchOptions) compared(all map[string]string) (compared, error) {
	if o.compare == "" {
		return compared{}, nil
	}
	key, list, ok := strings.Cut(o.compare, "=")
	values := strings.Split(list, ",")
	if !ok || key == "" || len(values) < 2 || slices.Contains(values, "") {
		return compared{}, usagef("--compare %s: expected KEY=A,B,... with two values at least, such as acks=1,all", o.compare)
	}
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			return compared{}, usagef("--compare %s: %s stands there twice", o.compare, v)
		}
	}
	if isLoadKey(key) {
		return compared{key, values}, o.checkLoadKey(key)
	}
	return o.comparedSetting(key, values, all)
}

// comparedSetting checks every value as if -X had set it.
func (o *benchOptions) comparedSetting(key string, values []string, all map[string]string) (compared, error) {
	setting, known := config.Lookup(key)
	if !known {
		return compared{}, usageError{fmt.Errorf("--compare: %w", unknown("key", key, append(evidence.LoadKeys(), config.Names()...)))}
	}
	if _, twice := all[setting.Name]; twice {
		return compared{}, usagef("--compare %s and -X %s: give one of them", key, setting.Name)
	}
	for _, v := range values {
		if _, err := overrides([]string{key + "=" + v}, notForBench()); err != nil {
			return compared{}, usageError{fmt.Errorf("--compare: %w", err)}
		}
	}
	return compared{setting.Name, values}, nil
}

// withValues makes contestants of one.
func (o *benchOptions) withValues(one bench.Contestant, c compared) ([]bench.Contestant, error) {
	var all []bench.Contestant
	for _, v := range c.values {
		with := one
		with.Name, with.Value = fmt.Sprintf("%s %s=%s", one.Name, c.key, v), v
		if isLoadKey(c.key) {
			load, err := o.loadWith(c.key, v)
			if err != nil {
				return nil, err
			}
			with.Load = load
		} else {
			with.Config = map[string]string{c.key: v}
		}
		all = append(all, with)
	}
	return all, nil
}
