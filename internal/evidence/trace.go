package evidence

import "slices"

// Trace is the requests of a trial in the order in which they reached the
// proxy. It is bounded: Cut counts exchanges that were not kept. Everything that
// a verdict needs is counted before anything is cut.
type Trace struct {
	Exchanges []Exchange
	Cut       int64
}

// Exchange is one request and its answer. Times are microseconds since the
// trial began.
type Exchange struct {
	N             int64  `json:"n"`    // order of arrival, from 1
	Conn          int64  `json:"conn"` // connection, from 1
	Node          int32  `json:"node"`
	Client        string `json:"client"` // client.id of the request header
	API           string `json:"api"`
	Version       int16  `json:"version"`
	Correlation   int32  `json:"correlation"`
	RequestBytes  int    `json:"request_bytes"`
	ResponseBytes int    `json:"response_bytes,omitempty"`
	At            int64  `json:"at_us"`
	AnsweredAt    int64  `json:"answered_us,omitempty"` // when the broker's answer was complete

	Forwarded bool `json:"forwarded"` // the broker got the request
	Answered  bool `json:"answered"`  // the broker answered
	Delivered bool `json:"delivered"` // the client got an answer

	Fault      string       `json:"fault,omitempty"`      // "drop-response", ...: what was done to it
	Collateral bool         `json:"collateral,omitempty"` // lost with a connection that a fault closed
	Points     []string     `json:"points,omitempty"`     // the fault points that fired here
	Batches    []TraceBatch `json:"batches,omitempty"`    // Produce only
	End        *TraceEnd    `json:"end,omitempty"`        // EndTxn only
	Summary    string       `json:"summary,omitempty"`    // the request in a few words, no payload

	// Fields are settings of the client that the request carries, under names like
	// "acks" and "isolation_level": a fixed list for each API (package proxy), where the
	// trial asked for them.
	Fields map[string]string `json:"fields,omitempty"`

	// Features are the levels that the cluster has finalized (KIP-584), in an answer to
	// ApiVersions that tells them; a feature at level 0 is not there.
	Features map[string]int16 `json:"features,omitempty"`

	Result string `json:"result,omitempty"` // the answer in a few words: error codes by name

	// TransactionalID is that of the request as the story calls it, where a rule of the
	// plan is about it; the real one stands in Summary.
	TransactionalID string `json:"transactional_id,omitempty"`
}

// Carries says whether it is a Produce request with a copy of the record.
func (e Exchange) Carries(id RecordID) bool {
	return slices.ContainsFunc(e.Batches, func(b TraceBatch) bool { return slices.Contains(b.IDs, id) })
}

// TraceEnd is how an EndTxn request asks for a transaction to end, for whom, and the
// broker's answer.
type TraceEnd struct {
	Commit          bool   `json:"commit"` // false: abort
	TransactionalID string `json:"transactional_id"`
	ProducerID      int64  `json:"producer_id"`
	ProducerEpoch   int16  `json:"producer_epoch"`
	Code            string `json:"code,omitempty"` // by name, "ok" for no error; empty when it gave none
}

// TraceBatch is one record batch of a Produce request, and the broker's answer.
type TraceBatch struct {
	Topic         string     `json:"topic"`
	Partition     int32      `json:"partition"`
	ProducerID    int64      `json:"producer_id"`
	ProducerEpoch int16      `json:"producer_epoch"`
	BaseSequence  int32      `json:"base_sequence"`
	Records       int32      `json:"records"`
	Codec         string     `json:"codec,omitempty"` // how the records are compressed: "gzip"; empty where they are not
	IDs           []RecordID `json:"ids,omitempty"`   // where records were decoded
	Sends         []SendID   `json:"sends,omitempty"`
	Attempt       int        `json:"attempt,omitempty"` // of its first record, from 1
	BaseOffset    int64      `json:"base_offset"`
	Code          string     `json:"code,omitempty"` // the broker's answer by name, "ok" for no error; empty when it gave none
}
