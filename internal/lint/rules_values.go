package lint

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"kcompare/internal/config"
	"kcompare/internal/source"
)

// valueChecks are the rules about the value of one setting.
func valueChecks() []check {
	return []check{
		{Rule{"wrong-value", Error, "a value of the wrong type, outside the range, or no word that the setting takes"}, wrongValue},
		{Rule{"not-a-number", Error, "a number with other letters behind it: Java refuses it, librdkafka silently takes the number (a warning)"}, notANumber},
		{Rule{"inline-comment", Error, "a comment behind a value in .properties, where it belongs to the value (a warning where any text is legal)"}, inlineComment},
		{Rule{"trailing-blank", Error, "blanks at the end of a value in .properties, which belong to the value"}, trailingBlank},
	}
}

// plain are the items whose value is known, and not spoilt in a way that another rule
// speaks of.
func plain(b *block) []item {
	var all []item
	for _, i := range b.items {
		if i.Value.Kind != source.Text && i.Value.Kind != source.Number && i.Value.Kind != source.Truth {
			continue
		}
		if b.file.Language == source.Properties && (hasComment(i) || b.spoilt(i)) {
			continue
		}
		all = append(all, i)
	}
	return all
}

// spoilt reports whether a blank at the end makes another value of it.
func (b *block) spoilt(i item) bool {
	if i.Value.Text == strings.TrimRight(i.Value.Text, " \t") {
		return false
	}
	severity, _ := b.blankMatters(i)
	return severity != Info
}

func wrongValue(b *block) []Finding {
	var all []Finding
	for _, i := range plain(b) {
		if want, wrong := b.refuses(i); wrong {
			all = append(all, finding(i, Error, notThe(i, want), b.meant(i)))
		}
	}
	return all
}

// meant is what to write instead, where one word is nearest.
func (b *block) meant(i item) string {
	if i.Key == "debug" && strings.Contains(i.Value.Text, "transaction") {
		return "write eos: the context of transactions"
	}
	words := []string{}
	if s, known := config.Lookup(i.Key); known && (b.isLibrdkafka() || b.Client == "") {
		words = s.Words
	} else if p, known := b.library.newest(i.Key); known {
		words = p.Words
	}
	text := strings.ToLower(strings.TrimSpace(i.Value.Text))
	if near := config.Nearest(text, words); near != "" && len(text) > 2 {
		return "write " + near
	}
	return ""
}

// notThe says what was expected. The value of a secret is not repeated.
func notThe(i item, want string) string {
	if secret(i.Key) {
		return i.Key + ": expected " + want
	}
	return fmt.Sprintf("%s is %q, expected %s", i.Key, i.Value.Text, want)
}

// refuses says whether every library that may read the block refuses the value, and what
// was expected.
func (b *block) refuses(i item) (want string, wrong bool) {
	switch {
	case b.isLibrdkafka():
		return refusedByLibrdkafka(i)
	case b.of("java", "broker", "topic"):
		return refusedByJava(b.library, i)
	case b.Client == "":
		want, wrong = refusedByLibrdkafka(i)
		java := libraryNamed("java")
		if _, byJava := refusedByJava(java, i); java.knows(i.Key) && !byJava {
			return "", false
		}
		return want, wrong
	}
	return "", false
}

func refusedByLibrdkafka(i item) (want string, wrong bool) {
	s, known := config.Lookup(i.Key)
	if !known {
		return "", false
	}
	text := i.Value.Text
	want = s.Range
	switch s.Type {
	case config.Boolean:
		_, ok := config.Bool(text)
		return want, !ok
	case config.Enum:
		return oneOf(s.Words), !hasWord(s.Words, text)
	case config.Flags:
		for word := range strings.SplitSeq(text, ",") {
			if word = strings.TrimSpace(word); word != "" && !hasWord(s.Words, word) {
				return "a list of " + oneOf(s.Words), true
			}
		}
	case config.Integer, config.Float:
		n, ok := leadingNumber(text)
		return within(s.Min, s.Max, want), !hasWord(s.Words, text) && (!ok || n < s.Min || n > s.Max)
	}
	return "", false
}

func hasWord(words []string, text string) bool {
	for _, w := range words {
		if strings.EqualFold(w, text) {
			return true
		}
	}
	return false
}

// within says which numbers are taken; all that a type has room for are no range.
func within(low, high float64, text string) string {
	if low <= math.MinInt32 && high >= math.MaxInt32 {
		return "a number"
	}
	return "a number, " + text
}

func oneOf(words []string) string { return strings.Join(words, ", ") }

// refusedByJava goes by the table of ConfigDef, which trims every value.
func refusedByJava(l library, i item) (want string, wrong bool) {
	p, known := l.newest(i.Key)
	if !known {
		return "", false
	}
	text := strings.TrimSpace(i.Value.Text)
	switch p.Type {
	case config.Boolean:
		return "true, false", !strings.EqualFold(text, "true") && !strings.EqualFold(text, "false")
	case config.Enum:
		if anyCase(p.Words) {
			return oneOf(p.Words), !hasWord(p.Words, text)
		}
		return oneOf(p.Words), !slices.Contains(p.Words, text)
	case config.Integer, config.Float:
		n, ok := wholeNumber(text)
		fraction := p.Type == config.Integer && ok && n != math.Trunc(n)
		return within(p.Min, p.Max, p.Range), !startsWithNumber(text) || fraction || ok && (n < p.Min || n > p.Max)
	}
	if i.Key == "auto.offset.reset" && !strings.HasPrefix(text, "by_duration:") {
		return "earliest, latest, none or by_duration:...", !slices.Contains(p.Words, text)
	}
	return "", false
}

