package source

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"kcompare/internal/config"
)

// typeFacts are values of a ConfigMap whose Go type confluent-kafka-go refuses: value2string
// in its kafka/config.go takes bool, int, string and what has a String method. (Its case for
// lists names a type of package go/types, and is never reached.)
func (w *goWalker) typeFacts() []Fact {
	refused := []string{
		"float32", "float64", "[]string", "rune", "byte", "uint", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64",
	}
	var facts []Fact
	for _, e := range w.entries() {
		goType := e.goType
		if e.Value.Kind == Null {
			goType = "nil"
		}
		if e.call == nil && e.in == w.f && (goType == "nil" || slices.Contains(refused, goType)) {
			facts = append(facts, Fact{Rule: "wrong-type", At: e.KeyAt, About: e.Key, Args: map[string]string{"type": goType, "value": e.Value.Source, "wanted": "string, bool or int"}})
		}
	}
	return facts
}

// entries are those of every ConfigMap and list of options.
func (w *goWalker) entries() []goEntry {
	var all []goEntry
	for _, c := range w.clients {
		all = append(all, c.entries...)
	}
	for _, s := range w.made {
		all = append(all, s.entries...)
	}
	return all
}

// unknownOptions are calls in lists of options that no version of kgo has, as far as there
// are tables of it; a newer one than those may have more.
func (w *goWalker) unknownOptions() []Fact {
	newest := config.Newest("franz-go")
	asked := w.f.beside.version(w.f.in.path, "franz")
	if goNewer(asked, newest.Name) {
		return nil
	}
	var names []string
	for _, p := range newest.Properties() {
		names = append(names, p.Name)
	}
	var facts []Fact
	for _, e := range w.entries() {
		if e.call != nil && e.in == w.f && !slices.Contains(names, e.Key) {
			facts = append(facts, Fact{Rule: "no-such-member", At: e.KeyAt, About: e.Key, Args: map[string]string{
				"class": "kgo", "package": "franz-go", "versions": newest.Name, "nearest": goNearest(e.Key, names),
			}})
		}
	}
	return facts
}

// goNearest is the option that was meant: one with more in front (ProducerBatchCompression
// for BatchCompression), or the nearest.
func goNearest(name string, names []string) string {
	if i := slices.IndexFunc(names, func(n string) bool { return strings.HasSuffix(n, name) }); i >= 0 {
		return names[i]
	}
	return config.Nearest(name, names)
}

// goCoupled are limits that are there only because of the default of another option; for
// durations inverted compares the two.
var goCoupled = map[string]struct {
	other string
	low   bool // it is the lower limit
}{
	"SessionTimeout":      {"HeartbeatInterval", true},
	"HeartbeatInterval":   {"SessionTimeout", false},
	"MetadataMaxAge":      {"MetadataMinAge", true},
	"MetadataMinAge":      {"MetadataMaxAge", false},
	"BrokerMaxReadBytes":  {"FetchMaxBytes", true},
	"FetchMaxBytes":       {"BrokerMaxReadBytes", false},
	"BrokerMaxWriteBytes": {"ProducerBatchMaxBytes", true},

	"ProducerBatchMaxBytes": {"BrokerMaxWriteBytes", false},
}

// outOfRange are values that NewClient refuses.
func (o goOptions) outOfRange() []Fact {
	var facts []Fact
	for _, e := range o.list {
		p, known := config.Newest("franz-go").Property(e.Key)
		n, ok := goMeasure(p.Type, e.Value)
		if !known || !ok || e.Maybe || n == 0 && (p.Default == "0s" || p.Default == "0") {
			continue // 0 is RecordDeliveryTimeout's word for none
		}
		low, high := n < p.Min, n > p.Max
		if c, coupled := goCoupled[e.Key]; coupled && (o.open || o.has(c.other) || p.Type == config.Duration) {
			low, high = low && !c.low, high && c.low
		}
		if low || high {
			facts = append(facts, Fact{Rule: "option-range", About: e.Key, Args: map[string]string{"value": e.Value.Text, "range": p.Range}})
		}
	}
	return facts
}

// goMeasure is a number, or a duration in milliseconds.
func goMeasure(kind config.Type, v Value) (n float64, ok bool) {
	switch {
	case kind == config.Duration && v.Kind == Text:
		d, err := time.ParseDuration(v.Text)
		return float64(d) / float64(time.Millisecond), err == nil
	case kind == config.Integer && v.Kind == Number:
		n, err := strconv.ParseFloat(v.Text, 64)
		return n, err == nil
	}
	return 0, false
}

// optionFacts are options that contradict each other. (cfg.validate in franz-go's
// pkg/kgo/config.go is what refuses them.)
func (w *goWalker) optionFacts() []Fact {
	var facts []Fact
	for _, c := range w.clients {
		if !c.settings.options {
			continue
		}
		o := goOptions{list: c.entries, open: c.settings.open}
		found := slices.Concat(o.refused(), o.outOfRange(), o.session(c.maker))
		for _, f := range found {
			if e, _ := o.get(f.About); e.in == w.f {
				f.At = e.KeyAt
				facts = append(facts, f)
			}
		}
	}
	return facts
}

// goOptions are the options of one client of kgo. open is a list in which there may be
// more.
type goOptions struct {
	list []goEntry
	open bool
}

func (o goOptions) get(name string) (goEntry, bool) {
	i := slices.IndexFunc(o.list, func(e goEntry) bool { return e.Key == name })
	if i < 0 {
		return goEntry{}, false
	}
	return o.list[i], true
}

