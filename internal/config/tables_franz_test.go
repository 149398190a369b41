package config

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/internal/pagetest"
)

// TestTableOfFranz makes the table of franz-go from its source, which has the options and
// whom they are for, and from a client without any, which has the defaults.
func TestTableOfFranz(t *testing.T) {
	cl, err := kgo.NewClient()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	version := pagetest.ModuleVersion(t, "github.com/twmb/franz-go")
	var rows []string
	for _, fn := range kgoOptions(t) {
		kind, application := kgoType(fn.Type.Params)
		code := "-"
		if application {
			code = "yes"
		}
		rows = append(rows, strings.Join([]string{
			fn.Name.Name, "-", kgoApplies(fn), string(kind), kgoRange(t, fn.Name.Name, kind),
			kgoDefault(cl, fn.Name.Name, version), code, "-", "-",
		}, "\t"))
	}
	expectTable(t, "franz-go-"+version+".tsv", rows)
}

// kgoOptions is every function of kgo's config.go that returns an option, by name.
func kgoOptions(t *testing.T) []*ast.FuncDecl {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(sourceOf(t, kgo.NewClient), "config.go"), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var all []*ast.FuncDecl
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.IsExported() && strings.HasSuffix(result(fn), "Opt") {
			all = append(all, fn)
		}
	}
	slices.SortFunc(all, func(a, b *ast.FuncDecl) int { return strings.Compare(a.Name.Name, b.Name.Name) })
	if len(all) < 100 {
		t.Fatalf("%d options in config.go of kgo, which has more than 100", len(all))
	}
	return all
}

// sourceOf is the folder with the source that a function was compiled from.
func sourceOf(t *testing.T, fn any) string {
	t.Helper()
	file, _ := runtime.FuncForPC(reflect.ValueOf(fn).Pointer()).FileLine(reflect.ValueOf(fn).Pointer())
	return filepath.Dir(file)
}

func result(fn *ast.FuncDecl) string {
	if fn.Type.Results == nil || len(fn.Type.Results.List) != 1 {
		return ""
	}
	name, _ := fn.Type.Results.List[0].Type.(*ast.Ident)
	if name == nil {
		return ""
	}
	return name.Name
}

func kgoApplies(fn *ast.FuncDecl) string {
	return map[string]string{"Opt": "*", "ProducerOpt": "P", "ConsumerOpt": "C", "GroupOpt": "CG"}[result(fn)]
}

// kgoType is the type of an option's value, and whether only a program can have it: a
// function, an interface that the program implements, a structure of another package.
func kgoType(params *ast.FieldList) (kind Type, application bool) {
	if len(params.List) == 0 {
		return Boolean, false
	}
	switch p := params.List[0].Type.(type) {
	case *ast.Ident:
		switch p.Name {
		case "string":
			return String, false
		case "int", "int32", "int64":
			return Integer, false
		case "Acks", "IsolationLevel", "Offset": // values that kgo has functions for
			return Code, false
		}
	case *ast.SelectorExpr:
		if p.Sel.Name == "Duration" {
			return Duration, false
		}
	case *ast.Ellipsis:
		name, _ := p.Elt.(*ast.Ident)
		if name != nil && name.Name == "string" {
			return List, false
		}
		if name != nil && (name.Name == "CompressionCodec" || name.Name == "GroupBalancer") {
			return Code, false
		}
	}
	return Code, true
}