// anyCase reports whether ConfigDef compares without regard to letter case: it keeps the
// words of CaseInsensitiveValidString in capitals.
func anyCase(words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return w != strings.ToUpper(w) })
}

// notANumber is for values that librdkafka reads with strtol, which stops at the first
// letter: "5x" is 5. Java's ConfigDef refuses them.
func notANumber(b *block) []Finding {
	var all []Finding
	for _, i := range plain(b) {
		if !b.isNumber(i) || !startsWithNumber(i.Value.Text) || b.isWhole(i) {
			continue
		}
		n := b.taken(i)
		switch {
		case b.isLibrdkafka():
			all = append(all, finding(i, Warning, fmt.Sprintf("%s is %q: librdkafka silently takes %s", i.Key, i.Value.Text, n), "write "+n))
		case b.of("java", "broker", "topic", ""):
			all = append(all, finding(i, Error, fmt.Sprintf("%s is %q: Java refuses it, librdkafka silently takes %s", i.Key, i.Value.Text, n), "write "+n))
		}
	}
	return all
}

// isWhole reports whether the text is a number of the kind that the setting takes.
func (b *block) isWhole(i item) bool {
	n, ok := wholeNumber(strings.TrimSpace(i.Value.Text))
	s, known := config.Lookup(i.Key)
	return ok && (!b.isLibrdkafka() || !known || s.Type == config.Float || n == math.Trunc(n))
}

// taken is the number that librdkafka reads.
func (b *block) taken(i item) string {
	n := number.FindString(strings.TrimSpace(i.Value.Text))
	if s, _ := config.Lookup(i.Key); s.Type == config.Integer {
		n, _, _ = strings.Cut(n, ".")
	}
	return n
}

func (b *block) isNumber(i item) bool {
	if b.isLibrdkafka() || b.Client == "" {
		s, _ := config.Lookup(i.Key)
		return s.Type == config.Integer || s.Type == config.Float
	}
	p, _ := b.library.newest(i.Key)
	return p.Type == config.Integer || p.Type == config.Float
}

// comment is a sign of a comment with a blank before it.
var comment = regexp.MustCompile(`[ \t]+#.*$`)

// hasComment reports whether a value of .properties goes on with what looks like a
// comment. A password may look like that.
func hasComment(i item) bool {
	return comment.MatchString(i.Value.Text) && !secret(i.Key)
}

func inlineComment(b *block) []Finding {
	if b.file.Language != source.Properties || b.Client == "connect" {
		return nil
	}
	var all []Finding
	for _, i := range b.items {
		if !hasComment(i) || !isKafkas(i.Key) {
			continue
		}
		bare := comment.ReplaceAllString(i.Value.Text, "")
		message := fmt.Sprintf(".properties has no inline comments: the value is %q", i.Value.Text)
		if n, ok := wholeNumber(bare); ok && b.isNumber(i) {
			message += fmt.Sprintf("; Java refuses it, librdkafka silently takes %v", n)
		}
		severity := Error
		if b.isText(i) {
			severity = Warning // legal, and hardly meant
		}
		all = append(all, finding(i, severity, message, "write the comment on a line of its own"))
	}
	return all
}

// isText reports whether the setting takes any text.
func (b *block) isText(i item) bool {
	if s, known := config.Lookup(i.Key); known {
		return s.Type == config.String
	}
	p, _ := b.library.newest(i.Key)
	return p.Type == config.String
}

// trailingBlank goes by what the libraries do with the blank: Java's ConfigDef trims
// every value, librdkafka reads a number up to the blank, and keeps all else.
func trailingBlank(b *block) []Finding {
	if b.file.Language != source.Properties || b.Client == "connect" {
		return nil
	}
	var all []Finding
	for _, i := range b.items {
		text := i.Value.Text
		bare := strings.TrimRight(text, " \t")
		if bare == text || bare == "" || hasComment(i) || !isKafkas(i.Key) {
			continue
		}
		severity, message := b.blankMatters(i)
		all = append(all, finding(i, severity, message, "take the blank out"))
	}
	return all
}

func (b *block) blankMatters(i item) (Severity, string) {
	s, _ := config.Lookup(i.Key)
	switch {
	case b.of("java", "broker", "topic"):
		return Info, "a blank at the end: Java's client trims it, other programs that read this file may not"
	case s.Type == config.Integer || s.Type == config.Float:
		if _, ok := wholeNumber(strings.TrimSpace(i.Value.Text)); ok {
			return Info, "a blank at the end of a number: read as the number"
		}
		return b.strictly(), "a blank at the end of a word: librdkafka refuses it"
	case s.Type == config.Boolean || s.Type == config.Enum:
		return b.strictly(), "a blank at the end of a word: librdkafka refuses it"
	}
	return Warning, fmt.Sprintf("a blank at the end belongs to the value: %q is another %s than %q (Java's client trims it, librdkafka does not)",
		visible(i), i.Key, strings.TrimRight(visible(i), " \t"))
}

// strictly is an error where librdkafka is sure to read the file.
func (b *block) strictly() Severity {
	if b.isLibrdkafka() {
		return Error
	}
	return Warning
}

func visible(i item) string {
	if secret(i.Key) {
		return "(secret) "
	}
	return i.Value.Text
}
