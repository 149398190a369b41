package source

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// javaAnswer takes the helper's lines apart, and puts them where they belong.
type javaAnswer struct {
	files    []input
	read     []File
	sent     []int
	versions map[string]string // of kafka-clients, by folder
}

// take reads all lines. The error is for an answer that this package does not understand,
// which is a defect.
func (a *javaAnswer) take(answer []byte) error {
	for line := range strings.Lines(string(answer)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		for i := range fields {
			fields[i] = javaUnescaped.Replace(fields[i])
		}
		if err := a.record(fields); err != nil {
			return fmt.Errorf("not read: the Java reader said %q: %w", line, err)
		}
	}
	for _, i := range a.sent {
		a.read[i].finishJava()
	}
	return nil
}

var javaUnescaped = strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r")

// javaFields is how many fields each kind of line has.
var javaFields = map[string]int{"unread": 5, "block": 6, "entry": 13, "member": 6, "fact": 7}

func (a *javaAnswer) record(f []string) error {
	if len(f) < 5 || javaFields[f[0]] != len(f) {
		return fmt.Errorf("expected %d fields", javaFields[f[0]])
	}
	number, err := strconv.Atoi(f[1])
	if err != nil || number < 0 || number >= len(a.sent) {
		return fmt.Errorf("no text has the number %q", f[1])
	}
	file, in := &a.read[a.sent[number]], a.files[a.sent[number]]
	at, err := javaPos(in, f[2], f[3])
	if err != nil {
		return err
	}
	switch f[0] {
	case "unread":
		file.Mistakes = append(file.Mistakes, Mistake{Java, at, f[4]})
		file.Unread = fmt.Sprintf("line %d, column %d: not Java: %s", at.Line, at.Column, f[4])
	case "block":
		file.Blocks = append(file.Blocks, Block{Client: "java", Class: f[4], Role: javaRoles[f[4]], At: at, Version: a.version(in.path), Open: f[5] != ""})
	case "entry":
		return file.javaEntry(in, at, f[4:])
	case "member":
		file.javaMember(at, f[4], f[5])
	case "fact":
		file.Facts = append(file.Facts, Fact{Rule: f[4], At: at, About: f[5], Args: map[string]string{"source": f[6]}})
	}
	return nil
}

func javaPos(in input, line, column string) (Pos, error) {
	l, errL := strconv.Atoi(line)
	c, errC := strconv.Atoi(column)
	if errL != nil || errC != nil {
		return Pos{}, fmt.Errorf("no place: %q, %q", line, column)
	}
	return Pos{Line: l + in.firstLine, Column: c}, nil
}

var javaRoles = map[string]Role{
	"KafkaProducer": Producer, "DefaultKafkaProducerFactory": Producer,
	"KafkaConsumer": Consumer, "KafkaShareConsumer": Consumer, "DefaultKafkaConsumerFactory": Consumer,
	"AdminClient": Admin,
}

var javaKinds = map[string]Kind{
	"text": Text, "number": Number, "truth": Truth, "null": Null, "computed": Computed, "code": Code,
}

// javaEntry adds an entry to the block before it.
func (f *File) javaEntry(in input, at Pos, s []string) error {
	key, kind, text, written, changing := s[0], s[1], s[2], s[3], s[6]
	valueAt, err := javaPos(in, s[4], s[5])
	if err != nil {
		return err
	}
	if len(f.Blocks) == 0 {
		return fmt.Errorf("an entry before its block")
	}
	key, known := javaConstant(key)
	if !known {
		return nil // javaMember says so
	}
	v := Value{Kind: javaKinds[kind], Text: text, Source: written, At: valueAt}
	if kind == "constant" {
		v.Kind = Text
		if v.Text, known = javaConstant(text); !known {
			v.Kind, v.Text = Computed, ""
		}
	}
	if changing != "" {
		v.Changing = strings.Fields(changing)
	}
	b := &f.Blocks[len(f.Blocks)-1]
	if b.Class == "KafkaStreams" && !javaKnown(key) {
		return nil
	}
	b.Entries = append(b.Entries, Entry{Key: key, KeyAt: at, Value: v, Maybe: s[8] != ""})
	if fact, wrong := javaType(key, s[7], at, v); wrong {
		f.Facts = append(f.Facts, fact)
	}
	return nil
}

// finishJava puts what was found in the order of the file.
func (f *File) finishJava() {
	for i := range f.Blocks {
		if b := &f.Blocks[i]; b.Class == "" && ofTopic(b.Entries) {
			b.Client = "topic"
		}
	}
	slices.SortStableFunc(f.Facts, func(a, b Fact) int { return goBefore(a.At, b.At) })
	f.Facts = slices.CompactFunc(f.Facts, func(a, b Fact) bool { return a.At == b.At && a.Rule == b.Rule })
	slices.SortStableFunc(f.Blocks, func(a, b Block) int { return goBefore(a.At, b.At) })
}

// ofTopic reports whether a map that is given to no client is one for NewTopic.configs():
// all its keys are settings of topics, and some of no client.
func ofTopic(entries []Entry) bool {
	of := func(e Entry, library string) bool { return slices.Contains(tables()[e.Key], library) }
	return slices.ContainsFunc(entries, func(e Entry) bool { return !of(e, "kafka-clients") }) &&
		!slices.ContainsFunc(entries, func(e Entry) bool { return !of(e, "kafka-topic") })
}