// has reports whether an option is there in any case.
func (o goOptions) has(name string) bool {
	e, found := o.get(name)
	return found && !e.Maybe
}

// lacks reports whether none of these is there in any case.
func (o goOptions) lacks(names ...string) bool {
	return !o.open && !slices.ContainsFunc(o.list, func(e goEntry) bool { return slices.Contains(names, e.Key) })
}

// goTogether are options that exclude each other.
var goTogether = [][2]string{
	{"AllowIdempotentProduceCancellation", "TransactionalID"},
	{"DisableAutoCommit", "GreedyAutoCommit"},
	{"DisableAutoCommit", "AutoCommitMarks"},
	{"GreedyAutoCommit", "AutoCommitMarks"},
	{"Dialer", "DialTLSConfig"},
	{"Dialer", "DialTLS"},
	{"ConsumePartitions", "ConsumerGroup"},
	{"ConsumePartitions", "ConsumeRegex"},
	{"ShareGroup", "ConsumerGroup"},
}

// goNeeds are options that need one of others.
var goNeeds = map[string][]string{
	"ConsumeExcludeTopics": {"ConsumeRegex"},
	"DisableAutoCommit":    {"ConsumerGroup", "ShareGroup"},
	"GreedyAutoCommit":     {"ConsumerGroup", "ShareGroup"},
	"AutoCommitMarks":      {"ConsumerGroup", "ShareGroup"},
	"AutoCommitCallback":   {"ConsumerGroup", "ShareGroup"},
	"OnPartitionsAssigned": {"ConsumerGroup", "ShareGroup"},
	"OnPartitionsRevoked":  {"ConsumerGroup", "ShareGroup"},
	"OnPartitionsLost":     {"ConsumerGroup", "ShareGroup"},
}

func (o goOptions) refused() []Fact {
	var facts []Fact
	add := func(rule, about string, args map[string]string) {
		facts = append(facts, Fact{Rule: rule, About: about, Args: args})
	}
	for _, pair := range goTogether {
		if o.has(pair[0]) && o.has(pair[1]) {
			add("options-exclude", pair[0], map[string]string{"other": pair[1]})
		}
	}
	for _, e := range o.list {
		if needed := goNeeds[e.Key]; needed != nil && !e.Maybe && o.lacks(needed...) {
			add("option-needs", e.Key, map[string]string{"other": needed[0]})
		}
		if e.Value.Kind == Text && e.Value.Text == "" && (e.Key == "TransactionalID" || e.Key == "InstanceID") {
			add("option-empty", e.Key, nil)
		}
	}
	if o.lacks("DisableIdempotentWrite") {
		// acks and a transactional id contradict each other in every client.
		if acks, _ := o.get("RequiredAcks"); (acks.CanonicalValue == "0" || acks.CanonicalValue == "1") && o.lacks("TransactionalID") {
			add("option-needs", "RequiredAcks", map[string]string{"other": "DisableIdempotentWrite", "value": acks.Value.Source})
		}
		if e, _ := o.get("MaxProduceRequestsInflightPerBroker"); e.Value.Kind == Number && e.Value.Text != "1" {
			add("option-needs", e.Key, map[string]string{"other": "DisableIdempotentWrite", "value": e.Value.Source})
		}
	}
	return append(facts, o.inverted()...)
}

// inverted are durations of which one must not be above the other.
func (o goOptions) inverted() []Fact {
	var facts []Fact
	pairs := []struct {
		low, high               string
		lowDefault, highDefault time.Duration
	}{
		{"HeartbeatInterval", "SessionTimeout", 3 * time.Second, 45 * time.Second},
		{"MetadataMinAge", "MetadataMaxAge", 5 * time.Second, 5 * time.Minute},
	}
	for _, p := range pairs {
		low, okLow := o.duration(p.low, p.lowDefault)
		high, okHigh := o.duration(p.high, p.highDefault)
		if okLow && okHigh && low > high {
			about := p.low
			if !o.has(about) {
				about = p.high
			}
			facts = append(facts, Fact{Rule: "options-inverted", About: about, Args: map[string]string{
				"low": p.low, "high": p.high, "low-value": low.String(), "high-value": high.String(),
			}})
		}
	}
	return facts
}

// duration is what an option is set to, or its default in franz-go v1.22.3. ok is false
// where nobody knows.
func (o goOptions) duration(name string, byDefault time.Duration) (d time.Duration, ok bool) {
	e, set := o.get(name)
	if !set {
		return byDefault, !o.open
	}
	d, err := time.ParseDuration(e.Value.Text)
	return d, err == nil && strings.TrimSpace(e.Value.Text) != "" && !e.Maybe
}

// session compares the timeouts of a group that reads and writes in transactions: the
// comment of NewGroupTransactSession asks for a transaction timeout below the session's.
func (o goOptions) session(maker string) []Fact {
	if maker != "NewGroupTransactSession" {
		return nil
	}
	transaction, okT := o.duration("TransactionTimeout", 40*time.Second)
	session, okS := o.duration("SessionTimeout", 45*time.Second)
	if !okT || !okS || transaction < session {
		return nil
	}
	about := "TransactionTimeout"
	if !o.has(about) {
		about = "SessionTimeout"
	}
	return []Fact{{Rule: "transaction-outlives-session", About: about, Args: map[string]string{
		"transaction": transaction.String(), "session": session.String(),
	}}}
}
