package source

import (
	"go/ast"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"kcompare/internal/config"
)

// options adds the options of a call or list. dots says that the last argument is a list.
func (w *goWalker) options(s *goSettings, args []ast.Expr, dots bool) {
	for i, a := range args {
		if dots && i == len(args)-1 {
			w.add(s, w.expr(a))
			continue
		}
		in, call := w.f.option(a, 0)
		if call == nil {
			w.expr(a)
			s.open = true
			continue
		}
		w.arguments(call.Args)
		e := in.optionEntry(call)
		e.path = w.path
		s.entries = append(s.entries, e)
	}
}

// option is the call kgo.Name(...) that an expression stands for, with the file where it
// is written. nil for anything else.
func (f *goFile) option(e ast.Expr, depth int) (*goFile, *ast.CallExpr) {
	if depth > goDepth {
		return nil, nil
	}
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		if pack, name := f.member(call.Fun); pack == kgoPath {
			return f, f.unwrapped(call, name)
		}
		if in, value, ok := f.result(call); ok {
			return in.option(value, depth+1)
		}
		return nil, nil
	}
	if in, value, ok := f.definition(e); ok {
		return in.option(value, depth+1)
	}
	return nil, nil
}

// unwrapped looks through a conversion like kgo.Opt(option).
func (f *goFile) unwrapped(call *ast.CallExpr, name string) *ast.CallExpr {
	if !slices.Contains([]string{"Opt", "ProducerOpt", "ConsumerOpt", "GroupOpt"}, name) || len(call.Args) != 1 {
		return call
	}
	_, inner := f.option(call.Args[0], 0)
	return inner
}

// optionEntry is one option with its value, and with the setting that it is.
func (f *goFile) optionEntry(call *ast.CallExpr) goEntry {
	sel := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	e := goEntry{call: call, in: f, goType: "option"}
	e.Key, e.KeyAt = sel.Sel.Name, f.at(sel.Sel.Pos())
	v := f.argument(call)
	if v.At == (Pos{}) {
		v.At, v.Source = e.KeyAt, f.source(call)
	}
	e.Value = v.Value
	set, known := kgoSettings()[e.Key]
	if !known {
		return e
	}
	e.Canonical = set.name
	switch {
	case set.fixed != "":
		e.CanonicalValue = set.fixed
	case v.millis != "":
		e.CanonicalValue = v.millis
	case set.name == "queue.buffering.max.kbytes":
		e.CanonicalValue = goKilobytes(v.Text)
	case v.Kind == Text || v.Kind == Number || v.Kind == Truth:
		e.CanonicalValue = v.Text
	default:
		e.CanonicalValue = f.kgoWord(e.Key, call)
	}
	return e
}

// goKilobytes is a number of bytes in the unit of queue.buffering.max.kbytes, rounded up.
func goKilobytes(bytes string) string {
	n, err := strconv.Atoi(bytes)
	if err != nil {
		return ""
	}
	return strconv.Itoa((n + 1023) / 1024)
}

// argument is the value of an option: what it is given, or "true" for being there.
func (f *goFile) argument(call *ast.CallExpr) goValue {
	switch len(call.Args) {
	case 0:
		return goValue{Value: Value{Kind: Truth, Text: "true"}}
	case 1:
		return f.value(call.Args[0])
	}
	var words []string
	all := f.value(call.Args[0])
	all.Source = strings.TrimSuffix(f.source(call), ")")[strings.Index(f.source(call), "(")+1:]
	for _, a := range call.Args {
		v := f.value(a)
		if v.Kind != Text {
			all.Value = Value{Kind: v.Kind, Source: all.Source, At: all.At, Changing: v.Changing}
			return all
		}
		words = append(words, v.Text)
	}
	all.Text = strings.Join(words, ",")
	return all
}

// kgoSetting is the setting that an option is.
type kgoSetting struct {
	name  string
	fixed string // the value that the option stands for by being there; "" where it has an argument
}

var optionInCatalogue = regexp.MustCompile(`([A-Z]\w+)\(([^()]*(?:\([^()]*\)[^()]*)*)\)(?: for (\w+))?`)

