// Package convert writes settings that package source read in another client's words,
// and says what cannot be carried over.
//
// A block of settings goes through canonical names (package config):
//
//	librdkafka, python ─┐                    ┌─> franz: Go code
//	java ───────────────┼─> canonical names ─┼─> librdkafka: .properties
//	franz (kgo) ────────┘   and librdkafka's ├─> python: a dict
//	                        spelling         └─> java: .properties
//
// What the source's client does where the settings are silent is carried over too,
// where the other client would do otherwise. The order is that of the source, then
// those defaults by name.
package convert

import (
	"fmt"
	"slices"
	"strings"

	"kcompare/internal/source"
)

// Target is what settings are written as.
type Target string

// The targets: kgo options in Go, .properties of librdkafka, a Python dict for
// confluent_kafka, .properties of kafka-clients.
const (
	Franz      Target = "franz"
	Librdkafka Target = "librdkafka"
	Python     Target = "python"
	Java       Target = "java"
)

// Targets is every target, as --to takes them.
func Targets() []string {
	return []string{string(Franz), string(Librdkafka), string(Python), string(Java)}
}

// Options say what to write. Role is for blocks that do not tell whether they are a
// producer's or a consumer's; with source.AnyRole such a block is an error.
type Options struct {
	To   Target
	Role source.Role
}

// Result is what was written. Lost has everything that was given and could not be
// carried over, or not completely; each stands as a comment in Text as well.
type Result struct {
	Text []byte
	Lost []Lost
}

// Lost is one setting that could not be carried over, by its name in the source.
type Lost struct {
	Line   int // in the source, 0 if it has none
	Key    string
	Value  string // "" where it is unknown or a secret
	Reason string // why, and what to do
}

// Error says what is wrong with the settings themselves: nothing was written.
type Error struct {
	File   string
	Line   int // 0 where it is about the whole file
	Key    string
	Reason string
}

// Error begins with the place, as a compiler does.
func (e *Error) Error() string {
	text := e.File
	if e.Line > 0 {
		text += fmt.Sprintf(":%d", e.Line)
	}
	if e.Key != "" {
		text += ": " + e.Key
	}
	return text + ": " + e.Reason
}

// Convert writes every block of a file that is a client's. The error is an *Error:
// for settings that are wrong, and for a file without any.
func Convert(file source.File, o Options) (Result, error) {
	var all []block
	for _, b := range file.Blocks {
		if !slices.Contains(clients(), b.Client) {
			continue // of a broker, a topic, a worker of Kafka Connect
		}
		for _, part := range parts(b, o.Role) {
			read, err := read(part, o.Role)
			if err != nil {
				err.File = file.Path
				return Result{}, err
			}
			all = append(all, read)
		}
	}
	if len(all) == 0 {
		return Result{}, &Error{File: file.Path, Reason: nothing(file)}
	}
	name(all)
	for i := range all {
		all[i].fill(o.To)
	}
	return write(file.Path, all, o.To)
}

// clients are those whose settings are converted; "" is librdkafka or Java, by its keys.
func clients() []string {
	return []string{"", "librdkafka", "python", "franz", "java", "kafka-python", "aiokafka"}
}

// nothing says why a file without settings of a client has none.
func nothing(file source.File) string {
	switch {
	case file.Unread != "":
		return file.Unread
	case len(file.Blocks) > 0:
		return "has settings of a " + file.Blocks[0].Client + ", expected those of a client"
	}
	return "has no settings of a Kafka client"
}

func write(path string, all []block, to Target) (Result, error) {
	var text []byte
	var lost []Lost
	var err error
	switch to {
	case Franz:
		text, lost, err = writeFranz(path, all)
	case Librdkafka:
		text, lost = writeLibrdkafka(path, all)
	case Python:
		text, lost = writePython(path, all)
	case Java:
		text, lost = writeJava(path, all)
	default:
		err = fmt.Errorf("unknown target %q: expected one of %s", to, strings.Join(Targets(), ", "))
	}
	slices.SortStableFunc(lost, func(a, b Lost) int { return a.Line - b.Line })
	return Result{Text: text, Lost: lost}, err
}

// name gives every block a name of its own: its role alone where that is enough, else
// with what takes it, else with its line.
func name(all []block) {
	count := map[string]int{}
	for i := range all {
		all[i].name = string(all[i].role)
		count[all[i].name]++
	}
	for i := range all {
		if count[all[i].name] > 1 {
			all[i].name += fmt.Sprint(all[i].line)
		}
	}
	seen := map[string]int{}
	for i := range all { // two blocks on one line
		seen[all[i].name]++
		if n := seen[all[i].name]; n > 1 {
			all[i].name += fmt.Sprintf("x%d", n)
		}
	}
}
