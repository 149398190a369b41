package evidence

// BenchSchema is the form of a Bench.
const BenchSchema = "kcompare/bench/v1"

// Bench is what `kcompare bench` measured. Everything that is published of it, the
// judgement included, is computed from it (package bench).
type Bench struct {
	Command  string            `json:"command"` // "bench"
	Schema   string            `json:"schema"`  // BenchSchema
	Kcompare string            `json:"kcompare"`
	Platform string            `json:"platform"` // "linux/amd64"
	Machine  Machine           `json:"machine"`
	Broker   Broker            `json:"broker"`
	Work     BenchWork         `json:"work"`
	Compare  string            `json:"compare,omitempty"` // the key of --compare
	Again    string            `json:"again"`             // the command line that repeats it
	Faults   []string          `json:"faults,omitempty"`  // of --fault, as given; the proxy stood in between then
	Config   map[string]string `json:"config"`            // what every contestant was given, canonical names
	Load     BenchLoad         `json:"load"`

	Contestants []BenchContestant `json:"contestants"`
	Rounds      []BenchRound      `json:"rounds"` // in the order in which they were played, warm-up included

	Unfinished int   `json:"unfinished,omitempty"` // rounds of an interrupted run that are not in here
	ElapsedMS  int64 `json:"elapsed_ms"`

	Judgement BenchJudgement `json:"judgement"` // computed by bench.Judge from all of the above

	// Inputs is that of a Document.
	Inputs map[string]string `json:"inputs,omitempty"`
}

// Machine is where it was measured.
type Machine struct {
	Processor string `json:"processor,omitempty"` // as the system names it; empty where it does not
	Cores     int    `json:"cores"`               // that this process may use
	MemoryMB  int64  `json:"memory_mb,omitempty"`
	System    string `json:"system,omitempty"` // "Debian GNU/Linux 12, kernel 6.1"
}

// BenchWork is what clients are timed at.
type BenchWork string

// The works.
const (
	BenchProduce      BenchWork = "produce"      // records a second, as fast as the library takes them
	BenchLatency      BenchWork = "latency"      // time to the report of each record, at a fixed rate
	BenchConsume      BenchWork = "consume"      // records a second, of a topic that is there
	BenchTransactions BenchWork = "transactions" // records and transactions a second
	BenchRPW          BenchWork = "rpw"          // read-process-write in transactions
)

// BenchWorks are all, in the order of the command's help.
func BenchWorks() []BenchWork {
	return []BenchWork{BenchProduce, BenchLatency, BenchConsume, BenchTransactions, BenchRPW}
}

// BenchLoad is how much a round is.
type BenchLoad struct {
	Rounds      int     `json:"rounds"` // that count, of each contestant
	WarmUp      int     `json:"warm_up"`
	Records     int64   `json:"records"`      // a round
	RecordBytes int     `json:"record_bytes"` // of a value
	Keys        int64   `json:"keys"`         // different ones; 0: records have none
	Partitions  int32   `json:"partitions"`
	Rate        float64 `json:"rate,omitempty"`        // records a second, of latency
	Transaction int64   `json:"transaction,omitempty"` // records of each, of transactions and rpw
}

// BenchContestant is a client with its settings.
type BenchContestant struct {
	Name     string            `json:"name"` // unique: "franz", "franz acks=1", "kafka-producer-perf-test"
	Client   string            `json:"client"`
	Library  string            `json:"library"`
	Language string            `json:"language,omitempty"` // and runtime: "Python 3.11.7"
	Value    string            `json:"value,omitempty"`    // of the key that is compared
	Config   map[string]string `json:"config,omitempty"`   // beside what all were given
	// Load is how its rounds differ from Bench.Load; nil: they do not. Of --compare
	// transaction.size=1,100 alone.
	Load *BenchLoad `json:"load,omitempty"`

	Inexpressible map[string]string `json:"inexpressible,omitempty"` // settings that the library has no way to express: not set, and why
	Differences   []string          `json:"differences,omitempty"`   // settings that it could only approximate

	// Seen is what the wire showed in the short run through the proxy, which is not
	// timed; nil where it failed, for the reason in Unproven.
	Seen     *BenchSeen `json:"seen,omitempty"`
	Unproven string     `json:"unproven,omitempty"`

	// LeftOut is why it did not play, such as an ability that its program lacks: it has
	// neither Seen nor rounds then, and takes no part in a ranking. The others do.
	LeftOut string `json:"left_out,omitempty"`

	PeakMemoryBytes int64 `json:"peak_memory_bytes,omitempty"` // of its process over all rounds; 0: nobody told
}

// BenchSeen is effective settings as the wire showed them. What was not to be seen in
// this work, such as the acks of a consumer, is absent.
//
// Words and counts come out the same in each run, and are equal or they are not. Three figures
// are measured: two contestants with the same settings differ in the largest batch and its
// records by less than a twentieth (by one record, and by what a library counts into the
// limit), in the record's bytes by less than a hundredth (numbers have more or fewer digits),
// and in linger by less than 2 ms or a quarter, whichever is more (a thread has to wake up).
type BenchSeen struct {
	Acks             string   `json:"acks,omitempty"` // "all", "1", "0"
	Idempotent       string   `json:"idempotent,omitempty"`
	Codec            string   `json:"codec,omitempty"` // "none", "gzip", ...
	RecordBytes      float64  `json:"record_bytes,omitempty"`
	Partitions       int      `json:"partitions,omitempty"`         // that were written to, or read from
	LargestBatch     int64    `json:"largest_batch,omitempty"`      // bytes, as encoded, while answers came so late that batches filled
	LargestRecords   int64    `json:"largest_records,omitempty"`    // in one batch, at the same time
	LingerMS         *float64 `json:"linger_ms,omitempty"`          // from the record's hand-over to its request, the least of several
	InFlight         int      `json:"in_flight,omitempty"`          // the most requests of a connection that were not answered, while answers came late
	BatchesInRequest float64  `json:"batches_in_request,omitempty"` // on average
	Isolation        string   `json:"isolation,omitempty"`          // of Fetch
	LargestFetch     int64    `json:"largest_fetch,omitempty"`      // bytes of an answer
	Versions         []string `json:"versions,omitempty"`           // of APIs that the work is made of: "Produce v12"
	Records          int64    `json:"records"`                      // that the short run had
	Requests         int64    `json:"requests"`                     // Produce or Fetch, that it took

	// NotSeen is why a setting is absent that others may show: "linger", a client that
	// does not pace its records.
	NotSeen map[string]string `json:"not_seen,omitempty"`
}

