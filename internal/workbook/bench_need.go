package workbook

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"kcompare/internal/config"
	"kcompare/internal/evidence"
)

// BenchNeed is one bench that a block tells of: the arguments of `kcompare bench`. What a page
// does not say is the default of that command, and stands here too.
type BenchNeed struct {
	Work     evidence.BenchWork
	Clients  string // with commas between; one where values are compared
	Compare  string // "acks=1,all"; "" where clients are
	Settings string // of -X, "key=value", with blanks between
	Broker   string
	Faults   string // of --fault, with blanks between
	Load     evidence.BenchLoad
}

// ClientNames are the clients.
func (n BenchNeed) ClientNames() []string { return strings.Split(n.Clients, ",") }

// key is what is compared, by its canonical name; "" where clients are.
func (n BenchNeed) key() string {
	key, _, _ := strings.Cut(n.Compare, "=")
	return canonicalKey(key)
}

// values are those of the key.
func (n BenchNeed) values() []string {
	_, values, _ := strings.Cut(n.Compare, "=")
	return split(values, ",")
}

// canonicalKey is a key as evidence has it.
func canonicalKey(key string) string {
	if s, known := config.Lookup(key); known {
		return s.Name
	}
	return key
}

// Words are the arguments and flags that repeat the bench, without the command.
func (n BenchNeed) Words() []string {
	words := []string{string(n.Work), "--client=" + n.Clients}
	if n.Compare != "" {
		words = append(words, "--compare="+n.Compare)
	}
	for _, pair := range strings.Fields(n.Settings) {
		words = append(words, "--set="+pair)
	}
	if n.Broker != brokerEmbedded {
		words = append(words, "--broker="+n.Broker)
	}
	for _, fault := range strings.Fields(n.Faults) {
		words = append(words, "--fault="+fault)
	}
	return append(words, n.loadWords()...)
}

// loadWords are the flags of a load that is not the usual one.
func (n BenchNeed) loadWords() []string {
	var words []string
	usual := loadFlags(evidence.UsualLoad(n.Work))
	for i, flag := range loadFlags(n.Load) {
		if flag != usual[i] {
			words = append(words, "--"+flag)
		}
	}
	return words
}

func loadFlags(l evidence.BenchLoad) []string {
	return []string{
		fmt.Sprintf("rounds=%d", l.Rounds), fmt.Sprintf("warmup=%d", l.WarmUp), fmt.Sprintf("records=%d", l.Records),
		fmt.Sprintf("record-size=%d", l.RecordBytes), fmt.Sprintf("keys=%d", l.Keys), fmt.Sprintf("partitions=%d", l.Partitions),
		"rate=" + rateText(l.Rate), fmt.Sprintf("transaction=%d", l.Transaction),
	}
}

var notInBenchFiles = regexp.MustCompile(`[^A-Za-z0-9._@=+-]+`)

// file is what its evidence is called: "bench-produce-franz-acks=1+all-kafka".
func (n BenchNeed) file() string {
	words := []string{"bench", string(n.Work), strings.ReplaceAll(n.Clients, ",", "-")}
	words = append(words, strings.Fields(n.Settings)...)
	words = append(words, strings.ReplaceAll(n.Compare, ",", "+"))
	if n.Broker != brokerEmbedded {
		words = append(words, n.Broker)
	}
	words = append(words, strings.Fields(strings.ReplaceAll(n.Faults, ":", "="))...)
	for _, flag := range n.loadWords() {
		words = append(words, strings.TrimPrefix(flag, "--"))
	}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
	return notInBenchFiles.ReplaceAllString(strings.Join(words, "-"), "-")
}

// benchAttributes are those that say which bench.
func benchAttributes() []Attribute {
	return []Attribute{
		{Name: "work", About: "produce, latency, consume, transactions or rpw (default: produce)"},
		{Name: "clients", About: "clients, with commas between; one with `compare` (default: those of kcompare.yaml)"},
		{Name: "compare", About: "KEY=A,B,...: one client with each of these values of a setting, or of transaction.size, record.size, partitions, rate"},
		{Name: "set", About: "key=value for every client; several with ; between"},
		{Name: "broker", About: "what it is measured on, embedded or kafka (default: embedded)"},
		{Name: "fault", About: "what the proxy does while the clock runs, such as rtt:5ms; several with ; between"},
		{Name: "rounds", About: "that count, of each client (default: 10)"},
		{Name: "warmup", About: "rounds before them (default: 2)"},
		{Name: "records", About: "of a round (default: as `kcompare bench` has it for the work)"},
		{Name: "record-size", About: "bytes of a value (default: 100)"},
		{Name: "keys", About: "different keys of records (default: 0, records have none)"},
		{Name: "partitions", About: "of each topic (default: 6)"},
		{Name: "rate", About: "records a second, of latency (default: 5000)"},
		{Name: "transaction", About: "records of a transaction, of transactions and rpw (default: 100)"},
	}
}

