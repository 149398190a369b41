package report

import (
	"fmt"
	"strings"

	"kcompare/internal/svg"
)

// clientWire is the wire of a trial.
type clientWire struct {
	client string
	repeat int
	wire   Wire
}

// of is the wires of a variant, one for each trial whose trace is there.
func (all Wires) of(v variant) []clientWire {
	var out []clientWire
	for _, t := range v.trials() {
		if wire, there := all[NameOf(t)]; there && wire.span > 0 {
			out = append(out, clientWire{t.Client, t.Repeat, wire})
		}
	}
	return out
}

// What a picture of the wire measures, in its own units.
const (
	nodeWidth  = 70 // on the left, for the node's name
	wireWidth  = 2 * wireColumns
	laneHeight = 30
	axisHeight = 20
)

// timelines is what the clients of a variant sent and when, one below the other and on
// one scale, so that they can be compared.
func (h *htmlPage) timelines(all []clientWire) {
	if len(all) == 0 {
		return
	}
	longest := int64(0)
	for _, one := range all {
		longest = max(longest, one.wire.span)
	}
	h.element("details", func() {
		h.leaf("summary", h.in.Say("The wire over time"))
		h.legend()
		for _, one := range all {
			h.element("figure", func() { h.timeline(one, longest) })
		}
	})
}

// legend has each mark beside what it means; the marks differ in shape.
func (h *htmlPage) legend() {
	h.element("ul", func() {
		for _, one := range []struct{ class, path, text string }{
			{"alive", "M0 5h16v6h-16z", h.in.Say("a connection in use; its bar begins with a notch")},
			{"produced", "M6 1h2v14h-2z", h.in.Say("Produce requests")},
			{"sent", "M6 5h2v6h-2z", h.in.Say("other requests")},
			{"struck", cross(8, 8), h.in.Say("a fault fired")},
			{"missed", ring(8, 8), h.in.Say("an answer that the client did not get, or a request that the broker did not get")},
		} {
			h.element("li", func() {
				h.element("svg", func() { h.path(one.class, one.path) }, "viewBox", "0 0 16 16", "aria-hidden", "true")
				h.text(" " + one.text)
			})
		}
	}, "class", "legend")
}

func (h *htmlPage) timeline(one clientWire, longest int64) {
	h.element("figcaption", func() {
		h.leaf("strong", one.name(h.in.Say("repeat")))
		h.text(": " + h.shown(one.wire))
	})
	h.tables++
	id := fmt.Sprintf("w%d", h.tables)
	h.element("div", func() { h.drawing(id, one, longest) }, "class", "wide", "tabindex", "0", "role", "group", "aria-label", one.client)
	h.traffic(one)
}

func (c clientWire) name(repeat string) string {
	if c.repeat == 0 {
		return c.client
	}
	return fmt.Sprintf("%s, %s %d", c.client, repeat, c.repeat)
}

// shown says what the picture leaves out.
func (h *htmlPage) shown(w Wire) string {
	var requests, connections int64
	for _, n := range w.nodes {
		requests, connections = requests+n.requests, connections+n.connections
	}
	text := h.in.Say(fmt.Sprintf("Requests: %d, connections: %d, time: %.1f s.", requests, connections, float64(w.span)/1_000_000))
	text += " " + h.in.Say(fmt.Sprintf("Requests within %.1f ms of one another are one mark.", float64(w.span)/wireColumns/1000))
	if w.unshown > 0 {
		text += " " + h.in.Say(fmt.Sprintf("Connections not drawn, too many at a time: %d.", w.unshown))
	}
	if w.cut > 0 {
		text += " " + h.in.Say(fmt.Sprintf("Requests not in the trace, which is bounded: %d.", w.cut))
	}
	return text
}