// BenchRound is one contestant's turn.
type BenchRound struct {
	Contestant string `json:"contestant"`
	Round      int    `json:"round"` // from 1; 0 and less: warm-up
	Turn       int    `json:"turn"`  // place among the turns of its round, from 1

	Records   int64 `json:"records"`    // delivered: found in the log, or read, each by its identity once
	Bytes     int64 `json:"bytes"`      // of their keys and values
	ElapsedUS int64 `json:"elapsed_us"` // in the client's process; of consume in kcompare, from the assignment to the last record

	// Timed is how many of Records ElapsedUS covers, where a tool's clock leaves out those
	// at the begin, or the end; 0: all. Processor time is always that of all.
	Timed int64 `json:"timed,omitempty"`

	ClientCPUUS int64           `json:"client_cpu_us,omitempty"` // of the client's process, kernel included; 0: nobody told
	BrokerCPUUS int64           `json:"broker_cpu_us,omitempty"` // of the broker's processes
	OwnCPUUS    int64           `json:"own_cpu_us,omitempty"`    // of kcompare: pipes, the proxy where it stands in between, the broker where it is embedded
	Allocated   *BenchAllocated `json:"allocated,omitempty"`
	Batches     int64           `json:"batches,omitempty"`      // in the log
	Transacted  int64           `json:"transactions,omitempty"` // that committed

	Latency *BenchLatencies `json:"latency,omitempty"` // of records, or of transactions

	// Void is why the round does not count, "lost 3 of 100000 records"; empty where it does.
	Void       string `json:"void,omitempty"`
	Lost       int64  `json:"lost,omitempty"`
	Duplicates int64  `json:"duplicates,omitempty"`
	Faults     int64  `json:"faults,omitempty"` // that fired
}

// BenchAllocated is what the runtime of a client's language allocated, freed or not.
type BenchAllocated struct {
	Objects int64 `json:"objects,omitempty"` // 0: it does not count them
	Bytes   int64 `json:"bytes"`
}

// BenchLatencies are microseconds.
type BenchLatencies struct {
	Count int64 `json:"count"`
	P50   int64 `json:"p50"`
	P95   int64 `json:"p95"`
	P99   int64 `json:"p99"`
	P999  int64 `json:"p999"`
	Max   int64 `json:"max"`

	// Histogram is all of them, in HdrHistogram's compressed form (V2, base64), so that
	// rounds can be added up. It is empty where a tool told nothing but the figures above.
	Histogram string `json:"histogram,omitempty"`
}

// BenchJudgement is what can be said, and what cannot.
type BenchJudgement struct {
	// Unequal lists effective settings that differ between contestants beside the key
	// that is compared. While there is one, nothing is called faster.
	Unequal []BenchUnequal `json:"unequal,omitempty"`

	// Beside are differences that do not forbid a ranking, as sentences.
	Beside []string `json:"beside,omitempty"`

	// Open is why nothing is judged beside Unequal: too few rounds that count, settings that
	// could not be proven.
	Open []string `json:"open,omitempty"`

	// Metrics are what is compared, the first is the one that ranks.
	Metrics []BenchMetric `json:"metrics,omitempty"`
}

// BenchUnequal is one setting that is not the same for all.
type BenchUnequal struct {
	Setting string            `json:"setting"` // "largest batch"
	Seen    map[string]string `json:"seen"`    // by contestant
}

// BenchMetric is one figure of all contestants.
type BenchMetric struct {
	Name     string         `json:"name"` // "records/s"
	Unit     string         `json:"unit"`
	More     bool           `json:"more"`     // more is better
	Standing []BenchFigures `json:"standing"` // the best first; without a ranking, and where values of a key are compared, in the order of the contestants
}

// BenchFigures is one contestant's figure.
type BenchFigures struct {
	Contestant string  `json:"contestant"`
	Rounds     int     `json:"rounds"` // that count
	Median     float64 `json:"median"`
	Least      float64 `json:"least"`
	Most       float64 `json:"most"`

	// Each is the figure of each round that counts, in their order; of one that is told
	// once for all rounds it is empty.
	Each []float64 `json:"each,omitempty"`

	// Ratio is the figure as a multiple of that of Against, over the rounds that count
	// for both, round by round: the geometric mean, and the interval that has the true one in
	// 95 of 100 cases. Nil for whom the others are compared with.
	Ratio *BenchRatio `json:"ratio,omitempty"`
}

// BenchRatio compares two contestants.
type BenchRatio struct {
	Against string  `json:"against"`
	Pairs   int     `json:"pairs"`
	Mean    float64 `json:"mean"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`

	// Visible is the smallest difference, 0.03 for 3 %, that as many rounds with as much
	// noise show in nine of ten runs.
	Visible float64 `json:"visible"`
}

// Differs says whether the interval leaves 1 out. Where it does not, no difference was seen.
func (r BenchRatio) Differs() bool { return r.Low > 1 || r.High < 1 }
