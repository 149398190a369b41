package workbook

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"kcompare/internal/config"
	"kcompare/internal/evidence"
	"kcompare/internal/page"
	"kcompare/internal/scenario"
)

// The brokers that a block may ask for.
const (
	brokerEmbedded = "embedded"
	brokerKafka    = "kafka"
)

// trialAttributes are those that every kind about trials has. A kind that tells of one
// variant or one client only says so itself (oneVariant, oneClient).
func trialAttributes(own ...Attribute) []Attribute {
	return append([]Attribute{
		{Name: "scenario", About: "name of a scenario, of `verdicts`, `errors` and `versions` several with commas between", Required: true},
		{Name: "variants", About: "key=value[,key=value]: the variant that has just these pairs, else every one that has them all; several with ; between (default: all of the scenario)"},
		{Name: "clients", About: "clients, with commas between (default: those of kcompare.yaml)"},
		{Name: "broker", About: "embedded or kafka (default: embedded)"},
		{Name: "seed", About: "decides where faults strike (default: 1)"},
		{Name: "messages", About: "size of the story (default: 200)"},
		{Name: "drop-rate", About: "chance of a fault at each attempt, 0 to 1 (default: 0.35)"},
		{Name: "retries", About: "retries of every client (default: 30)"},
		{Name: "warmup", About: "answers that each connection lets pass before faults strike (default: 4)"},
		{Name: "delivery-timeout", About: "delivery.timeout.ms of every client, such as 1m (default: 1m)"},
		{Name: "nodes", About: "nodes of the broker (default: 3 embedded, 1 kafka)"},
	}, own...)
}

// Clients lists the clients that a block may name, each also with a version behind an @.
func Clients() []string {
	return []string{"franz", "librdkafka", "python", "java", "kafkajs", "kafka-python", "aiokafka", "sarama", "platformatic"}
}

// needs lists the trials that the attributes of a block ask for, in the order of a report:
// scenario, variant, client. There is always one at least. The error is an *AttributeError.
func needs(b Block, m Manifest) ([]Need, error) {
	scenarios, err := scenariosOf(b)
	if err != nil {
		return nil, err
	}
	clients, err := clientsOf(b, m)
	if err != nil {
		return nil, err
	}
	broker, err := brokerOf(b)
	if err != nil {
		return nil, err
	}
	parameters, err := parametersOf(b, broker)
	if err != nil {
		return nil, err
	}
	if err := checkVariants(b, scenarios); err != nil {
		return nil, err
	}
	var all []Need
	for _, s := range scenarios {
		for _, v := range chosenVariants(b, s) {
			for _, client := range clients {
				all = append(all, Need{Scenario: s.Name, Variant: v.Name, Client: client, Broker: broker, Parameters: parameters})
			}
		}
	}
	return all, nil
}

func brokerOf(b Block) (string, error) {
	broker := cmp.Or(b.Get("broker"), brokerEmbedded)
	if broker != brokerEmbedded && broker != brokerKafka {
		return "", wrongName("broker", "broker", broker, []string{brokerEmbedded, brokerKafka})
	}
	return broker, nil
}

// severalScenarios are the kinds whose attribute scenario is a list.
func severalScenarios(kind string) bool {
	return slices.Contains([]string{"verdicts", "errors", "versions"}, kind)
}

// everyScenario is built once: it takes a millisecond, and blocks ask for one of them again
// and again. Nothing here changes any.
var everyScenario = sync.OnceValue(scenario.All)

// scenarioNamed is scenario.ByName.
func scenarioNamed(name string) (scenario.Scenario, bool) {
	all := everyScenario()
	i := slices.IndexFunc(all, func(s scenario.Scenario) bool { return s.Name == name })
	if i < 0 {
		return scenario.Scenario{}, false
	}
	return all[i], true
}

func scenariosOf(b Block) ([]scenario.Scenario, error) {
	names := listOf(b, "scenario", ",")
	switch {
	case len(names) == 0:
		return nil, attributeError("scenario", "is missing: expected one of %s", strings.Join(scenario.Names(), ", "))
	case len(names) > 1 && !severalScenarios(b.Kind):
		return nil, attributeError("scenario", "%q: expected one scenario, a block of kind %s tells of no more", b.Get("scenario"), b.Kind)
	}
	var all []scenario.Scenario
	for _, name := range names {
		s, ok := scenarioNamed(name)
		if !ok {
			return nil, wrongName("scenario", "scenario", name, scenario.Names())
		}
		if slices.ContainsFunc(all, func(other scenario.Scenario) bool { return other.Name == name }) {
			return nil, attributeError("scenario", "%s stands there twice", name)
		}
		all = append(all, s)
	}
	return all, nil
}

