package plot

import (
	"math"
	"strconv"

	"kcompare/internal/lang"
	"kcompare/internal/svg"
)

// Lines joins the figures of each series. Places are numbers, and stand as far apart as
// those are; where one is not, all stand equally far apart.
func Lines(c Chart, p lang.Printer) []byte {
	at := positions(c.Places)
	return c.draw(p, mark, func(f frame, panel Panel) {
		x := func(i int) float64 { return f.left + 20 + at[i]*(f.w-40) }
		for i, place := range c.Places {
			f.pic.Text(svg.Ink, x(i), f.bottom+18, svg.Middle, p.Say(place))
		}
		for n := range c.Series {
			var points []float64
			for i, v := range panel.Values[n] {
				if math.IsNaN(v) { // nobody knows what is there
					f.path(n, points)
					points = nil
					continue
				}
				points = append(points, x(i), f.y(v))
			}
			f.path(n, points)
		}
	})
}

func (f frame) path(series int, points []float64) {
	if len(points) > 2 {
		f.pic.Shape(svg.SeriesLine(series), points...)
	}
	for i := 0; i < len(points); i += 2 {
		mark(f.pic, series, points[i], points[i+1])
	}
}

// mark has another shape for each series.
func mark(pic *svg.Picture, series int, x, y float64) {
	const r = 5.5
	shapes := [][]float64{
		{-r, -r, r, -r, r, r, -r, r},               // square
		{0, -r, r, r, -r, r},                       // triangle
		{0, -r - 1, r + 1, 0, 0, r + 1, -r - 1, 0}, // diamond
		{-r, -r, r, -r, 0, r},                      // triangle upside down
		{-r, -2, r, -2, r, 2, -r, 2},               // bar
	}
	var points []float64
	for i, v := range shapes[series%len(shapes)] {
		if i%2 == 0 {
			points = append(points, x+v)
		} else {
			points = append(points, y+v)
		}
	}
	pic.Shape(svg.Series(series), points...)
}

// positions are from 0 to 1.
func positions(places []string) []float64 {
	at := make([]float64, len(places))
	values := make([]float64, len(places))
	even := len(places) < 2
	for i, place := range places {
		v, err := strconv.ParseFloat(place, 64)
		values[i] = v
		even = even || err != nil || i > 0 && v <= values[i-1]
	}
	for i := range at {
		if even {
			at[i] = float64(i) / math.Max(1, float64(len(places)-1))
		} else {
			at[i] = (values[i] - values[0]) / (values[len(values)-1] - values[0])
		}
	}
	return at
}