// drawing is the picture itself. Its figures stand in the table below it, so that it says
// no more than that to those who cannot see it.
func (h *htmlPage) drawing(id string, one clientWire, longest int64) {
	w := one.wire
	height := laneHeight*len(w.lanes) + axisHeight
	h.begin("svg", "viewBox", fmt.Sprintf("0 0 %d %d", nodeWidth+wireWidth+20, height), "class", "wire", "role", "img", "aria-labelledby", id)
	h.leaf("title", h.in.Say("Requests over time by connection")+": "+one.name(h.in.Say("repeat")), "id", id)
	scale := float64(w.span) / float64(longest)
	for i, l := range w.lanes {
		h.begin("g", "transform", fmt.Sprintf("translate(0 %d)", laneHeight*i))
		if i == 0 || w.lanes[i-1].node != l.node {
			h.leaf("text", h.in.Say(fmt.Sprintf("node %d", l.node)), "x", "0", "y", "17")
		}
		h.lane(l, scale)
		h.end("g")
	}
	h.begin("g", "transform", fmt.Sprintf("translate(%d %d)", nodeWidth, laneHeight*len(w.lanes)))
	h.axis(longest)
	h.end("g")
	h.end("svg")
}

func (h *htmlPage) lane(l lane, scale float64) {
	draw := func(class, path string) {
		if path != "" {
			h.path(class, path)
		}
	}
	unit := scale * wireWidth / wireColumns
	draw("alive", bars(l.alive[:], unit, 10, 6))
	draw("opened", bars(l.opened[:], unit, 7, 12))
	draw("sent", bars(l.sent[:], unit, 10, 6))
	draw("produced", bars(l.produced[:], unit, 7, 12))
	unit = scale * wireWidth / markColumns
	draw("struck", marks(l.struck[:], unit, 3, cross))
	draw("missed", marks(l.missed[:], unit, 22, ring))
}

// bars has one for each run of columns.
func bars(columns []bool, unit float64, y, height int) string {
	var b strings.Builder
	for from := 0; from < len(columns); from++ {
		to := from
		for to < len(columns) && columns[to] {
			to++
		}
		if to > from {
			width := max(1, float64(to-from)*unit)
			fmt.Fprintf(&b, "M%s %dh%sv%dh-%sz", svg.Number(nodeWidth+float64(from)*unit), y, svg.Number(width), height, svg.Number(width))
			from = to
		}
	}
	return b.String()
}

func marks(columns []bool, unit float64, y int, mark func(x, y float64) string) string {
	var b strings.Builder
	for i, is := range columns {
		if is {
			b.WriteString(mark(nodeWidth+(float64(i)+0.5)*unit, float64(y)))
		}
	}
	return b.String()
}

func cross(x, y float64) string {
	return fmt.Sprintf("M%s %sl6 6m0-6l-6 6", svg.Number(x-3), svg.Number(y-3))
}

func ring(x, y float64) string {
	return fmt.Sprintf("M%s %sa2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0", svg.Number(x-2.5), svg.Number(y))
}

// axis has the times of round figures.
func (h *htmlPage) axis(span int64) {
	step := roundStep(span)
	for at := int64(0); at <= span; at += step {
		x := float64(at) * wireWidth / float64(span)
		h.path("tick", fmt.Sprintf("M%s 0v4", svg.Number(x)))
		h.leaf("text", h.in.Say(axisTime(at)), "x", svg.Number(x), "y", "16", "class", "time")
	}
}

// roundStep is 1, 2 or 5 times a power of ten, at most six of which are in the span.
func roundStep(span int64) int64 {
	for unit := int64(1); ; unit *= 10 {
		for _, n := range []int64{1, 2, 5} {
			if span/(n*unit) <= 6 {
				return n * unit
			}
		}
	}
}

// axisTime is "0", "200 ms", "1.5 s".
func axisTime(us int64) string {
	switch {
	case us == 0:
		return "0"
	case us < 1_000_000:
		return fmt.Sprintf("%g ms", float64(us)/1000)
	}
	return fmt.Sprintf("%g s", float64(us)/1_000_000)
}

// traffic is the picture in figures.
func (h *htmlPage) traffic(one clientWire) {
	columns := []column{{name: h.in.Say("node")}}
	for _, name := range []string{"connections", "requests", "faults fired", "answers lost", "requests lost"} {
		columns = append(columns, column{name: h.in.Say(name), figure: true})
	}
	h.table(h.in.Say("Requests by node")+": "+one.name(h.in.Say("repeat")), columns, func() {
		for _, n := range one.wire.nodes {
			h.element("tr", func() {
				h.leaf("th", fmt.Sprint(n.node), "scope", "row")
				for _, figure := range []int64{n.connections, n.requests, n.faults, n.unanswered, n.unsent} {
					h.leaf("td", h.figure(figure), "class", "n")
				}
			})
		}
	})
}
