package cli

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kcompare/drivers"
	"kcompare/internal/config"
	"kcompare/internal/scenario"
	"kcompare/internal/trial"
)

// The values of --broker.
const (
	brokerEmbedded = "embedded"
	brokerKafka    = "kafka"
)

// specs checks everything that a user can get wrong and lists the trials in the
// order of the report: scenario, variant, client, repeat.
func (o *runOptions) specs(ctx context.Context) ([]trial.Spec, error) {
	if err := o.checkBroker(); err != nil {
		return nil, err
	}
	if err := o.checkFlags(); err != nil {
		return nil, err
	}
	scenarios, err := chooseScenarios(o.scenarios)
	if err != nil {
		return nil, err
	}
	clients, err := o.state.contestants(ctx, o.clients)
	if err != nil {
		return nil, err
	}
	if o.overrides, err = overrides(o.settings, notForX); err != nil {
		return nil, err
	}
	var specs []trial.Spec
	for _, s := range scenarios {
		for _, v := range o.chosenVariants(s) {
			for _, d := range clients {
				spec := trial.Spec{
					Scenario: s, Variant: v.With(o.parameters), Driver: d, Overrides: o.overrides, Parameters: o.parameters,
					Site: o.site, Prefix: o.prefix, Topic: o.topic,
				}
				if err := spec.Check(); err != nil {
					return nil, fmt.Errorf("%s %s: %w", s.Name, v.Name, err)
				}
				specs = append(specs, o.repeats(spec)...)
			}
		}
	}
	for i := range specs {
		specs[i].Number, specs[i].Alone = i+1, len(specs) == 1
	}
	return specs, o.checkVariants(scenarios)
}

func (o *runOptions) repeats(spec trial.Spec) []trial.Spec {
	spec.Seed, spec.Nodes = o.seed, o.nodes
	spec.Timeout, spec.Now = o.timeout(), o.state.Now
	if o.repeat == 1 {
		return []trial.Spec{spec}
	}
	var all []trial.Spec
	for n := 1; n <= o.repeat; n++ {
		spec.Repeat = n
		all = append(all, spec)
	}
	return all
}

func (o *runOptions) checkFlags() error {
	p := o.parameters
	switch {
	case p.Messages < 1 || p.Messages > 1_000_000:
		return usagef("--messages=%d: expected 1 to 1000000", p.Messages)
	case !(p.DropRate >= 0 && p.DropRate <= 1): // NaN too
		return usagef("--drop-rate=%v: expected 0 to 1", p.DropRate)
	case p.DeliveryTimeout < time.Second || p.DeliveryTimeout > 24*time.Hour:
		return usagef("--delivery-timeout=%v: expected 1s to 24h", p.DeliveryTimeout)
	case p.Partitions < 0 || p.Partitions > 1000:
		return usagef("--partitions=%d: expected 1 to 1000", p.Partitions)
	case p.Retries < 0:
		return usagef("--retries=%d: expected 0 or more", p.Retries)
	case p.Warmup < 1:
		return usagef("--warmup=%d: expected 1 or more", p.Warmup)
	case plannedFaults(p) > mostPlanned:
		return usagef("--messages=%d with --drop-rate=%v plans about %.0f faults: expected at most %d",
			p.Messages, p.DropRate, plannedFaults(p), mostPlanned)
	case o.repeat < 1 || o.repeat > 1000:
		return usagef("--repeat=%d: expected 1 to 1000", o.repeat)
	case o.trialTimeout < 0:
		return usagef("--trial-timeout=%v: expected 0 or more", o.trialTimeout)
	}
	if err := oneOf("shrink", o.shrink, shrinkAuto, shrinkAlways, shrinkNever); err != nil {
		return err
	}
	return oneOf("progress", o.progress, progressAuto, progressPlain, progressNone)
}

// mostPlanned keeps a plan, which is held in memory, below some hundred megabytes.
const mostPlanned = 2_000_000

// plannedFaults is about how many attempts are hit, if each record is sent until
// it is spared or its retries are used up.
func plannedFaults(p scenario.Parameters) float64 {
	chain := float64(p.Retries) + 1
	if p.DropRate < 1 {
		chain = min(chain, p.DropRate/(1-p.DropRate))
	}
	return chain * float64(p.Messages)
}

func chooseScenarios(names []string) ([]scenario.Scenario, error) {
	if len(names) == 0 {
		names = []string{"core"}
	}
	var chosen []scenario.Scenario
	add := func(s scenario.Scenario) {
		if !slices.ContainsFunc(chosen, func(c scenario.Scenario) bool { return c.Name == s.Name }) {
			chosen = append(chosen, s)
		}
	}
	for _, name := range names {
		group := false
		for _, s := range scenario.All() {
			if name == "all" || name == "core" && s.Core {
				add(s)
				group = true
			}
		}
		if group {
			continue
		}
		s, ok := scenario.ByName(name)
		if !ok {
			return nil, unknown("scenario", name, append(scenario.Names(), "core", "all"))
		}
		add(s)
	}
	return chosen, nil
}

// chosenVariants are those that --variant asks for, or all.
func (o *runOptions) chosenVariants(s scenario.Scenario) []scenario.Variant {
	var chosen []scenario.Variant
	for _, v := range s.Variants {
		asked := func(pairs string) bool { return v.Matches(strings.Split(pairs, ",")) }
		if len(o.variants) == 0 || slices.ContainsFunc(o.variants, asked) {
			chosen = append(chosen, v)
		}
	}
	return chosen
}

