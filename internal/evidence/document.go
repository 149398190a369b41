// Package evidence is the document that joins running and judging: what a trial
// saw, and what was computed from it. It holds values only; a run writes them,
// audit, verdict and report need nothing else.
package evidence

import "fmt"

// Schema is the version of the JSON that this package reads and writes.
const Schema = "kcompare/evidence/v1"

// Document is the evidence of one command. Keys are only ever added.
type Document struct {
	Command    string            `json:"command"`
	Schema     string            `json:"schema"`
	Kcompare   string            `json:"kcompare"`
	Platform   string            `json:"platform,omitempty"` // operating system and processor: "linux/amd64"
	Seed       int64             `json:"seed"`
	Broker     Broker            `json:"broker"`
	Parameters map[string]string `json:"parameters"`           // the flags of the run that shape its trials
	Again      string            `json:"again"`                // the command line that repeats it
	ElapsedMS  int64             `json:"elapsed_ms"`           // the whole command; trials may have run side by side
	Unfinished int               `json:"unfinished,omitempty"` // trials of an interrupted run that are not in here
	Trials     []Trial           `json:"trials"`

	// Inputs is what evidence that stands behind a page was made of, by what it is
	// (package workbook): where one of them is another today, the evidence is stale.
	// Other evidence has none.
	Inputs map[string]string `json:"inputs,omitempty"`
}

// Broker says what the trials ran against.
type Broker struct {
	Kind     string `json:"kind"` // embedded, kafka, external
	Software string `json:"software"`
	Nodes    int    `json:"nodes"`
}

// Kind says how a variant is judged.
type Kind string

// The kinds of a variant.
const (
	Promise     Kind = "promise"     // must hold
	Control     Kind = "control"     // must misbehave as claimed, or the experiment proves nothing
	Observation Kind = "observation" // no right answer: shown and compared
)

// Verdict is the judgement on a trial.
type Verdict string

// The verdicts. Holds is earned: see package verdict.
const (
	Holds        Verdict = "holds"
	Violated     Verdict = "violated"
	Inconclusive Verdict = "inconclusive"
	NotSupported Verdict = "not-supported"
)

// Trial is scenario x variant x client x broker x seed: what was set, what was
// seen, and the verdict. Everything that the verdict needs is in here.
type Trial struct {
	Scenario string `json:"scenario"`
	Variant  string `json:"variant"`
	Kind     Kind   `json:"kind"`
	Client   string `json:"client"`
	Library  string `json:"library"`
	Repeat   int    `json:"repeat,omitempty"` // 1, 2, ... with --repeat
	Number   int    `json:"number,omitempty"` // its place in the run, from 1
	About    string `json:"about"`            // the story in one sentence, with this trial's figures

	Bare        bool              `json:"bare,omitempty"`             // the clients of the story got the address and what is in Config and Consuming, and nothing else
	Config      map[string]string `json:"config"`                     // every key the trial set, canonical names
	Consuming   map[string]string `json:"consuming_config,omitempty"` // of the consumers in the story
	Reading     map[string]string `json:"reading_config"`             // of the client's own consumer, which reads at the end
	Differences []string          `json:"differences"`                // settings that this client could only approximate

	Faults     []Fault          `json:"faults"`
	Counts     Counts           `json:"counts"`
	Requests   map[string]int64 `json:"requests"` // by API, as seen on the wire
	Anomalies  []Anomaly        `json:"anomalies"`
	Errors     []ErrorCount     `json:"errors"`
	Answers    []Answer         `json:"answers,omitempty"` // what it found out beside counts, in the order of the story
	Conditions Conditions       `json:"conditions"`

	// BrokerRows is rows of docs/brokers.md in which the embedded broker, on which
	// this trial ran, answers otherwise than Apache Kafka: errors and requests of the
	// trial depend on them, and nothing can be concluded from those about a client.
	BrokerRows []string `json:"broker_rows,omitempty"`

	Notes     []string `json:"notes,omitempty"`      // what else a reader should know
	ClientLog []string `json:"client_log,omitempty"` // the library's own log, its first lines

	Trace string `json:"trace,omitempty"` // file beside the document
	Log   string `json:"log,omitempty"`   // file beside the document

	Case   *Case   `json:"case,omitempty"`   // of a violated trial: its first anomaly on the wire and in the log
	Shrunk *Shrunk `json:"shrunk,omitempty"` // the smallest trial in which the same anomaly was found, where it was looked for

	Scenes []Scene `json:"scenes,omitempty"` // parts of the trace for a page, where one was asked for

	Claim    string        `json:"claim"`
	Requires []Check       `json:"requires"` // without which the checks prove nothing
	Checks   []Check       `json:"checks"`
	Allowed  []AnomalyKind `json:"allowed"` // anomalies that this variant permits

	Verdict   Verdict  `json:"verdict"`
	Reasons   []string `json:"reasons"`
	Repeats   bool     `json:"repeats,omitempty"` // the same seed gives the same counts: it sends one record at a time
	Unstable  bool     `json:"unstable"`          // repeats of this trial differ in verdict or answers, or in counts that repeat
	ElapsedMS int64    `json:"elapsed_ms"`
}

