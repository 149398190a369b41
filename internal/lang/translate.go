package lang

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A report joins sentences: "promise: CLAIM", "kafkajs alone: WHAT (CAUSE); WHAT". A text is
// cut at punctuation, which both languages share, and the catalogue has joints with words in
// them as patterns with places for text. Of all ways to take a text apart the one counts that
// leaves the least of it without a translation.

// say also says whether a part of it has no translation that is more than a name.
func (c *catalogue) say(english string) (text string, unknown bool) {
	s := scan(english)
	if p, known := c.sentences[s.key]; known {
		return translation{catalogue: c, scanned: s}.write(p, span{0, len(s.key)}, nil), false
	}
	t := translation{
		catalogue: c, scanned: s, joints: c.jointsIn(s.key),
		done: map[span]result{}, pieces: map[span]result{},
	}
	got := t.best(span{0, len(s.key)})
	return got.text, got.cost >= costOfWord
}

// translation is one text that is being taken apart.
type translation struct {
	catalogue    *catalogue
	scanned      scanned
	joints       []pattern // that may fit
	done, pieces map[span]result
}

// jointsIn are those of which every literal stands in the key. A capital letter counts
// as a small one, too (lowered).
func (c *catalogue) jointsIn(key string) []pattern {
	lower := strings.ToLower(key)
	var all []pattern
	for _, p := range c.joints {
		absent := func(literal string) bool { return !strings.Contains(key, literal) && !strings.Contains(lower, literal) }
		if !slices.ContainsFunc(p.literals, absent) {
			all = append(all, p)
		}
	}
	return all
}

// span is a part of the key.
type span struct{ from, to int }

// result is what is said for a span, and how bad that is.
type result struct {
	text string
	cost int
}

const (
	costOfJoint = 1   // the fewest pieces win
	costOfRaw   = 2   // a word of code, or of a list of values: more than a known piece, so that no sentence is taken for one
	costOfName  = 10  // a word that looks like a name
	costOfWord  = 500 // one of small letters, which may be one all the same
	costOfProse = 2 * costOfWord
)

// mostCuts is how much punctuation a piece of the catalogue may have in it.
const mostCuts = 20

// best cuts the span into pieces. The way is looked for from cut to cut, as no piece
// depends on the others.
func (t translation) best(s span) result {
	if r, known := t.done[s]; known {
		return r
	}
	cuts := append(t.cuts(s), span{s.to, s.to})
	begins := append([]int{s.from}, make([]int, len(cuts))...) // begins[i] is where the piece before cut i may begin
	best := make([]result, len(cuts)+1)                        // of what stands before begins[i]
	for i, c := range cuts {
		begins[i+1] = c.to
		best[i+1].cost = -1
		for from := i; from >= max(0, i+1-mostCuts); from-- {
			piece := t.piece(span{begins[from], c.from})
			cost := best[from].cost + piece.cost + costOfJoint
			if best[i+1].cost < 0 || cost < best[i+1].cost {
				best[i+1] = result{best[from].text + piece.text + t.scanned.key[c.from:c.to], cost}
			}
		}
	}
	r := best[len(cuts)]
	r.cost -= costOfJoint     // the end is no cut
	if len(cuts) > mostCuts { // a long list of values, or of names
		if whole := t.piece(s); whole.cost < r.cost {
			r = whole
		}
	}
	t.done[s] = r
	return r
}

// cuts is the punctuation in a span, a full stop only at its end.
func (t translation) cuts(s span) []span {
	var all []span
	for at := s.from; at < s.to; {
		n := 0
		for _, mark := range []string{" (", "(", ")", ": ", "; ", ", ", ". ", " · ", " → ", " →" + noBreak, noBreak} {
			if strings.HasPrefix(t.scanned.key[at:s.to], mark) {
				n = len(mark)
				break
			}
		}
		if n == 0 && at == s.to-1 && t.scanned.key[at] == '.' {
			n = 1
		}
		if n > 0 {
			all = append(all, span{at, at + n})
		}
		at += max(n, 1)
	}
	return all
}

// piece says a span that is not cut at punctuation.
func (t translation) piece(s span) result {
	if r, known := t.pieces[s]; known {
		return r
	}
	r := t.find(s)
	t.pieces[s] = r
	return r
}

func (t translation) find(s span) result {
	if s.from >= s.to {
		return result{}
	}
	key := t.scanned.key[s.from:s.to]
	if p, known := t.catalogue.sentences[key]; known {
		return result{text: t.write(p, s, nil)}
	}
	if key == string(hole) {
		return result{text: t.part(t.holeAt(s.from))}
	}
	best := t.unknown(s)
	for _, p := range t.joints {
		t.match(p, s, func(places []span) {
			cost := costOfJoint
			for i, place := range places {
				own := t.fill(p, i, place).cost
				if cost += own; cost >= best.cost || own >= costOfProse && p.isWorded() {
					return
				}
			}
			best = result{t.write(p, s, places), cost}
		})
	}
	if best.cost >= costOfName {
		if r := t.lowered(s); r.cost < best.cost {
			return r
		}
	}
	return best
}