func clientsOf(b Block, m Manifest) ([]string, error) {
	names := listOf(b, "clients", ",")
	if len(names) == 0 {
		names = m.Clients
	}
	if len(names) == 0 {
		return nil, attributeError("clients", "is missing, and kcompare.yaml names none: expected some of %s", strings.Join(Clients(), ", "))
	}
	for i, name := range names {
		base, version, versioned := strings.Cut(name, "@")
		if !slices.Contains(Clients(), base) {
			return nil, wrongName("clients", "client", base, Clients())
		}
		if versioned && version == "" {
			return nil, attributeError("clients", "%q: expected a version behind the @", name)
		}
		if slices.Contains(names[:i], name) {
			return nil, attributeError("clients", "%s stands there twice", name)
		}
	}
	return names, nil
}

// chosenVariants are those that the block's patterns match, or all.
func chosenVariants(b Block, s scenario.Scenario) []scenario.Variant {
	patterns := listOf(b, "variants", ";")
	var all []scenario.Variant
	for _, v := range s.Variants {
		if len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool { return matches(s, v, p) }) {
			all = append(all, v)
		}
	}
	return all
}

// matches says whether a pattern means the variant: it has all the pairs, and no other
// variant has just these. Without that nobody could name a variant whose pairs another one
// has too, beside more.
func matches(s scenario.Scenario, v scenario.Variant, pattern string) bool {
	pairs := split(pattern, ",")
	whole := func(v scenario.Variant) bool {
		return v.Matches(pairs) && len(strings.Split(v.Name, ",")) == len(pairs)
	}
	return whole(v) || v.Matches(pairs) && !slices.ContainsFunc(s.Variants, whole)
}

// checkVariants refuses a pattern that no variant of the scenarios has.
func checkVariants(b Block, scenarios []scenario.Scenario) error {
	var names, known []string
	for _, s := range scenarios {
		names = append(names, s.Name)
		for _, v := range s.Variants {
			known = append(known, v.Name)
		}
	}
	for _, pattern := range listOf(b, "variants", ";") {
		pairs := split(pattern, ",")
		if slices.ContainsFunc(known, func(name string) bool { return scenario.Variant{Name: name}.Matches(pairs) }) {
			continue
		}
		of := strings.Join(names, ", ")
		single := distinct(strings.Split(strings.Join(known, ","), ","), func(pair string) string { return pair })
		if near := config.Nearest(pattern, slices.Concat(known, single)); near != "" {
			return attributeError("variants", "unknown variant of %s %q: did you mean %s?", of, pattern, near)
		}
		return attributeError("variants", "unknown variant of %s %q: expected pairs of %s", of, pattern, strings.Join(known, " ; "))
	}
	return nil
}

// parametersOf fills in what `kcompare run` has where the block says nothing.
func parametersOf(b Block, broker string) (Parameters, error) {
	d := scenario.DefaultParameters()
	p := Parameters{Seed: 1, Messages: d.Messages, DropRate: d.DropRate, Retries: d.Retries, Warmup: d.Warmup, Nodes: 3}
	timeout := d.DeliveryTimeout
	if broker == brokerKafka {
		p.Nodes = 1
	}
	for _, read := range []func() error{
		func() error { return readInt(b, "seed", &p.Seed, -1<<63, 1<<63-1) },
		func() error { return readInt(b, "messages", &p.Messages, 1, 10_000) },
		func() error { return readInt(b, "retries", &p.Retries, 0, 1<<31-1) },
		func() error { return readInt(b, "warmup", &p.Warmup, 1, 1<<31-1) },
		func() error { return readInt(b, "nodes", &p.Nodes, 1, 9) },
		func() error { return readRate(b, "drop-rate", &p.DropRate) },
		func() error { return readDuration(b, "delivery-timeout", &timeout, time.Second, 24*time.Hour) },
	} {
		if err := read(); err != nil {
			return Parameters{}, err
		}
	}
	p.DeliveryTimeout = timeout.String()
	if broker == brokerKafka && p.Nodes != 1 && p.Nodes != 3 {
		return Parameters{}, attributeError("nodes", "%d: expected 1 or 3 with broker=%q", p.Nodes, broker)
	}
	return p, nil
}

