// Package plot writes charts as SVG: a panel for each client, bars or lines for each thing
// that was counted. They are the same, byte for byte, whenever their figures are. Every kind
// of figure has a pattern or a mark beside its colour, and its value stands at each bar.
package plot

import (
	"math"
	"strconv"

	"kcompare/internal/lang"
	"kcompare/internal/svg"
)

// Chart is figures over a few places on an axis, such as drop rates, for several clients.
type Chart struct {
	ID     string   // begins the identifiers in the picture
	Title  string   // what a screen reader says first
	About  string   // one sentence for who cannot see it
	X      string   // what Places are
	Places []string // in their order; for Lines they are numbers
	Series []string // what is counted
	Panels []Panel
}

// Panel is the figures of one client.
type Panel struct {
	Name   string
	Values [][]float64 // by series, then by place; NaN for one that is not known
}

// Distances of a chart.
const (
	margin     = 16.0
	plotHeight = 180.0
	barWidth   = 28.0
	groupGap   = 16.0
	axisWidth  = 48.0
	panelGap   = 24.0
	panelHead  = 26.0
	panelFoot  = 44.0
	legendMark = 14.0
	columns    = 2
)

// frame is where a panel's figures stand.
type frame struct {
	pic                  *svg.Picture
	left, top, w, bottom float64
	max                  float64 // of the axis
}

func (f frame) y(v float64) float64 { return f.bottom - v/f.max*plotHeight }

// draw lays panels out two in a row and lets figures be drawn into each. mark is what stands
// for a series in the legend.
func (c Chart) draw(p lang.Printer, mark func(pic *svg.Picture, series int, x, y float64), figures func(frame, Panel)) []byte {
	pic := &svg.Picture{ID: c.ID, Title: c.Title, About: c.About}
	w := max(float64(len(c.Places))*(float64(len(c.Series))*barWidth+groupGap), 260)
	right := margin + min(float64(len(c.Panels)), columns)*(axisWidth+w+panelGap)
	y := c.legend(pic, right, mark)
	step, highest := ticks(c.highest())
	for i, panel := range c.Panels {
		column, row := i%columns, i/columns
		top := y + float64(row)*(panelHead+plotHeight+panelFoot) + panelHead
		f := frame{pic: pic, left: margin + float64(column)*(axisWidth+w+panelGap) + axisWidth, top: top, w: w, bottom: top + plotHeight, max: highest}
		pic.Text(svg.Strong, f.left, f.top-10, svg.Start, panel.Name)
		f.axis(step, p)
		figures(f, panel)
		pic.Text(svg.Muted, f.left+w/2, f.bottom+36, svg.Middle, c.X)
	}
	rows := (len(c.Panels) + columns - 1) / columns
	return pic.Bytes(right, y+float64(rows)*(panelHead+plotHeight+panelFoot)+margin/2)
}

// legend is one row, or several where the picture is narrow. It returns where it ends.
func (c Chart) legend(pic *svg.Picture, right float64, mark func(*svg.Picture, int, float64, float64)) float64 {
	x, y := margin+axisWidth, margin+svg.LineHeight/2
	for i, name := range c.Series {
		w := legendMark + 6 + svg.Width(name) + 18
		if x+w > right && x > margin+axisWidth {
			x, y = margin+axisWidth, y+svg.LineHeight+4
		}
		mark(pic, i, x+legendMark/2, y)
		pic.Text(svg.Ink, x+legendMark+6, y+svg.Size/3, svg.Start, name)
		x += w
	}
	return y + svg.LineHeight
}

// axis has lines at round figures, from nothing up.
func (f frame) axis(step float64, p lang.Printer) {
	for v := 0.0; v <= f.max+step/2; v += step {
		class := svg.Grid
		if v == 0 {
			class = svg.Edge
		}
		f.pic.Line(class, f.left, f.y(v), f.left+f.w, f.y(v))
		f.pic.Text(svg.Muted, f.left-8, f.y(v)+svg.Size/3, svg.End, p.Say(written(v)))
	}
}

func written(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// ticks are those of counts: records are whole.
func ticks(highest float64) (step, last float64) {
	if step = math.Max(1, roundStep(highest)); highest <= 0 {
		return 1, 1
	}
	return step, math.Ceil(highest/step) * step
}

// roundStep is 1, 2 or 5 times a power of ten, so that at most five reach the highest figure.
func roundStep(highest float64) float64 {
	if highest <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(highest/5)))
	step := power
	for _, times := range []float64{1, 2, 5, 10} {
		if step = times * power; highest/step <= 5 {
			break
		}
	}
	return step
}

func (c Chart) highest() float64 {
	highest := 0.0
	for _, p := range c.Panels {
		for _, series := range p.Values {
			for _, v := range series {
				if v > highest { // NaN is not
					highest = v
				}
			}
		}
	}
	return highest
}
