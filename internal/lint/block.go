package lint

import (
	"cmp"
	"slices"
	"strings"

	"kcompare/internal/config"
	"kcompare/internal/source"
)

// block is a group of settings with what rules ask about it.
type block struct {
	*source.Block
	file    *source.File
	library library
	items   []item // in the order of the text

	// data says that the text is a file of data, which may have settings of its own
	// program beside Kafka's: a name is wrong only where it is nearly one of Kafka's.
	data bool

	// shared are the settings, of this file or another one, that reach producers and
	// consumers.
	shared map[place]bool
}

// item is one setting with its canonical name.
type item struct {
	source.Entry
	name  string // canonical; "" where the library has no setting of that meaning
	value string // in the canonical spelling
	known bool   // the value is, and the library takes it
}

func newBlock(f *source.File, b *source.Block) *block {
	out := &block{Block: b, file: f, library: libraryOf(b), data: b.Class == ""}
	for _, e := range b.Entries {
		out.items = append(out.items, out.item(e))
	}
	return out
}

func (b *block) item(e source.Entry) item {
	i := item{Entry: e, value: e.Value.Text}
	i.known = e.Value.Kind == source.Text || e.Value.Kind == source.Number || e.Value.Kind == source.Truth
	switch {
	case e.Canonical != "":
		i.name, i.value = e.Canonical, e.CanonicalValue
		i.known = i.known && i.value != ""
	case b.Client == "java":
		if _, is := b.library.newest(e.Key); is {
			i.name, i.value = canonicalName(e.Key), strings.TrimSpace(i.value)
		}
	case b.Client == "python" || b.Client == "librdkafka" || b.Client == "":
		i.name = canonicalName(e.Key)
	}
	if _, wrong := b.refuses(i); wrong {
		i.known = false // wrong-value speaks of it, and nothing is compared with it
	}
	return i
}

func canonicalName(key string) string {
	s, _ := config.Lookup(key)
	return s.Name
}

// place is where an item is written.
func (b *block) place(i item) place {
	return place{cmp.Or(i.Path, b.file.Path), i.KeyAt}
}

// get is the last setting of that canonical name, which is the one that counts.
func (b *block) get(name string) (item, bool) {
	for _, i := range slices.Backward(b.items) {
		if i.name == name {
			return i, true
		}
	}
	return item{}, false
}

// value is the value of a setting where it is given and known.
func (b *block) value(name string) (string, bool) {
	i, ok := b.get(name)
	return i.value, ok && i.known
}

func (b *block) isTrue(name string) bool {
	v, _ := b.value(name)
	truth, ok := config.Bool(v)
	return ok && truth
}

func (b *block) isFalse(name string) bool {
	v, _ := b.value(name)
	truth, ok := config.Bool(v)
	return ok && !truth
}

// transactional reports whether a transactional.id is given that is not empty.
func (b *block) transactional() bool {
	i, ok := b.get("transactional.id")
	return ok && i.Value.Kind != source.Null && (!i.known || i.value != "")
}

// of reports whether the settings are for one of the clients.
func (b *block) of(clients ...string) bool { return slices.Contains(clients, b.Client) }

func (b *block) isLibrdkafka() bool { return b.of("python", "librdkafka") }

// finding is one about an item.
func finding(i item, severity Severity, message, fix string) Finding {
	return Finding{
		File: i.Path, Line: i.KeyAt.Line, Column: i.KeyAt.Column,
		Severity: severity, Key: i.Key, Message: message, Fix: fix,
	}
}

// show is an item as a message may have it: the values of secrets are not in it.
func show(i item) string {
	if secret(i.Key) {
		return i.Key
	}
	return i.Key + "=" + i.Value.Text
}

// secret goes by the name alone: Java's ssl.truststore.password is one too, and a
// misspelt one.
func secret(key string) bool { return config.Setting{Name: key}.Secret() }
