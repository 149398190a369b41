package evidence

// MostExchanges is how many exchanges a Case keeps.
const MostExchanges = 60

// Case is the first anomaly of a violated trial with what client, log and wire have
// of it, so that a document can tell the story without the files beside it. It takes
// no part in a verdict.
type Case struct {
	Kind  AnomalyKind `json:"kind,omitempty"`  // "" where what broke the claim is no anomaly
	Cause string      `json:"cause,omitempty"` // of that anomaly
	First string      `json:"first,omitempty"` // as the anomaly names it

	Records []RecordID `json:"records"`  // that it is about: the first one, and those that the broker took for it
	Sends   []Send     `json:"sends"`    // of these records: what the client said
	Stored  []Stored   `json:"stored"`   // the copies of these records in the log
	Wire    []Exchange `json:"wire"`     // around them, MostExchanges at most, in the order of the trace
	LeftOut int64      `json:"left_out"` // exchanges of the trial that are not in Wire
}

// Stored is a copy of a record in the log, with the batch header it stands under.
type Stored struct {
	Topic         string   `json:"topic"`
	Partition     int32    `json:"partition"`
	Offset        int64    `json:"offset"`
	ID            RecordID `json:"id"`
	Send          SendID   `json:"send"`
	ProducerID    int64    `json:"producer_id"` // -1 without idempotence
	ProducerEpoch int16    `json:"producer_epoch"`
	Sequence      int32    `json:"sequence"` // of this record; -1 without idempotence
	Transactional bool     `json:"transactional,omitempty"`
}

// Shrunk is the smallest trial in which a violated one was seen again: fewer records
// and fewer faults, the same anomaly (`kcompare run --shrink`).
type Shrunk struct {
	Command    string    `json:"command"` // the command line that plays it
	Messages   int       `json:"messages"`
	Partitions int       `json:"partitions"` // of every topic; 0: as the story has them
	Seed       int64     `json:"seed"`
	Faults     int       `json:"faults"`         // points that fired
	Times      int       `json:"times"`          // it showed the anomaly so often
	Tries      int       `json:"tries"`          // ... of so many times that it was played
	Anomalies  []Anomaly `json:"anomalies"`      // of it
	Case       *Case     `json:"case,omitempty"` // its first anomaly on the wire

	Records int64            `json:"records"` // that it means to write
	Struck  map[string]int64 `json:"struck"`  // points that fired, by the kind of the fault
}
