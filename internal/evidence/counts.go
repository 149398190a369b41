package evidence

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// Metric names one count of a trial.
type Metric string

// The metrics, in the order in which they are printed.
const (
	Intended         Metric = "intended"
	Acked            Metric = "acked"
	FailedRecords    Metric = "failed"
	UnknownRecords   Metric = "unknown"
	LogDelta         Metric = "log_delta"
	LogRecords       Metric = "log_records"
	Visible          Metric = "visible"
	Unique           Metric = "unique"
	Duplicates       Metric = "duplicates"
	LostRecords      Metric = "lost"
	FailedPresent    Metric = "failed_but_present"
	ReorderedRecords Metric = "reordered"
	AbortedSeen      Metric = "aborted_visible"

	Transactions     Metric = "transactions"      // that the program began
	Committed        Metric = "committed"         // ... of which the client said committed
	AbortedEnds      Metric = "aborted"           // ... of which the client said aborted
	Undecided        Metric = "undecided"         // ... of which the client said neither
	CommittedRecords Metric = "committed_records" // records sent in transactions that the client said were committed
	AbortedRecords   Metric = "aborted_records"   // data records in the log whose transaction the log says was aborted
	Torn             Metric = "torn"              // transactions of which a part is visible and a part is not
	FencedVisible    Metric = "fenced_visible"    // visible records of an instance that a newer one had fenced
	Stuck            Metric = "stuck"             // committed records that no read_committed reader gets, or got meanwhile: a dead producer's transaction is open
	Inputs           Metric = "inputs"            // valid inputs of a program that reads, processes and writes
	InputsSkipped    Metric = "input_skipped"
	InputsTwice      Metric = "input_reprocessed"
	ReadCommitted    Metric = "read_committed"   // records that the client's own consumer returned under read_committed
	ReadUncommitted  Metric = "read_uncommitted" // ... under read_uncommitted

	ProduceRequests  Metric = "produce_requests"
	ResponsesDropped Metric = "responses_dropped"
	RequestsDropped  Metric = "requests_dropped"
)

// Metrics lists every metric in printing order.
func Metrics() []Metric {
	return []Metric{
		Intended, Acked, FailedRecords, UnknownRecords, LogDelta, LogRecords, Visible, Unique, Duplicates,
		LostRecords, FailedPresent, ReorderedRecords, AbortedSeen,
		Transactions, Committed, AbortedEnds, Undecided, CommittedRecords, AbortedRecords, Torn, FencedVisible, Stuck,
		Inputs, InputsSkipped, InputsTwice, ReadCommitted, ReadUncommitted,
		ProduceRequests, ResponsesDropped, RequestsDropped,
	}
}

// Anomaly is the kind of anomaly whose instances the metric sums up; ok is false
// for a metric that is no such sum.
func (m Metric) Anomaly() (kind AnomalyKind, ok bool) {
	switch m {
	case Duplicates:
		return Duplicate, true
	case LostRecords:
		return Lost, true
	case FailedPresent:
		return FailedButPresent, true
	case ReorderedRecords:
		return Reordered, true
	case AbortedSeen:
		return AbortedVisible, true
	case Torn:
		return TornTransaction, true
	case FencedVisible:
		return FencedWriteVisible, true
	case Stuck:
		return StuckReader, true
	case InputsSkipped:
		return InputSkipped, true
	case InputsTwice:
		return InputReprocessed, true
	}
	return "", false
}

// Counts holds what a trial counted. A metric that it cannot know is absent,
// never 0.
type Counts map[Metric]int64

// MarshalJSON writes the counts in printing order.
func (c Counts) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, m := range Metrics() {
		n, known := c[m]
		if !known {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.WriteString(strconv.FormatInt(n, 10))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Value is the count that a check's right-hand side names: a metric or a number.
func (c Counts) Value(operand string) (int64, bool) {
	if n, err := strconv.ParseInt(operand, 10, 64); err == nil {
		return n, true
	}
	n, known := c[Metric(operand)]
	return n, known
}
