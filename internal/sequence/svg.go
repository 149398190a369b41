package sequence

import (
	"strings"

	"kcompare/internal/lang"
	"kcompare/internal/svg"
)

// Distances of a drawn diagram.
const (
	edge     = 16.0 // around everything
	boxTop   = 12.0
	boxHigh  = 28.0
	inset    = 12.0 // of a label from the client's line
	leastGap = 150.0
	between  = 12.0 // two moves
	head     = 8.0  // the tip of an arrow
)

// SVG is a diagram as a picture of its own; id begins its identifiers.
func SVG(d Diagram, id string, p lang.Printer) []byte {
	pic := draw(d, p)
	s := &sheet{Picture: svg.Picture{ID: id, Title: pic.title, About: pic.about}, lanes: places(pic)}
	last := len(s.lanes) - 1
	bottom := s.y0()
	for _, m := range pic.moves {
		bottom += height(m)
	}
	end := end(pic.leftOut, p)
	if end != "" {
		bottom += svg.LineHeight + between
	}
	for i, x := range s.lanes {
		s.Line(svg.Grid, x, boxTop+boxHigh, x, bottom)
		s.box(x, pic.lanes[i])
	}
	s.y = s.y0()
	for _, m := range pic.moves {
		s.move(m)
	}
	if end != "" {
		s.Text(svg.Muted+" "+svg.Halo, s.lanes[0]+inset, s.y+svg.LineHeight, svg.Start, end)
	}
	right := s.lanes[last] + svg.Width(pic.lanes[last])/2 + inset
	for _, m := range pic.moves {
		right = max(right, s.lanes[0]+inset/2+noteWidth(m))
	}
	return s.Bytes(right+edge, bottom+edge)
}

// sheet is a picture with where the lines of the participants are, and how far it is drawn.
type sheet struct {
	svg.Picture
	lanes []float64
	y     float64
}

func (s *sheet) y0() float64 { return boxTop + boxHigh + between }

// places puts each participant far enough from the client for all labels on the way, and
// far enough from the one before for both names.
func places(pic picture) []float64 {
	half := func(i int) float64 { return svg.Width(pic.lanes[i])/2 + inset }
	xs := []float64{edge + half(0)}
	for i := 1; i < len(pic.lanes); i++ {
		x := xs[i-1] + max(leastGap, half(i-1)+half(i)+inset)
		for _, m := range pic.moves {
			if m.lane == i {
				x = max(x, xs[0]+widest(m)+2*inset)
			}
		}
		xs = append(xs, x)
	}
	return xs
}

func widest(m move) float64 {
	w := svg.Width(m.request.head) * 1.1 // it is bold
	lines := m.request.body
	if m.answer != nil {
		lines = append(lines[:len(lines):len(lines)], m.answer.body...)
	}
	for _, l := range lines {
		w = max(w, svg.Width(l))
	}
	return w
}

func (s *sheet) box(x float64, name string) {
	w := svg.Width(name) + 2*inset
	s.Rect(svg.Box, x-w/2, boxTop, w, boxHigh)
	s.Text(svg.Strong, x, boxTop+boxHigh/2+svg.Size/3, svg.Middle, name)
}

// noteLines breaks a note so that it fits between the client and any other line.
func noteLines(m move) []string {
	if m.note == "" {
		return nil
	}
	return wrapped(m.note, 68)
}

func noteWidth(m move) float64 {
	w := 0.0
	for _, l := range noteLines(m) {
		w = max(w, svg.Width(l)+inset)
	}
	return w
}

const arrowRoom = 7.0 // between a label and its arrow, and below that

func height(m move) float64 {
	h := svg.LineHeight*float64(1+len(m.request.body)) + 2*arrowRoom + between
	if m.answer != nil {
		h += svg.LineHeight*float64(max(1, len(m.answer.body))) + 2*arrowRoom
	}
	if m.note != "" {
		h += svg.LineHeight*float64(len(noteLines(m))) + 2*arrowRoom
	}
	if m.times != "" {
		h += svg.LineHeight + arrowRoom
	}
	return h
}

// move draws a request, its answer, and what a fault did.
func (s *sheet) move(m move) {
	from, to := s.lanes[0], s.lanes[m.lane]
	top := s.y
	if m.times != "" {
		s.y += svg.LineHeight + arrowRoom
		s.Text(svg.Muted+" "+svg.Halo, to-inset, s.y, svg.End, m.times)
	}
	title := m.request.head
	if m.differs {
		title = different + title
	}
	s.line(svg.Strong, from, title)
	for _, l := range m.request.body {
		s.line(svg.Ink, from, l)
	}
	s.arrow(from, to, m.request.lost, "")
	if a := m.answer; a != nil {
		for _, l := range a.body {
			s.line(svg.Ink, from, l)
		}
		if len(a.body) == 0 {
			s.y += svg.LineHeight
		}
		s.arrow(to, from, a.lost, svg.Dashed)
	}
	s.note(m)
	if m.times != "" {
		s.Rect(svg.Grid, from-inset/2, top+arrowRoom, to-from+inset, s.y-top-arrowRoom/2)
	}
	s.y += between
}

func (s *sheet) line(c svg.Class, from float64, text string) {
	s.y += svg.LineHeight
	s.Text(c+" "+svg.Halo, from+inset, s.y-svg.Size/4, svg.Start, text)
}

// arrow is lost halfway where it does not arrive.
func (s *sheet) arrow(from, to float64, lost bool, more svg.Class) {
	s.y += arrowRoom
	class := strings.TrimSpace(string(svg.Edge + " " + more))
	if lost {
		const r = 5.0
		end := from + (to-from)*0.6
		s.Line(svg.Class(strings.TrimSpace(string(svg.Bad+" "+more))), from, s.y, end, s.y)
		s.Line(svg.Bad, end-r, s.y-r, end+r, s.y+r)
		s.Line(svg.Bad, end-r, s.y+r, end+r, s.y-r)
	} else {
		back := head
		if to > from {
			back = -head
		}
		s.Line(svg.Class(class), from, s.y, to+back/2, s.y)
		s.Shape(svg.Solid, to, s.y, to+back, s.y-head/2, to+back, s.y+head/2)
	}
	s.y += arrowRoom
}

func (s *sheet) note(m move) {
	lines := noteLines(m)
	if len(lines) == 0 {
		return
	}
	high := svg.LineHeight*float64(len(lines)) + arrowRoom
	s.Rect(svg.BadBox, s.lanes[0]+inset/2, s.y, noteWidth(m), high)
	for i, l := range lines {
		s.Text(svg.BadInk, s.lanes[0]+inset, s.y+svg.LineHeight*float64(i+1)-svg.Size/4+arrowRoom/2, svg.Start, l)
	}
	s.y += high + arrowRoom
}
