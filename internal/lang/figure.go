package lang

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
)

const (
	noBreak = "\u00a0"
	fromTo  = ".." // of what came out differently in repeats
)

// russianPart writes what stood in a hole.
func russianPart(p part) string {
	switch p.kind {
	case figure:
		return eachBound(p.text, russianNumber)
	case duration:
		return eachBound(p.text, russianDuration)
	}
	return p.text
}

func eachBound(text string, write func(string) string) string {
	bounds := strings.Split(text, fromTo)
	for i := range bounds {
		bounds[i] = write(bounds[i])
	}
	return strings.Join(bounds, "–")
}

// russianNumber is "1 000" and "0,35", with as many decimals as there were. What no
// number holds, such as a producer id, stays as it is.
func russianNumber(text string) string {
	_, decimals, _ := strings.Cut(text, ".")
	printer := message.NewPrinter(language.Russian)
	if decimals == "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || len(text) > 1 && text[0] == '0' {
			return text
		}
		return printer.Sprint(number.Decimal(n))
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	return printer.Sprint(number.Decimal(n, number.Scale(len(decimals))))
}

// russianDuration is "1 мин 0,5 с" for "1m0.5s". Parts that are nothing are left out where
// others stand beside them.
func russianDuration(text string) string {
	var parts []string
	for rest := text; rest != ""; {
		digits := strings.IndexFunc(rest, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
		if digits < 0 {
			return text
		}
		n, unit := rest[:digits], rest[digits:]
		if end := strings.IndexFunc(unit, func(r rune) bool { return '0' <= r && r <= '9' }); end >= 0 {
			unit = unit[:end]
		}
		rest = rest[digits+len(unit):]
		if n == "0" && (len(parts) > 0 || rest != "") {
			continue
		}
		parts = append(parts, russianNumber(n)+noBreak+russianUnit(unit))
	}
	return strings.Join(parts, noBreak)
}

func russianUnit(unit string) string {
	return map[string]string{"ns": "нс", "µs": "мкс", "ms": "мс", "s": "с", "m": "мин", "h": "ч"}[unit]
}

// russianForm chooses the form of a word for a figure; of an interval its end decides.
func russianForm(p part, f forms) string {
	text := p.text
	if _, end, is := strings.Cut(text, fromTo); is {
		text = end
	}
	whole, decimals, _ := strings.Cut(text, ".")
	digits := make([]byte, 0, len(text))
	for _, r := range whole + decimals {
		if r < '0' || '9' < r {
			return f.other
		}
		digits = append(digits, byte(r-'0'))
	}
	shown := utf8.RuneCountInString(decimals)
	switch plural.Cardinal.MatchDigits(language.Russian, digits, len(whole), shown) {
	case plural.One:
		return f.one
	case plural.Few:
		return f.few
	case plural.Many:
		return f.many
	}
	return f.other
}