// kgoSettings reads the catalogue's column of options the other way round. Where several
// settings share an option kgoShared decides.
var kgoSettings = sync.OnceValue(func() map[string]kgoSetting {
	all := map[string]kgoSetting{}
	for _, s := range config.Settings() {
		if s.Relation == config.NoEquivalent || s.Relation == config.NotApplicable {
			continue
		}
		m := optionInCatalogue.FindStringSubmatch(s.KgoOptions)
		if m == nil || !strings.HasPrefix(s.KgoOptions, m[0]) || strings.Contains(s.KgoOptions, "(nearest)") {
			continue
		}
		set := kgoSetting{name: s.Name}
		if m[2] == "" {
			set.fixed = m[3]
			if set.fixed == "" {
				set.fixed = "true"
			}
		}
		all[m[1]] = set
	}
	for name, set := range kgoShared {
		if all[name] = set; set.name == "" {
			delete(all, name)
		}
	}
	return all
})

// kgoShared are options that stand for several settings, for a part of one, or beside
// another option of the same row; no name: for none that a value could be said of.
var kgoShared = map[string]kgoSetting{
	"MaxVersions":             {},
	"Dialer":                  {},
	"DialTLS":                 {name: "security.protocol", fixed: "ssl"},
	"DialTLSConfig":           {name: "security.protocol", fixed: "ssl"},
	"SASL":                    {},
	"WithLogger":              {},
	"WithHooks":               {},
	"RetryBackoffFn":          {},
	"SoftwareNameAndVersion":  {},
	"ConsumeExcludeTopics":    {},
	"UniformBytesPartitioner": {},
	"UnknownTopicRetries":     {},
	"RequestTimeoutOverhead":  {},
	"ProducerBatchMaxBytes":   {name: "message.max.bytes"},
	"MetadataMaxAge":          {name: "topic.metadata.refresh.interval.ms"},
	"GreedyAutoCommit":        {name: "enable.auto.commit", fixed: "true"},
	"AutoCommitMarks":         {name: "enable.auto.offset.store", fixed: "false"},
	"OnRebootstrapRequired":   {},
}

// kgoWord is the value of an option that is given a choice of kgo's, in the words of
// librdkafka; "" for one that has no word.
func (f *goFile) kgoWord(option string, call *ast.CallExpr) string {
	words, known := kgoWords[option]
	if !known {
		return ""
	}
	var all []string
	for _, a := range call.Args {
		word, ok := words[f.kgoCall(a)]
		if !ok {
			return ""
		}
		all = append(all, word)
	}
	return strings.Join(all, ",")
}

// kgoCall is an expression without the name of the package: "NewOffset().AtStart()".
func (f *goFile) kgoCall(e ast.Expr) string {
	if in, value, ok := f.definition(e); ok {
		return in.kgoCall(value)
	}
	written := strings.Join(strings.Fields(f.source(e)), "")
	return strings.ReplaceAll(written, "kgo.", "")
}

var kgoWords = map[string]map[string]string{
	"RequiredAcks":        {"AllISRAcks()": "all", "LeaderAck()": "1", "NoAck()": "0"},
	"FetchIsolationLevel": {"ReadCommitted()": "read_committed", "ReadUncommitted()": "read_uncommitted"},
	"ProducerBatchCompression": {
		"NoCompression()": "none", "GzipCompression()": "gzip", "SnappyCompression()": "snappy",
		"Lz4Compression()": "lz4", "ZstdCompression()": "zstd",
	},
	"Balancers": {
		"RangeBalancer()": "range", "RoundRobinBalancer()": "roundrobin",
		"StickyBalancer()": "sticky", "CooperativeStickyBalancer()": "cooperative-sticky",
	},
	"ConsumeStartOffset": {
		"NewOffset().AtStart()": "earliest", "NewOffset().AtEnd()": "latest", "NewOffset().AtCommitted()": "error",
	},
	"RecordPartitioner": {
		"StickyKeyPartitioner(nil)":                              "murmur2_random",
		"StickyKeyPartitioner(SaramaHasher(crc32.ChecksumIEEE))": "consistent_random",
	},
}

// kgoApplies is "P" for options of producers, "C" for those of consumers and groups.
func kgoApplies(option string) string {
	p, _ := config.Newest("franz-go").Property(option)
	return strings.TrimSuffix(p.Applies, "G")
}
