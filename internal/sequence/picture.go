package sequence

import (
	"fmt"
	"slices"
	"strings"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
)

// Diagram is a scene and whose it is.
type Diagram struct {
	Client  string // "franz"
	Scene   evidence.Scene
	Differs []bool // by step: the other client has none like it; nil where there is no other
}

// Compared marks in two diagrams what the other one has not. Versions of requests and
// numbers of connections are no difference: they nearly always differ.
func Compared(a, b Diagram) (Diagram, Diagram) {
	common := longest(a.Scene.Steps, b.Scene.Steps)
	a.Differs, b.Differs = make([]bool, len(a.Scene.Steps)), make([]bool, len(b.Scene.Steps))
	i, j := 0, 0
	for i < len(a.Scene.Steps) || j < len(b.Scene.Steps) {
		switch {
		case i < len(a.Scene.Steps) && j < len(b.Scene.Steps) && alike(a.Scene.Steps[i], b.Scene.Steps[j]):
			i, j = i+1, j+1
		case j == len(b.Scene.Steps) || i < len(a.Scene.Steps) && common[i+1][j] >= common[i][j+1]:
			a.Differs[i] = true
			i++
		default:
			b.Differs[j] = true
			j++
		}
	}
	return a, b
}

func alike(a, b evidence.SceneStep) bool {
	a.Version, a.Connection = b.Version, b.Connection
	return a == b
}

// longest is how many steps the rests from i and j on have in common, in their order.
func longest(a, b []evidence.SceneStep) [][]int {
	n := make([][]int, len(a)+1)
	for i := range n {
		n[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			n[i][j] = max(n[i+1][j], n[i][j+1])
			if alike(a[i], b[j]) {
				n[i][j] = n[i+1][j+1] + 1
			}
		}
	}
	return n
}

// picture is a diagram in words, before it is Mermaid or SVG.
type picture struct {
	title, about string
	lanes        []string // the client, then whom it asks
	moves        []move
	leftOut      int64 // requests behind the last move
}

// move is a request, its answer and what a fault did.
type move struct {
	lane     int // who is asked
	times    string
	request  arrow
	answer   *arrow // nil where none was sent
	note     string
	differs  bool
	struck   bool  // a fault fired here
	requests int64 // how many
}

// arrow is one message. A lost one ends in a cross.
type arrow struct {
	head string   // "Produce v13 on c1"
	body []string // lines
	lost bool
}

// The lengths of labels.
const (
	lineLength = 46
	mostLines  = 4
)

func draw(d Diagram, p lang.Printer) picture {
	pic := picture{title: title(d, p), about: About(d, p), lanes: []string{d.Client}}
	nodes := nodesOf(d.Scene.Steps)
	for _, node := range nodes {
		pic.lanes = append(pic.lanes, p.Say(node))
	}
	for i, s := range d.Scene.Steps {
		m := moved(s, p)
		m.lane = 1 + slices.Index(nodes, s.Node)
		m.differs = i < len(d.Differs) && d.Differs[i]
		pic.moves = append(pic.moves, m)
	}
	pic.leftOut = d.Scene.LeftOut
	return pic
}

// nodesOf is who is asked, whoever it is that a client asks first in a common story first.
func nodesOf(steps []evidence.SceneStep) []string {
	common := []string{AnyBroker, TransactionsHead, GroupsHead, Leader}
	var nodes []string
	for _, s := range steps {
		if !slices.Contains(nodes, s.Node) {
			nodes = append(nodes, s.Node)
		}
	}
	slices.SortStableFunc(nodes, func(a, b string) int { return slices.Index(common, a) - slices.Index(common, b) })
	return nodes
}

// LeftOut says how many requests of a scene are in no step; "" for none.
func LeftOut(s evidence.Scene, p lang.Printer) string { return end(s.LeftOut, p) }

// end is the note below the last move; "" where nothing is left out.
func end(leftOut int64, p lang.Printer) string {
	if leftOut == 0 {
		return ""
	}
	return p.Say(counted(leftOut, "%d more request is left out.", "%d more requests are left out."))
}

