package scenario

import (
	"context"

	"kcompare/internal/evidence"
)

// A contestant is a client that plays a small program as a process of its own, so
// that it can end as processes do: by itself, by SIGTERM, by SIGKILL. The parent gives
// it one line and hears a line for everything that enters the ledger of a story, in
// the words of package drivers. What a killed contestant never said stays unknown.
//
//	stdin    one task. Then nothing comes, and the end of stdin means that the parent
//	         is gone: the contestant ends. Settings, and the passwords in them, come
//	         this way and no other.
//	stdout   one event a line, written before the program goes on.
//	exit     0 when the program came to its end, 1 when it could not go on (its last
//	         event is "failed" then), otherwise the signal's.

// task is what a contestant is told.
type task struct {
	Client    string            `json:"client"`
	Who       string            `json:"who"`      // the part of the story that it plays
	Instance  int               `json:"instance"` // of its producer
	Script    script            `json:"script"`
	Producing map[string]string `json:"producing"`
	OneRecord bool              `json:"one_record_per_batch,omitempty"`
	Consuming map[string]string `json:"consuming"`
	Topics    map[string]string `json:"topics"` // role -> real name
}

// script is what a contestant does, verb by verb.
type script struct {
	Verbs    []verb `json:"verbs"`
	From     int    `json:"from"` // the payments or refunds that it produces
	To       int    `json:"to"`
	FlushMS  int64  `json:"flush_ms,omitempty"` // how long it flushes at most; 0: as long as it takes
	Handles  bool   `json:"handles"`            // it has a handler for SIGTERM; else SIGTERM ends the process
	ListenMS int64  `json:"listen_ms,omitempty"`
}

// verb is one step of a program.
type verb string

// The verbs. Those that package drivers has too are called as there.
const (
	initID         verb = "init"
	begin          verb = "begin"
	produce        verb = "produce"         // its payments, and waits for nothing
	produceRefunds verb = "produce-refunds" // the same with refunds
	reports        verb = "reports"         // waits until all of them are reported
	flush          verb = "flush"           // for FlushMS at most
	stay           verb = "stay"            // does nothing until SIGTERM, if it has a handler, for ever if not
	commitIt       verb = "commit"
	abortIt        verb = "abort"
	closeIt        verb = "close"         // as a driver does: what is pending is reported
	closePlainly   verb = "close-plainly" // as the library does (drivers.PlainCloser)
	listen         verb = "listen"        // for ListenMS at most, to reports that are still to come
	subscribe      verb = "subscribe"     // to the payments
	poll           verb = "poll"          // reads until SIGTERM, as stay
)

// event is what a contestant says.
type event struct {
	Event string `json:"event"`

	Send      *evidence.Send              `json:"send,omitempty"` // produce; its report names it by N
	N         int                         `json:"n,omitempty"`    // report: the nth record, from 0; end: the nth transaction, from 1
	Outcome   evidence.Outcome            `json:"outcome,omitempty"`
	Partition int32                       `json:"partition,omitempty"`
	Offset    int64                       `json:"offset,omitempty"`
	Error     *evidence.ErrorCount        `json:"error,omitempty"` // error; also why a record failed
	Asked     evidence.End                `json:"asked,omitempty"`
	Ended     evidence.TransactionOutcome `json:"ended,omitempty"`
	Verb      verb                        `json:"verb,omitempty"`
	Text      string                      `json:"text,omitempty"`
}

// The events.
const (
	toldProduce = "produce" // a record is about to be handed over
	toldReport  = "report"  // the client reported on it
	toldBegin   = "begin"   // a transaction is open
	toldEnd     = "end"     // its end was asked for, and this came of it
	toldError   = "error"   // of a call that belongs to no single record
	toldDid     = "did"     // a verb of the program is done; Text is its error, if it goes on in spite of one
	toldRead    = "read"    // the first record of a partition was polled
	toldLog     = "log"     // a line of the library's own log
	toldFailed  = "failed"  // the program cannot go on
)

// Process is a contestant's process, as a stage starts it.
type Process interface {
	Terminate() error      // SIGTERM
	Kill() error           // SIGKILL
	Done() <-chan struct{} // closed when it is gone and every line was heard
	End() string           // after Done: "exit status 0", "signal: terminated"
	Complaint() string     // after Done: the last of what it wrote to stderr
}

// Spawn starts a contestant, which is killed when ctx ends. It gets the line on its
// stdin; hear is called for each line that it prints, by one goroutine at a time.
type Spawn func(ctx context.Context, line []byte, hear func(line []byte)) (Process, error)