// benchNeed reads them. The error is an *AttributeError.
func benchNeed(b Block, m Manifest) (BenchNeed, error) {
	n := BenchNeed{Work: evidence.BenchWork(cmp.Or(b.Get("work"), string(evidence.BenchProduce)))}
	if known := namesOf(evidence.BenchWorks(), func(w evidence.BenchWork) string { return string(w) }); !slices.Contains(known, string(n.Work)) {
		return n, wrongName("work", "work", string(n.Work), known)
	}
	clients, err := clientsOf(b, m)
	if err != nil {
		return n, err
	}
	n.Clients = strings.Join(clients, ",")
	if n.Compare, err = benchCompared(b, clients); err != nil {
		return n, err
	}
	for _, pair := range listOf(b, "set", ";") {
		if key, _, ok := strings.Cut(pair, "="); !ok || strings.ContainsAny(pair, " \t") {
			return n, attributeError("set", "%q: expected key=value", pair)
		} else if _, known := config.Lookup(key); !known {
			return n, wrongName("set", "setting", key, config.Names())
		}
	}
	n.Settings = strings.Join(listOf(b, "set", ";"), " ")
	n.Faults = strings.Join(listOf(b, "fault", ";"), " ")
	if n.Broker, err = brokerOf(b); err != nil {
		return n, err
	}
	n.Load, err = benchLoad(b, n.Work)
	return n, err
}

// benchCompared is the attribute compare, without blanks.
func benchCompared(b Block, clients []string) (string, error) {
	text := b.Get("compare")
	if text == "" {
		return "", nil
	}
	key, list, ok := strings.Cut(text, "=")
	values := split(list, ",")
	switch _, known := config.Lookup(key); {
	case !ok || len(values) < 2:
		return "", attributeError("compare", "%q: expected KEY=A,B,... with two values at least, such as acks=1,all", text)
	case !known && !slices.Contains(evidence.LoadKeys(), key):
		return "", wrongName("compare", "key", key, append(evidence.LoadKeys(), config.Names()...))
	case len(clients) > 1:
		return "", attributeError("clients", "%d clients: values are compared within one client, expected one with compare", len(clients))
	}
	return key + "=" + strings.Join(values, ","), nil
}

// benchLoad fills in what the block does not say.
func benchLoad(b Block, w evidence.BenchWork) (evidence.BenchLoad, error) {
	l := evidence.UsualLoad(w)
	partitions := int64(l.Partitions)
	for _, read := range []func() error{
		func() error { return readInt(b, "rounds", &l.Rounds, 1, evidence.MostRounds) },
		func() error { return readInt(b, "warmup", &l.WarmUp, 0, evidence.MostWarmUp) },
		func() error { return readInt(b, "records", &l.Records, 1, evidence.MostRecords) },
		func() error { return readInt(b, "record-size", &l.RecordBytes, 1, evidence.MostRecordBytes) },
		func() error { return readInt(b, "keys", &l.Keys, 0, evidence.MostKeys) },
		func() error { return readInt(b, "partitions", &partitions, 1, evidence.MostPartitions) },
		func() error { return readPace(b, w, &l.Rate) },
		func() error { return readTransaction(b, w, &l.Transaction) },
	} {
		if err := read(); err != nil {
			return l, err
		}
	}
	l.Partitions = int32(partitions)
	return l, nil
}

func readPace(b Block, w evidence.BenchWork, into *float64) error {
	text := b.Get("rate")
	if text == "" {
		return nil
	}
	rate, err := strconv.ParseFloat(text, 64)
	switch {
	case !w.Paced():
		return attributeError("rate", "%q: only latency has one", text)
	case err != nil || !evidence.ValidRate(rate):
		return attributeError("rate", "%q: expected records a second, such as 5000, and %d at most", text, evidence.MostRate)
	}
	*into = rate
	return nil
}

func readTransaction(b Block, w evidence.BenchWork, into *int64) error {
	if b.Get("transaction") != "" && !w.Transacted() {
		return attributeError("transaction", "%q: only transactions and rpw have them", b.Get("transaction"))
	}
	return readInt(b, "transaction", into, 1, evidence.MostTransaction)
}
