package report

import (
	"cmp"
	"slices"

	"kcompare/internal/evidence"
)

// Wires has for trials what their traces look like over time.
type Wires map[TrialName]Wire

// TrialName tells the trials of a run apart.
type TrialName struct {
	Scenario, Variant, Client string
	Repeat                    int
}

// NameOf is the name of a trial.
func NameOf(t evidence.Trial) TrialName {
	return TrialName{t.Scenario, t.Variant, t.Client, t.Repeat}
}

// chosen is the wires of so many trials that a page has room for; those that did not end
// as promised come first. left is how many others there are.
func (all Wires) chosen(trials []evidence.Trial, most int) (kept Wires, left int) {
	trials = filter(trials, func(t evidence.Trial) bool { _, there := all[NameOf(t)]; return there })
	slices.SortStableFunc(trials, func(s, t evidence.Trial) int { return cmp.Compare(needs(t), needs(s)) })
	kept = Wires{}
	for _, t := range trials[:min(most, len(trials))] {
		kept[NameOf(t)] = all[NameOf(t)]
	}
	return kept, len(trials) - len(kept)
}

// needs is 1 for a trial that somebody has to look into.
func needs(t evidence.Trial) int {
	if t.Verdict == evidence.Violated || t.Verdict == evidence.Inconclusive || t.Unstable {
		return 1
	}
	return 0
}

const (
	wireColumns = 300 // of the picture, into which time is cut
	markColumns = 75  // for marks, which are wider
	mostLanes   = 10  // beyond that a picture is not read any more
	mostWires   = 200 // on a page: some kilobytes each
)

// Wire is a trace as far as a picture shows it. It is small whatever the size of the
// trace: a run keeps one for each of its trials.
//
// A fault that takes an answer away takes the connection too, so that a trial may have
// hundreds of them. Connections to one node that follow one another share a lane.
type Wire struct {
	lanes   []lane
	nodes   []nodeTraffic
	begin   int64 // microseconds since the trial began, of its first request
	span    int64 // from there to the last answer
	unshown int   // connections for which there was no lane
	cut     int64 // requests that the trace does not have
}

// lane is what happened on connections to one node, none of which overlap.
type lane struct {
	node           int32
	end            int64             // of its last connection
	alive          [wireColumns]bool // a connection was in use
	opened         [wireColumns]bool // a connection had its first request
	produced, sent [wireColumns]bool // a Produce request, any other request, began
	struck, missed [markColumns]bool // a fault fired, an answer did not arrive
}

// nodeTraffic is the same in figures.
type nodeTraffic struct {
	node                                              int32
	connections, requests, faults, unanswered, unsent int64
}

// connection is what a trace has of one.
type connection struct {
	number, first, last int64
	node                int32
}

// WireOf draws up a trace.
func WireOf(t evidence.Trace) Wire {
	w := Wire{cut: t.Cut}
	connections := connectionsOf(t)
	if len(connections) == 0 {
		return w
	}
	earliest := func(a, b connection) int { return cmp.Compare(a.first, b.first) }
	latest := func(a, b connection) int { return cmp.Compare(a.last, b.last) }
	w.begin = slices.MinFunc(connections, earliest).first
	w.span = max(1, slices.MaxFunc(connections, latest).last-w.begin)
	lanes := map[int64]int{}
	for _, c := range connections {
		w.traffic(c.node).connections++
		if i := w.laneFor(c); i >= 0 {
			lanes[c.number] = i
			w.lanes[i].take(c, &w)
		} else {
			w.unshown++
		}
	}
	for _, e := range t.Exchanges {
		w.traffic(e.Node).add(e)
		if i, shown := lanes[e.Conn]; shown {
			w.lanes[i].mark(e, &w)
		}
	}
	return w
}

// connectionsOf lists them by node, and in the order in which they were opened.
func connectionsOf(t evidence.Trace) []connection {
	at := map[int64]int{}
	var all []connection
	for _, e := range t.Exchanges {
		i, known := at[e.Conn]
		if !known {
			i = len(all)
			at[e.Conn] = i
			all = append(all, connection{number: e.Conn, node: e.Node, first: e.At, last: e.At})
		}
		all[i].first = min(all[i].first, e.At)
		all[i].last = max(all[i].last, e.At, e.AnsweredAt)
	}
	slices.SortFunc(all, func(a, b connection) int {
		return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.first, b.first), cmp.Compare(a.number, b.number))
	})
	return all
}

// laneFor is a lane of the connection's node that is free, -1 where there is no room.
func (w *Wire) laneFor(c connection) int {
	free := func(l lane) bool { return l.node == c.node && l.end < c.first }
	if i := slices.IndexFunc(w.lanes, free); i >= 0 {
		return i
	}
	if len(w.lanes) == mostLanes {
		return -1
	}
	w.lanes = append(w.lanes, lane{node: c.node})
	return len(w.lanes) - 1
}

// column is the one of so many in which a moment lies.
func (w Wire) column(at int64, of int) int {
	return int(min(max(0, at-w.begin)*int64(of)/w.span, int64(of-1)))
}

func (l *lane) take(c connection, w *Wire) {
	l.end = c.last
	from, to := w.column(c.first, wireColumns), w.column(c.last, wireColumns)
	l.opened[from] = true
	for x := from; x <= to; x++ {
		l.alive[x] = true
	}
}

func (l *lane) mark(e evidence.Exchange, w *Wire) {
	if x := w.column(e.At, wireColumns); e.API == "Produce" {
		l.produced[x] = true
	} else {
		l.sent[x] = true
	}
	x := w.column(e.At, markColumns)
	l.struck[x] = l.struck[x] || e.Fault != ""
	l.missed[x] = l.missed[x] || answerLost(e) || requestLost(e)
}

// answerLost says whether the broker answered and the client did not get it.
func answerLost(e evidence.Exchange) bool { return e.Answered && !e.Delivered }

// requestLost says whether the broker did not get it, and nobody answered in its stead.
func requestLost(e evidence.Exchange) bool { return !e.Forwarded && !e.Delivered }

// traffic is the node's line, which is made where there is none.
func (w *Wire) traffic(node int32) *nodeTraffic {
	i, known := slices.BinarySearchFunc(w.nodes, node, func(n nodeTraffic, node int32) int { return cmp.Compare(n.node, node) })
	if !known {
		w.nodes = slices.Insert(w.nodes, i, nodeTraffic{node: node})
	}
	return &w.nodes[i]
}

func (n *nodeTraffic) add(e evidence.Exchange) {
	n.requests++
	if e.Fault != "" {
		n.faults++
	}
	if answerLost(e) {
		n.unanswered++
	}
	if requestLost(e) {
		n.unsent++
	}
}
