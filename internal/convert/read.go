package convert

import (
	"errors"
	"fmt"
	"strings"

	"kcompare/internal/config"
	"kcompare/internal/source"
)

// This file turns what package source found into canonical settings.

// own has the clients whose keys are librdkafka's.
var own = map[string]bool{"librdkafka": true, "python": true}

// read is one block in canonical names. otherwise is the role of one that does not tell.
func read(from source.Block, otherwise source.Role) (block, *Error) {
	b := block{client: clientOf(from), class: from.Class, version: from.Version, line: from.At.Line, given: given{}, raw: map[string]string{}}
	var err *Error
	if b.role, err = roleOf(from, otherwise); err != nil {
		return b, err
	}
	for _, e := range from.Entries {
		b.raw[e.Key] = e.Value.Text
	}
	for _, e := range from.Entries {
		if err := b.add(e); err != nil {
			return b, err
		}
	}
	return b, b.check()
}

// parts takes a client of kgo that both produces and consumes apart, because elsewhere two
// clients do that. Whoever asks for one role gets that one.
func parts(from source.Block, asked source.Role) []source.Block {
	produces, consumes := roles(from)
	if from.Client != "franz" || from.Role != source.AnyRole || !produces || !consumes {
		return []source.Block{from}
	}
	var all []source.Block
	for _, role := range []source.Role{source.Producer, source.Consumer} {
		if asked != source.AnyRole && asked != role {
			continue
		}
		part := from
		part.Role, part.Entries = role, nil
		for _, e := range from.Entries {
			if s, known := config.Lookup(e.Canonical); !known || (block{role: role}).has(s) {
				part.Entries = append(part.Entries, e)
			}
		}
		all = append(all, part)
	}
	return all
}

// clientOf guesses where nothing says so: a key that librdkafka lacks and Java has is
// Java's.
func clientOf(from source.Block) string {
	if from.Client != "" {
		return from.Client
	}
	for _, e := range from.Entries {
		if e.Canonical == "" && !knownTo("librdkafka", e.Key) && isJava(e.Key) {
			return "java"
		}
	}
	return "librdkafka"
}

// roleOf is what the block says, else what its keys say, else what the caller says.
func roleOf(from source.Block, otherwise source.Role) (source.Role, *Error) {
	if from.Role != source.AnyRole {
		return from.Role, nil
	}
	produces, consumes := roles(from)
	switch {
	case produces && !consumes:
		return source.Producer, nil
	case consumes && !produces:
		return source.Consumer, nil
	case otherwise != source.AnyRole:
		return otherwise, nil
	}
	return "", &Error{Line: from.At.Line, Reason: "nothing tells whether these are settings of a producer or a consumer; say so with --role=producer or --role=consumer"}
}

// roles reports whether any key is for producers alone, or for consumers.
func roles(from source.Block) (produces, consumes bool) {
	for _, e := range from.Entries {
		of := applies(e)
		produces = produces || of == "P"
		consumes = consumes || of == "C"
	}
	return produces, consumes
}

func applies(e source.Entry) string {
	switch {
	case strings.HasSuffix(e.Key, ".serializer"):
		return "P"
	case strings.HasSuffix(e.Key, ".deserializer"):
		return "C"
	}
	name := e.Canonical
	if name == "" {
		name = e.Key
	}
	s, _ := config.Lookup(name)
	return s.Applies
}

// add takes one entry in.
func (b *block) add(e source.Entry) *Error {
	if e.Value.Kind == source.Null && b.client == "python" {
		return nil // the binding then leaves librdkafka's default
	}
	switch {
	case e.Value.Kind == source.Code:
		b.lose(e, "it is code of the application")
		return nil
	case e.Canonical != "":
		text := e.CanonicalValue
		if text == "" {
			text = e.Value.Text
		}
		return b.put(e.Canonical, text, e)
	case own[b.client]:
		return b.addOwn(e)
	case b.client == "java":
		return b.addJava(e)
	}
	b.lose(e, "no other client has it as a setting")
	return nil
}

// addOwn takes a key of librdkafka in.
func (b *block) addOwn(e source.Entry) *Error {
	s, known := config.Lookup(e.Key)
	p, has := property("librdkafka", e.Key)
	switch {
	case p.Application:
		b.lose(e, "it is code of the application")
		return nil
	case p.Binding != "":
		b.lose(e, "it is a setting of the binding alone (confluent-kafka for "+p.Binding+")")
		return nil
	case known && (s.Type == config.Refused || has):
		return b.put(s.Name, e.Value.Text, e)
	case has:
		b.lose(e, "it is a setting of librdkafka alone")
		return nil
	}
	return &Error{Line: e.KeyAt.Line, Key: e.Key, Reason: unknownReason(e.Key)}
}

