// Package bench times client libraries at the same work, and says that one is faster only
// where the wire showed the same effective settings for all of them.
//
// Run first proves what each contestant does, in a short run through the proxy that is
// not timed. Then it plays rounds: in each, every contestant has one turn, in an order that
// turns around from round to round. A turn writes (or reads) records that count up, and is
// read back from the broker's log by that number: a turn that lost or doubled one is void.
// What it means is computed by Judge, from the evidence alone.
package bench

import (
	"context"
	"time"

	"kcompare/drivers"
	"kcompare/internal/broker"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// Options is what is to be measured, and where.
type Options struct {
	Work        evidence.BenchWork
	Contestants []Contestant
	Load        evidence.BenchLoad
	Config      map[string]string // of all contestants, canonical names
	Compare     string            // the key in which the contestants differ; "": they are different clients

	Faults Faults // between clients and broker while the clock runs; the zero value: nothing stands in between

	Cluster   broker.Cluster
	Processes []int  // ids of the broker's processes; nil where they are not ours, or this one
	Topics    string // begins the name of every topic, group and transactional id

	Now      func() time.Time
	Progress func(Progress) // nil: nobody wants to know
}

// Faults are those of --fault: as given, and as the proxy's plan.
type Faults struct {
	Given []string
	Plan  fault.Plan
}

// Contestant is one client with its settings.
type Contestant struct {
	Name   string // as evidence has it
	Client string
	Value  string              // of the key that is compared
	Config map[string]string   // beside Options.Config
	Load   *evidence.BenchLoad // nil: that of the options
	Open   func(context.Context) (Player, error)
}

// Player plays the turns of one contestant: a client's program, or a tool. It is asked for one
// thing at a time.
type Player interface {
	// About says who it is.
	About() About

	// Differences is drivers.Driver.Differences. A work may need two roles.
	Differences(drivers.Role, drivers.Settings) ([]string, error)

	// Ready makes the client that the next turns play with: connected to servers, with
	// these settings, its topics known, and one transaction or record done, so that
	// nothing of that is timed. A client of an earlier call is closed.
	Ready(ctx context.Context, s Stage) error

	// Play plays one turn.
	Play(ctx context.Context, t Turn) (Played, error)

	// Process is the id of the process that the library lives in; 0 where each turn has
	// its own, and Played tells of it.
	Process() int

	// Close ends the process.
	Close()
}

// About is who a player is.
type About struct {
	Library  drivers.Library
	Language string // and its runtime
	Can      drivers.Abilities

	// Counted says that its records have no number in their values, so that how many the
	// log holds is all that a read-back can tell. Differences says it in words.
	Counted bool
}

// Stage is what a client is made for.
type Stage struct {
	Work    evidence.BenchWork
	Servers string            // bootstrap.servers: the broker's own, or the proxy's
	Config  map[string]string // everything else
	Load    evidence.BenchLoad
	Warm    string // a topic that may be written to before anything is timed
	Group   string // of consumers
	ID      string // of transactional producers
}

// Turn is one piece of work.
type Turn struct {
	Topic string // to write to, or to read from
	Out   string // of read-process-write
	Load  evidence.BenchLoad

	// Now is the clock of consume: a library may return everything with its first poll,
	// so that the time since the first record says nothing. Nil: nobody wants the time.
	Now func() time.Time
}

// Played is what a player says of its turn. Which records were delivered is not its to say.
type Played struct {
	Elapsed      time.Duration
	Latencies    []uint32 // as drivers.Produced has them
	Runs         []drivers.Run
	Allocated    *drivers.Allocated
	Transactions int64

	// Of a player whose turns have a process each. CPU has all of the process in it, its
	// start as well.
	CPU        time.Duration
	PeakMemory int64 // bytes

	// Timed is how many of the turn's records Elapsed covers, where a tool's clock leaves
	// out those at the begin, or the end; 0: all.
	Timed int64

	// Told is what a tool says of latencies that it keeps to itself: no histogram, and
	// from the hand-over of each record, not from when it was due.
	Told *evidence.BenchLatencies
}

// Progress is where a run stands.
type Progress struct {
	Contestant string
	Proving    bool // otherwise it plays
	Turn, Of   int  // turns, warm-up included
}