func readInt[T int | int64](b Block, name string, into *T, least, most T) error {
	text := b.Get(name)
	if text == "" {
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || T(n) < least || T(n) > most {
		return attributeError(name, "%q: expected a whole number from %d to %d", text, least, most)
	}
	*into = T(n)
	return nil
}

func readRate(b Block, name string, into *float64) error {
	text := b.Get(name)
	if text == "" {
		return nil
	}
	rate, err := parseRate(text)
	if err != nil {
		return attributeError(name, "%w", err)
	}
	*into = rate
	return nil
}

// parseRate reads a chance, "0.35".
func parseRate(text string) (float64, error) {
	rate, err := strconv.ParseFloat(text, 64)
	if err != nil || !(rate >= 0 && rate <= 1) { // NaN is neither
		return 0, fmt.Errorf("%q: expected a number from 0 to 1", text)
	}
	return rate, nil
}

func readDuration(b Block, name string, into *time.Duration, least, most time.Duration) error {
	text := b.Get(name)
	if text == "" {
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < least || d > most {
		return attributeError(name, "%q: expected a duration such as 1m, from %v to %v", text, least, most)
	}
	*into = d
	return nil
}

// oneVariant refuses needs of several variants, for a kind that tells of one.
func oneVariant(b Block, all []Need) error {
	names := distinct(all, func(n Need) string { return n.Variant })
	if len(names) > 1 {
		return attributeError("variants", "a block of kind %s tells of one variant, this is %d: expected one of %s", b.Kind, len(names), strings.Join(names, " ; "))
	}
	return nil
}

// mostClients refuses needs of more clients than a kind can tell of.
func mostClients(b Block, all []Need, most int) error {
	names := distinct(all, func(n Need) string { return n.Client })
	if len(names) > most {
		return attributeError("clients", "a block of kind %s tells of %d at most, this is %d: %s", b.Kind, most, len(names), strings.Join(names, ", "))
	}
	return nil
}

// with is the block with another value of an attribute.
func (b Block) with(name, value string) Block {
	b.Attributes = slices.DeleteFunc(slices.Clone(b.Attributes), func(a page.Attribute) bool { return a.Name == name })
	b.Attributes = append(b.Attributes, page.Attribute{Name: name, Value: value})
	return b
}

// told is a Render that writes a block from the evidence of its needs alone.
func told(needs func(Block, Manifest) ([]Need, error), write func(Block, evidence.Document) (string, error)) func(Course, Block) (Content, error) {
	return func(c Course, b Block) (Content, error) {
		all, err := needs(b, c.Manifest)
		if err != nil {
			return Content{}, err
		}
		doc, err := gather(c, all)
		if err != nil {
			return Content{}, err
		}
		text, err := write(b, doc)
		return Content{Markdown: text}, err
	}
}

// gather is the evidence of needs as one document, its trials in their order.
func gather(c Course, all []Need) (evidence.Document, error) {
	var doc evidence.Document
	for i, n := range all {
		t, of, ok := c.Evidence.Trial(n)
		if !ok {
			return doc, fmt.Errorf("there is no evidence of %s %s on %s", n.Scenario, n.Variant, n.Client)
		}
		if i == 0 {
			doc = of
			doc.Trials = nil
		}
		doc.Trials = append(doc.Trials, t)
	}
	return doc, nil
}

// listOf is the parts of an attribute's value, without blanks around them.
func listOf(b Block, name, separator string) []string { return split(b.Get(name), separator) }

func split(text, separator string) []string {
	var all []string
	for part := range strings.SplitSeq(text, separator) {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
	}
	return all
}

// distinct is the names of all, each once, in the order of their first use.
func distinct[T any](all []T, name func(T) string) []string { return once(namesOf(all, name)) }

func attributeError(name, format string, args ...any) error {
	return &AttributeError{Name: name, Message: fmt.Errorf(format, args...).Error()}
}

// wrongName says that there is no thing of that name, and which one was probably meant.
func wrongName(attribute, thing, name string, known []string) error {
	if near := config.Nearest(name, known); near != "" {
		return attributeError(attribute, "unknown %s %q: did you mean %s?", thing, name, near)
	}
	return attributeError(attribute, "unknown %s %q: expected %s", thing, name, strings.Join(known, ", "))
}