func unknownReason(key string) string {
	reason := "librdkafka knows no such setting"
	switch s, known := config.Lookup(key); {
	case known:
		return reason + ", its name there is " + s.Name
	case isJava(key):
		if s := fromJava(key); s != "" {
			return reason + ", it is Java's name for what is nearest to " + s
		}
		return reason + ", it is one of Java's"
	}
	if near := config.Nearest(key, config.Names()); near != "" {
		reason += ", did you mean " + near + "?"
	}
	return reason
}

// put takes a canonical setting in.
func (b *block) put(key, text string, e source.Entry) *Error {
	s, known := config.Lookup(key)
	if !known {
		b.lose(e, "no other client has it as a setting")
		return nil
	}
	if old, twice := b.given[key]; twice {
		if old.key != e.Key && own[b.client] {
			return &Error{Line: e.KeyAt.Line, Key: e.Key,
				Reason: fmt.Sprintf("is another name of %s (line %d), give only one of them", old.key, old.line)}
		}
	} else {
		b.order = append(b.order, key)
	}
	v := value{text: spelled(s, text), line: e.KeyAt.Line, key: e.Key}
	switch {
	case s.Secret() && (text != "" || e.Value.Kind == source.Computed):
		v.text, v.env = "", variable(key, e)
	case e.Value.Kind == source.Computed && e.CanonicalValue == "" && s.Type == config.String:
		v.text, v.env = "", variable(key, e)
	case e.Value.Kind == source.Computed && e.CanonicalValue == "":
		b.forget(key)
		b.lose(e, fmt.Sprintf("its value is computed when the program runs (%s); set it by hand", e.Value.Source))
		return nil
	}
	b.given[key] = v
	return nil
}

// variable is the environment variable that a value comes from: that of the source, where
// it names one, else one that is named after the setting.
func variable(key string, e source.Entry) string {
	name, ok := strings.CutPrefix(e.Value.Source, "${")
	name, closed := strings.CutSuffix(strings.TrimPrefix(name, "env:"), "}")
	if ok && closed && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" {
		return name
	}
	return envName(key)
}

func (b *block) forget(key string) {
	delete(b.given, key)
	for i, k := range b.order {
		if k == key {
			b.order = append(b.order[:i:i], b.order[i+1:]...)
			return
		}
	}
}

// lose notes an entry that is no canonical setting.
func (b *block) lose(e source.Entry, reason string) {
	l := Lost{Line: e.KeyAt.Line, Key: e.Key, Value: e.Value.Text, Reason: reason}
	if secretName(e.Key) {
		l.Value = ""
	}
	b.lost = append(b.lost, l)
}

// secretName is for keys that the catalogue does not have: any of them may be one.
func secretName(key string) bool {
	s, known := config.Lookup(key)
	if known {
		return s.Secret()
	}
	return (config.Setting{Name: key}).Secret() || strings.Contains(strings.ToLower(key), "token") ||
		strings.Contains(strings.ToLower(key), "password") || strings.Contains(strings.ToLower(key), "sasl")
}

// spelled is a value as all clients can be given it: what is no text has no blanks
// around it, and one spelling.
func spelled(s config.Setting, text string) string {
	if s.Type == config.String || s.Type == config.Refused {
		return text
	}
	text = strings.TrimSpace(text)
	switch s.Type {
	case config.Boolean:
		if v, ok := config.Bool(text); ok {
			return fmt.Sprint(v)
		}
	case config.Enum:
		for _, word := range s.Words {
			if strings.EqualFold(word, text) {
				return word
			}
		}
	}
	return text
}

// check refuses what is wrong in the source's own library, as far as that is librdkafka;
// others have other limits.
func (b *block) check() *Error {
	if !own[b.client] {
		return nil
	}
	if why := mixedAssignors(b.text("partition.assignment.strategy")); why != "" {
		return b.wrong(why, "partition.assignment.strategy")
	}
	var bad *config.Error
	if errors.As(config.Check(b.texts(), b.configRole()), &bad) {
		return b.wrong(bad.Reason, bad.Keys...)
	}
	return nil
}

// wrong is about settings by the names that the source has for them, in the line of the
// last of them.
func (b *block) wrong(reason string, canonical ...string) *Error {
	e := &Error{Reason: reason}
	var keys []string
	for _, key := range canonical {
		v := b.given[key]
		keys = append(keys, v.key)
		e.Line = max(e.Line, v.line)
	}
	e.Key = strings.Join(keys, " and ")
	return e
}
