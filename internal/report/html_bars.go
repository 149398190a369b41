package report

import (
	"fmt"

	"kcompare/internal/evidence"
)

// variantBars is what stands in the log after a variant, a bar for all clients of which
// the same is true.
type variantBars struct {
	variant, target string
	bars            []bar
}

// bar is records of clients: those in the log, the further copies of them, and those that
// were acknowledged and are not there. Over repeats it is the most of each.
type bar struct {
	clients             string
	unique, again, lost int64
}

// variantBarsOf leaves out clients that counted nothing.
func variantBarsOf(v variant, target string) variantBars {
	of := map[string]bar{}
	var shares []share
	for _, c := range v.clients {
		unique, known := c.count(evidence.Unique)
		again, both := c.count(evidence.Duplicates)
		if known && both {
			lost, _ := c.count(evidence.LostRecords)
			b := bar{unique: unique.high, again: again.high, lost: lost.high}
			shares, of[c.name] = append(shares, share{c.name, fmt.Sprint(b)}), b
		}
	}
	out := variantBars{variant: v.name, target: target}
	all := groups(shares, len(v.clients))
	for i, named := range names(all, len(v.clients)) {
		b := of[all[i].clients[0]]
		b.clients = named
		out.bars = append(out.bars, b)
	}
	return out
}

// bars is the log of each variant as a picture. The figures stand beside it, and its parts
// differ in shape.
func (h *htmlPage) bars(all []variantBars) {
	most := int64(0)
	for _, v := range all {
		for _, b := range v.bars {
			most = max(most, b.unique+b.again+b.lost)
		}
	}
	if most == 0 {
		return
	}
	h.element("figure", func() {
		h.leaf("figcaption", h.in.Say("What stands in the log"))
		h.barLegend()
		h.element("ul", func() {
			for _, v := range all {
				h.variantBars(v, most)
			}
		}, "class", "bars")
	})
}

func (h *htmlPage) barLegend() {
	h.element("ul", func() {
		for _, one := range []struct {
			text string
			bar  bar
		}{{"unique", bar{unique: 1}}, {"duplicates", bar{again: 1}}, {"lost", bar{lost: 1}}} {
			h.element("li", func() {
				h.drawBar(one.bar, 1)
				h.text(" " + h.in.Say(one.text))
			})
		}
	}, "class", "legend")
}

func (h *htmlPage) variantBars(v variantBars, most int64) {
	if len(v.bars) == 0 {
		return
	}
	h.element("li", func() {
		h.leaf("a", v.variant, "href", "#"+v.target)
		h.element("ul", func() {
			for _, b := range v.bars {
				h.element("li", func() {
					h.text(fmt.Sprintf("%s: %s %s, %s %s, %s %s", h.in.Say(b.clients), h.in.Say("unique"), h.figure(b.unique),
						h.in.Say("duplicates"), h.figure(b.again), h.in.Say("lost"), h.figure(b.lost)))
					h.drawBar(b, most)
				})
			}
		})
	})
}

// figure is a count as the page's language writes it.
func (h *htmlPage) figure(n int64) string { return h.in.Say(fmt.Sprint(n)) }

// leastBar is how wide a part is at least: one record of many is to be seen, too.
const leastBar = 4

// drawBar is as wide as its place, whatever that is, so its units are parts of it.
func (h *htmlPage) drawBar(b bar, most int64) {
	h.begin("svg", "viewBox", "0 0 1000 10", "preserveAspectRatio", "none", "aria-hidden", "true", "class", "bar")
	from := int64(0)
	for _, part := range []struct {
		class     string
		n         int64
		y, height int
	}{{"unique", b.unique, 0, 10}, {"again", b.again, 4, 6}, {"lost", b.lost, 1, 8}} {
		if part.n > 0 {
			width := max(leastBar, part.n*1000/most)
			h.path(part.class, fmt.Sprintf("M%d %dh%dv%dh-%dz", min(from*1000/most, 1000-width), part.y, width, part.height, width))
		}
		from += part.n
	}
	h.end("svg")
}