func counted[N int | int64](n N, one, many string) string {
	if n == 1 {
		return fmt.Sprintf(one, n)
	}
	return fmt.Sprintf(many, n)
}

func moved(s evidence.SceneStep, p lang.Printer) move {
	m := move{note: Note(s, p), struck: s.Fault != "", requests: int64(s.Times)}
	m.request = arrow{head: call(s), body: label(s.Request), lost: !s.Forwarded}
	if s.Connection != "" {
		m.request.head += ", " + s.Connection
	}
	if s.Answer != "" || s.Delivered {
		m.answer = &arrow{body: label(s.Answer), lost: !s.Delivered}
	}
	if s.Times > 1 {
		m.times = p.Say(fmt.Sprintf("%d times", s.Times))
	}
	return m
}

func call(s evidence.SceneStep) string { return fmt.Sprintf("%s v%d", s.API, s.Version) }

// label is a text of others in lines. What would take too many is cut.
func label(text string) []string {
	lines := wrapped(text, lineLength)
	if len(lines) > mostLines {
		lines = append(lines[:mostLines-1], "...")
	}
	return lines
}

// wrapped breaks a text at its commas, and at blanks where that is not enough; a word that
// is too long is cut.
func wrapped(text string, width int) []string {
	var lines []string
	for _, clause := range clauses(text) {
		last := len(lines) - 1
		if last >= 0 && runes(lines[last])+1+runes(clause) <= width {
			lines[last] += " " + clause
			continue
		}
		lines = append(lines, words(clause, width)...)
	}
	return lines
}

// clauses are the parts of a text that end with a comma, a semicolon or a colon.
func clauses(text string) []string {
	var all []string
	begin := true
	for _, word := range strings.Fields(text) {
		if begin {
			all = append(all, word)
		} else {
			all[len(all)-1] += " " + word
		}
		begin = strings.ContainsRune(",;:", rune(word[len(word)-1]))
	}
	return all
}

func words(text string, width int) []string {
	var lines []string
	for _, word := range strings.Fields(text) {
		word = shortened(word)
		last := len(lines) - 1
		if last >= 0 && runes(lines[last])+1+runes(word) <= width {
			lines[last] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	return lines
}

func shortened(word string) string {
	if r := []rune(word); len(r) > lineLength {
		return string(r[:lineLength-3]) + "..."
	}
	return word
}

func runes(s string) int { return len([]rune(s)) }

// title is what a screen reader says first.
func title(d Diagram, p lang.Printer) string {
	kind, name, _ := strings.Cut(d.Scene.Of, " ")
	text := "the whole story"
	switch kind {
	case "start":
		text = "from the first request to the first record"
	case "fault":
		text = "the first record that a fault hits"
	case "record":
		text = "the record `" + name + "`"
	case "transaction":
		text = "transaction " + name
	}
	return strings.ReplaceAll(d.Client+": "+p.Say(text), "`", "")
}

// About is a diagram in one sentence, for who cannot see it. What comes after the colon is
// the protocol's own words, in every language.
func About(d Diagram, p lang.Printer) string {
	var sent, struck int
	var calls []string
	for _, s := range d.Scene.Steps {
		sent += s.Times
		text := call(s)
		if s.Times > 1 {
			text += fmt.Sprintf(" ×%d", s.Times)
		}
		if s.Fault != "" {
			struck += s.Times
			text += " (" + s.Fault + ")"
		}
		calls = append(calls, text)
	}
	const most = 12
	if len(calls) > most {
		calls = append(calls[:most], "...")
	}
	text := p.Say(fmt.Sprintf("%s, and a fault strikes %d of them", counted(sent, "The client sends %d request", "The client sends %d requests"), struck))
	if struck == 0 {
		text = p.Say(counted(sent, "The client sends %d request, and no fault strikes", "The client sends %d requests, and no fault strikes"))
	}
	return text + ": " + strings.Join(calls, ", ") + "."
}
