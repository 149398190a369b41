package report

import (
	"strings"
	"unicode"

	"charm.land/lipgloss/v2"
)

// painter gives a text the look of its mark.
type painter func(mark, string) string

func newPainter(colour bool) painter {
	if !colour {
		return func(_ mark, text string) string { return printable(text) }
	}
	styles := map[mark]lipgloss.Style{
		heading:  lipgloss.NewStyle().Bold(true),
		good:     lipgloss.NewStyle().Foreground(lipgloss.Green),
		bad:      lipgloss.NewStyle().Foreground(lipgloss.Red).Bold(true),
		doubtful: lipgloss.NewStyle().Foreground(lipgloss.Yellow),
	}
	return func(m mark, text string) string {
		if style, marked := styles[m]; marked && text != "" {
			return style.Render(printable(text))
		}
		return printable(text)
	}
}

func (p phrase) paint(paint painter) string { return paint.join(p, " ") }

func (f facts) paint(paint painter) string { return paint.join(f, " · ") }

func (p painter) join(spans []span, between string) string {
	var texts []string
	for _, s := range spans {
		texts = append(texts, p(s.mark, s.text))
	}
	return strings.Join(texts, between)
}

func (p phrase) width() int {
	return lipgloss.Width(p.paint(newPainter(false)))
}

// wrap breaks a phrase between words, and within a word only where the word
// alone is too wide. Nothing at all is one empty line.
func wrap(p phrase, width int) []phrase {
	lines := []phrase{{}}
	for _, s := range p {
		for _, w := range strings.FieldsFunc(s.text, breakable) {
			for _, piece := range cut(w, width) {
				lines = put(lines, span{text: piece, mark: s.mark}, width)
			}
		}
	}
	return lines
}

// glue is a blank at which no line is broken.
const glue = "\u00a0"

func breakable(r rune) bool { return unicode.IsSpace(r) && string(r) != glue }

// put adds a word to the last line, or begins the next one.
func put(lines []phrase, w span, width int) []phrase {
	last := lines[len(lines)-1]
	switch n := len(last); {
	case n > 0 && last.width()+1+lipgloss.Width(w.text) > width:
		return append(lines, phrase{w})
	case n > 0 && last[n-1].mark == w.mark:
		last[n-1].text += " " + w.text
	default:
		last = append(last, w)
	}
	lines[len(lines)-1] = last
	return lines
}

func cut(w string, width int) []string {
	var pieces []string
	start, taken := 0, 0
	for i, r := range w {
		n := lipgloss.Width(string(r))
		if taken+n > width && i > start {
			pieces = append(pieces, w[start:i])
			start, taken = i, 0
		}
		taken += n
	}
	return append(pieces, w[start:])
}

// printable makes control characters visible as "?": names and reasons may come
// from other programs, and a terminal would obey them.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r):
			return '?'
		}
		return r
	}, text)
}

// breakCommand breaks a command line so that a shell reads the lines, each but
// the last ended by a backslash, as the same command.
func breakCommand(command string, width int) []string {
	words := shellWords(printable(command))
	lines := words[:1:1]
	for _, w := range words[1:] {
		last := &lines[len(lines)-1]
		if lipgloss.Width(*last)+1+lipgloss.Width(w) > width {
			lines = append(lines, w)
		} else {
			*last += " " + w
		}
	}
	return lines
}

// shellWords splits at blanks outside quotes; quotes stay where they are.
func shellWords(command string) []string {
	var words []string
	var quote rune
	start, escaped := 0, false
	for i, r := range command {
		switch {
		case escaped:
			escaped = false
		case r == '\\' && quote != '\'':
			escaped = true
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case r == quote:
			quote = 0
		case r == ' ' && quote == 0:
			words = append(words, command[start:i])
			start = i + 1
		}
	}
	return append(words, command[start:])
}
