package plot

import (
	"math"
	"strconv"

	"kcompare/internal/lang"
	"kcompare/internal/svg"
)

// Rounds is what several contestants reached in rounds of a measurement: a panel for each
// figure, a line for each contestant, a dot for each round, and a stroke at the median.
// Every axis begins at nothing, so that lengths can be compared.
type Rounds struct {
	ID     string   // begins the identifiers in the picture
	Title  string   // what a screen reader says first
	About  string   // what it shows, for who cannot see it
	Names  []string // of the contestants
	Panels []RoundsPanel
}

// RoundsPanel is one figure, by contestant, in the order of Rounds.Names.
type RoundsPanel struct {
	Name   string      // with its unit
	Dots   [][]float64 // of the rounds that count; none where nobody told
	Middle []float64   // the median, which is written, too; NaN for one that is not known
}

// Distances of it.
const (
	roundsWidth  = 440.0
	roundsLine   = 38.0
	roundsSpread = 20.0 // of dots, above and below the middle of a line
	roundsHead   = 24.0
	roundsFoot   = 38.0
	roundsRadius = 3.5
)

// Draw is the picture.
func (r Rounds) Draw(p lang.Printer) []byte {
	pic := &svg.Picture{ID: r.ID, Title: r.Title, About: r.About}
	left := margin
	for _, name := range r.Names {
		left = max(left, margin+svg.Width(name)+12)
	}
	top := margin
	for _, panel := range r.Panels {
		top = r.panel(pic, panel, left, top, p)
	}
	return pic.Bytes(left+roundsWidth+90, top)
}

// panel returns where the next one begins.
func (r Rounds) panel(pic *svg.Picture, panel RoundsPanel, left, top float64, p lang.Printer) float64 {
	pic.Text(svg.Strong, left, top+svg.Size, svg.Start, panel.Name)
	top += roundsHead
	bottom := top + roundsLine*float64(len(r.Names))
	step := roundStep(panel.highest())
	last := math.Ceil(panel.highest()/step) * step
	x := func(v float64) float64 { return left + v/math.Max(last, step)*roundsWidth }
	for i := 0; float64(i)*step <= last+step/2; i++ {
		v := float64(i) * step
		class := svg.Grid
		if i == 0 {
			class = svg.Edge
		}
		pic.Line(class, x(v), top, x(v), bottom)
		pic.Text(svg.Muted, x(v), bottom+16, svg.Middle, p.Say(tickText(v, step)))
	}
	for i, name := range r.Names {
		y := top + roundsLine*(float64(i)+0.5)
		pic.Text(svg.Ink, left-10, y+svg.Size/3, svg.End, name)
		for n, v := range panel.Dots[i] { // from above, so that a drift is seen
			dot(pic, x(v), y+roundsSpread*(float64(n)/math.Max(1, float64(len(panel.Dots[i])-1))-0.5))
		}
		label := "-"
		if middle := panel.Middle[i]; !math.IsNaN(middle) {
			pic.Line(svg.Edge, x(middle), y-15, x(middle), y+15)
			label = p.Say(threeDigits(middle))
		}
		pic.Text(svg.Ink, left+roundsWidth+16, y+svg.Size/3, svg.Start, label)
	}
	return bottom + roundsFoot
}

func (panel RoundsPanel) highest() float64 {
	highest := 0.0
	for _, dots := range panel.Dots {
		for _, v := range dots {
			highest = math.Max(highest, v)
		}
	}
	return highest
}

// dot has eight corners: small as it is, that is round.
func dot(pic *svg.Picture, x, y float64) {
	var points []float64
	for i := range 8 {
		angle := (float64(i) + 0.5) * math.Pi / 4
		points = append(points, x+roundsRadius*math.Cos(angle), y+roundsRadius*math.Sin(angle))
	}
	pic.Shape(svg.Series(0), points...)
}

// tickText has as many decimals as the step has.
func tickText(v, step float64) string {
	return strconv.FormatFloat(v, 'f', max(0, -int(math.Floor(math.Log10(step)+1e-9))), 64)
}

// threeDigits is a figure with at least three digits that count, without an exponent.
func threeDigits(v float64) string {
	if v <= 0 {
		return "0"
	}
	return strconv.FormatFloat(v, 'f', max(0, 2-int(math.Floor(math.Log10(v)))), 64)
}
