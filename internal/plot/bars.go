package plot

import (
	"math"

	"kcompare/internal/lang"
	"kcompare/internal/svg"
)

// Bars has a group of bars at each place, one for each series.
func Bars(c Chart, p lang.Printer) []byte {
	swatch := func(pic *svg.Picture, series int, x, y float64) {
		pic.Rect(svg.Series(series), x-legendMark/2, y-legendMark/2, legendMark, legendMark)
	}
	return c.draw(p, swatch, func(f frame, panel Panel) {
		group := f.w / float64(len(c.Places))
		for i, place := range c.Places {
			middle := f.left + group*(float64(i)+0.5)
			f.pic.Text(svg.Ink, middle, f.bottom+18, svg.Middle, p.Say(place))
			first := middle - barWidth*float64(len(c.Series))/2
			for n := range c.Series {
				f.bar(n, first+barWidth*float64(n), panel.Values[n][i], p)
			}
		}
	})
}

// bar has its value above it, "-" where that is not known.
func (f frame) bar(series int, x, v float64, p lang.Printer) {
	label, y := "-", f.bottom
	if !math.IsNaN(v) {
		label, y = p.Say(written(v)), f.y(v)
	}
	if y < f.bottom {
		f.pic.Rect(svg.Series(series), x+2, y, barWidth-4, f.bottom-y)
	}
	if svg.Width(label) <= barWidth+2 { // the table beside has the others
		f.pic.Text(svg.Halo, x+barWidth/2, y-4, svg.Middle, label)
	}
}