// checkVariants refuses a --variant that no scenario of the run has.
func (o *runOptions) checkVariants(scenarios []scenario.Scenario) error {
	var names, known []string
	for _, s := range scenarios {
		names = append(names, s.Name)
		for _, v := range s.Variants {
			known = append(known, v.Name)
		}
	}
	for _, asked := range o.variants {
		pairs := strings.Split(asked, ",")
		if !slices.ContainsFunc(known, func(name string) bool { return scenario.Variant{Name: name}.Matches(pairs) }) {
			return unknownVariant(strings.Join(names, ", "), asked, append(known, variantPairs(known)...))
		}
	}
	return nil
}

func unknownVariant(of, asked string, known []string) error {
	if near := config.Nearest(asked, known); near != "" {
		return usagef("unknown variant of %s %q: did you mean %s?", of, asked, near)
	}
	return usagef("unknown variant of %s %q: `kcompare scenarios NAME` lists those of each", of, asked)
}

// variantPairs lists the single pairs of variant names, for suggestions.
func variantPairs(names []string) []string {
	var all []string
	for _, name := range names {
		all = append(all, strings.Split(name, ",")...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// pairs reads key=value arguments. Its errors are those of -X; other flags have their own.
func pairs(args []string) (map[string]string, error) {
	read := map[string]string{}
	for _, arg := range args {
		key, value, ok := strings.Cut(arg, "=")
		if !ok || key == "" {
			return nil, usagef("-X %s: expected key=value", arg)
		}
		if _, twice := read[key]; twice {
			return nil, &drivers.ConfigError{Keys: []string{key}, Reason: "set twice, give it once"}
		}
		read[key] = value
	}
	return read, nil
}

// notForX are settings that are not the user's to give with -X, and why.
var notForX = map[string]string{
	"bootstrap.servers":   "the trial sets it, clients talk to its proxy",
	"delivery.timeout.ms": "use --delivery-timeout, which also bounds the trial",
	"retries":             "use --retries, which also bounds the plan of faults",
	"security.protocol":   "use --command-config, with a cluster of your own",
	"transactional.id":    "a scenario with transactions names its own",
	"group.id":            "a scenario with groups names its own",
	"isolation.level":     "a scenario says what its consumers read",
	"enable.auto.commit":  "a scenario says when offsets are committed",
	"auto.offset.reset":   "a scenario says where its consumers begin",
}

// overrides reads -X and checks each setting by itself, so that a mistake in it
// is not put down to a variant. fixed are those that are not the user's to give, and why.
func overrides(args []string, fixed map[string]string) (map[string]string, error) {
	read, err := pairs(args)
	if err != nil {
		return nil, err
	}
	canonical, err := config.Canonical(read)
	if err != nil {
		return nil, usageError{err}
	}
	for key := range canonical {
		if why, is := fixed[key]; is {
			return nil, usagef("-X %s: %s", key, why)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(canonical)) {
		role := config.Producer
		if s, _ := config.Lookup(key); !s.For(config.Producer) {
			role = config.Consumer
		}
		if err := config.Check(map[string]string{key: canonical[key]}, role); err != nil {
			return nil, usageError{err}
		}
	}
	return canonical, nil
}

// prepareOutput finds out now what would go wrong at the end.
func (o *runOptions) prepareOutput() error {
	if err := o.output.check(formatHTML); err != nil {
		return err
	}
	return prepareFolder(o.evidenceDir)
}

// prepareFolder makes the folder of --evidence, if there is to be one.
func prepareFolder(dir string) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return usagef("--evidence=%s: %w", dir, err)
	}
	if err := writable(dir); err != nil {
		return usagef("--evidence=%s: %w", dir, err)
	}
	return nil
}

// commandLine is the command that repeats this run: what shapes the trials, and
// nothing about where the report goes.
func commandLine(cmd *cobra.Command, args []string) string {
	words := append([]string{cmd.CommandPath()}, args...)
	words = append(words, flagsWithout(cmd)...)
	if !cmd.Flags().Changed("seed") {
		words = append(words, "--seed=1")
	}
	return joinWords(words)
}

func joinWords(words []string) string { return strings.Join(words, " ") }

// flagsWithout are the flags that were given, without those about where the report goes and
// some others.
func flagsWithout(cmd *cobra.Command, others ...string) (words []string) {
	left := append([]string{"format", "lang", "output", "progress", "evidence"}, others...)
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch {
		case slices.Contains(left, f.Name):
		case f.Name == "set":
			for _, v := range f.Value.(pflag.SliceValue).GetSlice() {
				words = append(words, "-X "+quoted(masked(v)))
			}
		case f.Name == "client":
			words = append(words, clientWords(f.Value.(pflag.SliceValue).GetSlice())...)
		default:
			words = append(words, flagWords(f)...)
		}
	})
	return words
}

// clientWords keeps a command, which takes the rest of its value, apart from names.
func clientWords(values []string) []string {
	var names, commands []string
	for _, name := range clientNames(values) {
		if strings.HasPrefix(name, execClient) {
			commands = append(commands, "--client="+quoted(name))
		} else {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return commands
	}
	return append([]string{"--client=" + quoted(strings.Join(names, ","))}, commands...)
}

// flagWords is a flag as it was given, once for each value of one that is repeatable.
func flagWords(f *pflag.Flag) []string {
	values := []string{f.Value.String()}
	if several, ok := f.Value.(pflag.SliceValue); ok {
		values = several.GetSlice()
	}
	var words []string
	for _, v := range values {
		words = append(words, "--"+f.Name+"="+quoted(v))
	}
	return words
}

// masked takes the value out of a key=value pair whose value is a secret.
func masked(pair string) string {
	key, value, _ := strings.Cut(pair, "=")
	return key + "=" + config.Masked(map[string]string{key: value})[key]
}

// quoted protects a word from a shell when it needs that.
func quoted(word string) string {
	plain := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("-_.,=:/+@", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