// Fault is one rule of the plan and what became of it. Planned and Fired count
// points (see package fault), Collateral counts innocent answers, and with acks=0
// requests, that were lost with a connection that the fault closed.
type Fault struct {
	Rule          string   `json:"rule"`
	Kind          string   `json:"kind"`
	API           string   `json:"api"`
	Planned       int64    `json:"planned"`
	Fired         int64    `json:"fired"`
	Collateral    int64    `json:"collateral"`
	NotApplicable string   `json:"not_applicable"`   // why this client never sends such a request to this broker
	Missed        []string `json:"missed,omitempty"` // the first planned points that did not fire

	// Unplanned is why nobody knew before the run at which points the rule would
	// strike; "" where that was known. It has to have fired at least once.
	Unplanned string `json:"unplanned,omitempty"`
}

// Conditions is what has to be in order before holds can be earned.
type Conditions struct {
	Unsupported   string   `json:"unsupported,omitempty"` // what client or broker lacks
	Error         string   `json:"error,omitempty"`       // why the scenario could not go on
	Program       string   `json:"program,omitempty"`     // what the client's program did wrong, where the client is one (drivers.Running)
	Finished      bool     `json:"finished"`              // every call returned in time
	Pending       int64    `json:"pending"`               // records without a report when time was up
	ReadBack      string   `json:"read_back"`             // "complete", or what stopped it
	OpenAtEnd     string   `json:"open_at_end,omitempty"` // partitions that were read to their end, and in which a transaction is open still
	ClientRead    string   `json:"client_read,omitempty"` // why the client could not read the topics to their end itself
	Exchanges     int64    `json:"exchanges"`             // requests in the trace, those that were cut included
	Leaks         int64    `json:"leaks"`                 // batches in the log that never passed the proxy
	FirstLeak     string   `json:"first_leak,omitempty"`
	Problems      []string `json:"problems,omitempty"`  // what the proxy could not read, who connected past it
	Unchecked     string   `json:"unchecked,omitempty"` // what the audit could not check, and why
	SharedBatches int64    `json:"shared_batches"`      // batches with several records where one each was asked for
}

// ReadBackComplete is the value of Conditions.ReadBack when nothing is missing.
const ReadBackComplete = "complete"

// Check is one claim of a variant as a comparison of counts, so that a verdict
// can be computed again from evidence alone.
type Check struct {
	Left  Metric `json:"left"`
	Op    string `json:"op"`    // "==", ">=", ">"
	Right string `json:"right"` // a metric or a number
}

// ErrorCount is one kind of error that the library gave, and how often.
type ErrorCount struct {
	Who   string `json:"who,omitempty"` // which part of the story made the call: "old instance"; empty where there is only one
	Call  string `json:"call"`
	Class string `json:"class"`
	Code  string `json:"code"`
	Text  string `json:"text"`
	Count int64  `json:"count"`
}

// AnomalyKind names one way in which log and claims disagree.
type AnomalyKind string

// The anomalies.
const (
	Lost               AnomalyKind = "lost"
	Duplicate          AnomalyKind = "duplicate"
	Reordered          AnomalyKind = "reordered"
	Corrupted          AnomalyKind = "corrupted"
	WrongPartition     AnomalyKind = "wrong-partition"
	Phantom            AnomalyKind = "phantom"
	FailedButPresent   AnomalyKind = "failed-but-present"
	OffsetMismatch     AnomalyKind = "offset-mismatch"
	OffsetGap          AnomalyKind = "offset-gap"
	AbortedVisible     AnomalyKind = "aborted-visible"
	TornTransaction    AnomalyKind = "torn-transaction"
	FencedWriteVisible AnomalyKind = "fenced-write-visible"
	UncommittedVisible AnomalyKind = "uncommitted-visible"
	StuckReader        AnomalyKind = "stuck-reader"
	InputSkipped       AnomalyKind = "input-skipped"
	InputReprocessed   AnomalyKind = "input-reprocessed"
	PollSkipped        AnomalyKind = "poll-skipped"
	PollNonmonotonic   AnomalyKind = "poll-nonmonotonic"
)

// Anomaly is one kind of disagreement, one cause of it, and how often.
type Anomaly struct {
	Kind    AnomalyKind `json:"kind"`
	Count   int64       `json:"count"`
	Allowed bool        `json:"allowed"`
	Cause   string      `json:"cause"`
	First   string      `json:"first"` // key or place of the first one
}

// String is the anomaly in short, "lost: 51, the first is order-0004 (the cause)".
func (a Anomaly) String() string {
	return fmt.Sprintf("%s: %d, the first is %s (%s)", a.Kind, a.Count, a.First, a.Cause)
}