// fill is what stands in a place for text: what is said for it, or, where the catalogue has
// it as it was, code and lists of values, whose words are no language.
func (t translation) fill(p pattern, place int, s span) result {
	raw := func(one piece) bool { return one.raw && one.place == p.names[place] }
	if !slices.ContainsFunc(p.russian, raw) {
		return t.best(s)
	}
	r := t.unknown(s)
	r.cost = 0
	for _, word := range strings.Fields(r.text) {
		r.cost += costOfRaw
		if slices.Contains([]string{"the", "an", "it", "its", "of", "that", "with"}, word) {
			r.cost += costOfProse // a sentence: code has no such words
		}
	}
	return r
}

// unknown is a span as it was. Text that is not English any more stays so without cost.
func (t translation) unknown(s span) result {
	key := t.scanned.key[s.from:s.to]
	var b strings.Builder
	n := t.holesBefore(s.from)
	for _, r := range key {
		if r == hole {
			b.WriteString(t.scanned.parts[n].text)
			n++
			continue
		}
		b.WriteRune(r)
	}
	return result{b.String(), costOf(key) + strings.Count(key, string(hole))*costOfName}
}

// costOf is what it costs to leave a text as it is: nothing where no Latin letter is in
// it, little for one word that looks like a name (REQUEST_TIMED_OUT, order-0001).
func costOf(key string) int {
	cost := 0
	for _, word := range strings.Fields(key) {
		word = strings.Trim(word, ".,;:()?!")
		switch {
		case !strings.ContainsFunc(word, isLatin):
			continue
		case strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") == "":
			cost += costOfWord
		default:
			cost += costOfName
		}
	}
	return cost
}

func isLatin(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

// lowered is the span without the capital letter that a sentence begins with.
func (t translation) lowered(s span) result {
	first, size := utf8.DecodeRuneInString(t.scanned.key[s.from:s.to])
	if !unicode.IsUpper(first) || size != 1 {
		return result{cost: costOfProse * len(t.scanned.key)}
	}
	lower := t
	lower.done, lower.pieces = map[span]result{}, map[span]result{}
	lower.scanned.key = t.scanned.key[:s.from] + string(unicode.ToLower(first)) + t.scanned.key[s.from+1:]
	r := lower.piece(s)
	head, size := utf8.DecodeRuneInString(r.text)
	return result{string(unicode.ToUpper(head)) + r.text[size:], r.cost}
}

// match tells of each way in which the pattern fits the span.
func (t translation) match(p pattern, s span, found func([]span)) {
	key := t.scanned.key[s.from:s.to]
	first, last := p.literals[0], p.literals[len(p.literals)-1]
	if len(key) < len(first)+len(last)+len(p.names) || !strings.HasPrefix(key, first) || !strings.HasSuffix(key, last) {
		return
	}
	places := make([]span, len(p.names))
	end := s.to - len(last)
	var next func(i, from int)
	next = func(i, from int) {
		if i == len(places)-1 {
			if places[i] = (span{from, end}); from < end {
				found(places)
			}
			return
		}
		literal := p.literals[i+1]
		for at := from + 1; at+len(literal) < end; at++ {
			offset := strings.Index(t.scanned.key[at:end], literal)
			if offset < 0 {
				return
			}
			at += offset
			places[i] = span{from, at}
			next(i+1, at+len(literal))
		}
	}
	next(0, s.from+len(first))
}

// write says a pattern with its places filled.
func (t translation) write(p pattern, s span, texts []span) string {
	holes := t.ownHoles(p, s, texts)
	var b strings.Builder
	for _, one := range p.russian {
		switch {
		case one.place == "":
			b.WriteString(one.literal)
		case one.place[0] >= 'a':
			i := slices.Index(p.names, one.place)
			b.WriteString(t.fill(p, i, texts[i]).text)
		default:
			b.WriteString(t.place(one, t.scanned.parts[holes[one.hole()]]))
		}
	}
	return b.String()
}

func (t translation) place(one piece, p part) string {
	switch {
	case one.forms != forms{}:
		return russianForm(p, one.forms)
	case one.raw:
		return p.text
	}
	return t.part(p)
}

// part writes what stood in a hole. A quoted text that is a sentence of ours, such as an
// answer, is said, too.
func (t translation) part(p part) string {
	if p.kind != quoted {
		return russianPart(p)
	}
	inner := p.text[1 : len(p.text)-1]
	if said, unknown := t.catalogue.say(inner); !unknown && said != inner {
		return "«" + said + "»"
	}
	return p.text
}

// ownHoles is which holes are those of the pattern itself, by number.
func (t translation) ownHoles(p pattern, s span, texts []span) []int {
	var own []int
	at := s.from
	for i, literal := range p.literals {
		before := t.holesBefore(at)
		for n := range strings.Count(literal, string(hole)) {
			own = append(own, before+n)
		}
		if i < len(texts) {
			at = texts[i].to
		}
	}
	return own
}

func (t translation) holesBefore(at int) int { return strings.Count(t.scanned.key[:at], string(hole)) }

func (t translation) holeAt(at int) part { return t.scanned.parts[t.holesBefore(at)] }