// kgoDefault spells what a client without options has.
func kgoDefault(cl *kgo.Client, option, version string) string {
	if option == "SoftwareNameAndVersion" {
		return fmt.Sprint(cl.OptValue(option), ",", version)
	}
	if option == "DialTLS" {
		return "false" // OptValue compares a typed nil with nil
	}
	switch v := cl.OptValue(option).(type) {
	case bool, int, int32, int64, time.Duration:
		return fmt.Sprint(v)
	case string:
		return dash(v)
	case []string:
		return dash(strings.Join(v, ","))
	case int8:
		return []string{"read_uncommitted", "read_committed"}[v]
	case kgo.Acks:
		if v == kgo.AllISRAcks() {
			return "all"
		}
		return fmt.Sprint(v)
	case []kgo.CompressionCodec:
		return compressions(v)
	case []kgo.GroupBalancer:
		var names []string
		for _, b := range v {
			names = append(names, b.ProtocolName())
		}
		return strings.Join(names, ",")
	case kgo.Offset:
		return offset(v)
	}
	return "-"
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func compressions(all []kgo.CompressionCodec) string {
	var names []string
	known := map[string]kgo.CompressionCodec{"none": kgo.NoCompression(), "snappy": kgo.SnappyCompression(),
		"gzip": kgo.GzipCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression()}
	for _, c := range all {
		for name, k := range known {
			if reflect.DeepEqual(c, k) {
				names = append(names, name)
			}
		}
	}
	return strings.Join(names, ",")
}

func offset(o kgo.Offset) string {
	for name, known := range map[string]kgo.Offset{"AtStart": kgo.NewOffset().AtStart(), "AtEnd": kgo.NewOffset().AtEnd(),
		"RewindOffset(1m)": kgo.RewindOffset(time.Minute)} {
		if reflect.DeepEqual(o, known) {
			return name
		}
	}
	return fmt.Sprint(o)
}

// kgoRange is which values kgo takes where everything else has its default, found out by
// asking it: "10ms .. 1h0m0s". It is open where kgo takes the greatest there is.
func kgoRange(t *testing.T, option string, kind Type) string {
	switch kind {
	case Boolean:
		return "true, false"
	case Integer, Duration:
	default:
		return "-"
	}
	build, known := kgoNumbers[option]
	if !known {
		t.Errorf("%s is missing in kgoNumbers", option)
		return "-"
	}
	takes := func(n int64) bool {
		return kgo.ValidateOpts(append(slices.Clone(alongside[option]), build(n))...) == nil
	}
	good, least, greatest := goodValue(option, kind), int64(math.MinInt32), int64(math.MaxInt32)
	if kind == Duration {
		least, greatest = int64(-time.Hour), int64(longest)
	}
	if !takes(good) {
		t.Errorf("%s: kgo refuses %d", option, good)
		return "-"
	}
	low, high := edge(takes, good, least), edge(takes, good, greatest)
	if kind == Integer {
		return fmt.Sprintf("%d .. %d", low, high)
	}
	return spell(low) + " .. " + spell(high)
}

// longest is more than the milliseconds that an int32 has, in which requests carry times.
const longest = 30 * 24 * time.Hour

func spell(n int64) string {
	if n < 0 || n == int64(longest) {
		return "any"
	}
	return time.Duration(n).Truncate(time.Millisecond).String()
}

// edge is the value nearest to limit that is taken; good is.
func edge(takes func(int64) bool, good, limit int64) int64 {
	if takes(limit) {
		return limit
	}
	for bad := limit; ; {
		middle := good/2 + bad/2 + (good%2+bad%2)/2
		if middle == good || middle == bad {
			return good
		}
		if takes(middle) {
			good = middle
		} else {
			bad = middle
		}
	}
}

// goodValue is one that kgo takes.
func goodValue(option string, kind Type) int64 {
	switch {
	case kind == Duration:
		return int64(20 * time.Second)
	case option == "MaxProduceRequestsInflightPerBroker", option == "ShareMaxRecords":
		return 1
	}
	return 100_000_000
}

// alongside are the options without which kgo takes no value but the default.
var alongside = map[string][]kgo.Opt{
	"MaxProduceRequestsInflightPerBroker": {kgo.DisableIdempotentWrite()},
	"ShareMaxRecords":                     {kgo.ShareGroup("g")},
}

func counted[N int | int32, O kgo.Opt](opt func(N) O) func(int64) kgo.Opt {
	return func(n int64) kgo.Opt { return opt(N(n)) }
}

func timed[O kgo.Opt](opt func(time.Duration) O) func(int64) kgo.Opt {
	return func(n int64) kgo.Opt { return opt(time.Duration(n)) }
}

// kgoNumbers is every option that takes a number or a time.
var kgoNumbers = map[string]func(int64) kgo.Opt{
	"AutoCommitInterval":                  timed(kgo.AutoCommitInterval),
	"BrokerMaxReadBytes":                  counted(kgo.BrokerMaxReadBytes),
	"BrokerMaxWriteBytes":                 counted(kgo.BrokerMaxWriteBytes),
	"ConcurrentTransactionsBackoff":       timed(kgo.ConcurrentTransactionsBackoff),
	"ConnIdleTimeout":                     timed(kgo.ConnIdleTimeout),
	"ConsiderMissingTopicDeletedAfter":    timed(kgo.ConsiderMissingTopicDeletedAfter),
	"DialTimeout":                         timed(kgo.DialTimeout),
	"FetchMaxBytes":                       counted(kgo.FetchMaxBytes),
	"FetchMaxPartitionBytes":              counted(kgo.FetchMaxPartitionBytes),
	"FetchMaxWait":                        timed(kgo.FetchMaxWait),
	"FetchMinBytes":                       counted(kgo.FetchMinBytes),
	"HeartbeatInterval":                   timed(kgo.HeartbeatInterval),
	"MaxBufferedBytes":                    counted(kgo.MaxBufferedBytes),
	"MaxBufferedRecords":                  counted(kgo.MaxBufferedRecords),
	"MaxConcurrentFetches":                counted(kgo.MaxConcurrentFetches),
	"MaxDecompressBatchBytes":             counted(kgo.MaxDecompressBatchBytes),
	"MaxProduceRequestsInflightPerBroker": counted(kgo.MaxProduceRequestsInflightPerBroker),
	"MetadataMaxAge":                      timed(kgo.MetadataMaxAge),
	"MetadataMinAge":                      timed(kgo.MetadataMinAge),
	"ProduceRequestTimeout":               timed(kgo.ProduceRequestTimeout),
	"ProducerBatchMaxBytes":               counted(kgo.ProducerBatchMaxBytes),
	"ProducerLinger":                      timed(kgo.ProducerLinger),
	"RebalanceTimeout":                    timed(kgo.RebalanceTimeout),
	"RecheckPreferredReplicaInterval":     timed(kgo.RecheckPreferredReplicaInterval),
	"RecordDeliveryTimeout":               timed(kgo.RecordDeliveryTimeout),
	"RecordRetries":                       counted(kgo.RecordRetries),
	"RequestRetries":                      counted(kgo.RequestRetries),
	"RequestTimeoutOverhead":              timed(kgo.RequestTimeoutOverhead),
	"RetryTimeout":                        timed(kgo.RetryTimeout),
	"SessionTimeout":                      timed(kgo.SessionTimeout),
	"ShareMaxRecords":                     counted(kgo.ShareMaxRecords),
	"TransactionTimeout":                  timed(kgo.TransactionTimeout),
	"UnknownTopicRetries":                 counted(kgo.UnknownTopicRetries),
}
