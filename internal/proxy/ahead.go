package proxy

import (
	"slices"
	"time"

	"kcompare/internal/fault"
)

// arrival is a frame of the broker, and when it was complete, by Options.Clock. With an
// error there is no frame, and nothing comes after it.
type arrival struct {
	frame []byte
	at    time.Duration
	err   error
}

// mostAhead bounds what is read before its turn; clients have far fewer requests in flight.
const mostAhead = 1000

// arrivals is how the answer side gets the broker's frames one by one. A frame is
// valid until the next one is asked for.
//
// Where the plan delays answers they are read before their turn: each is to come so
// much later than it would, and one that is read only after the delay of the one in
// front of it would be late twice, and the tenth of a pipeline ten times.
func (c *conn) arrivals() func() arrival {
	from := newFrameReader(c.broker, "broker")
	next := func() arrival {
		frame, err := from.next()
		return arrival{frame, c.p.opts.Clock(), err}
	}
	if !delays(c.p.opts.Engine.Plan()) {
		return next
	}
	frames := make(chan arrival, mostAhead)
	c.reading.Go(func() { c.readAhead(next, frames) })
	return func() arrival { return <-frames }
}

// readAhead reads until the connection to the broker has ended, or the answer side.
func (c *conn) readAhead(next func() arrival, frames chan<- arrival) {
	for {
		a := next()
		a.frame = slices.Clone(a.frame)
		select {
		case frames <- a:
		case <-c.ended:
			return
		}
		if a.err != nil {
			return
		}
	}
}

// delays says whether a plan keeps answers back and lets them come.
func delays(plan fault.Plan) bool {
	return slices.ContainsFunc(plan, func(r fault.Rule) bool { return r.Action == fault.Delay })
}
