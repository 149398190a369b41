package lint

import (
	"fmt"
	"slices"
	"strings"

	"kcompare/internal/config"
	"kcompare/internal/source"
)

// keyChecks are the rules about names of settings.
func keyChecks() []check {
	return []check{
		{Rule{"unknown-key", Error, "a name that no version of the library has: refused by librdkafka, kafka-python and aiokafka, ignored by Java's client"}, unknownKey},
		{Rule{"java-key", Error, "a setting of Java's clients in settings for librdkafka, which refuses it"}, javaKey},
		{Rule{"librdkafka-key", Warning, "a setting of librdkafka in settings for Java's client, which ignores it"}, librdkafkaKey},
		{Rule{"broker-key", Error, "a setting of brokers or topics in settings for a client"}, brokerKey},
		{Rule{"version-key", Error, "a setting that only some versions of the library have: a warning where nothing says which version it is"}, versionKey},
		{Rule{"wrong-role", Error, "a producer's setting in a consumer, or the other way round: accepted and ignored (a warning), refused by kafka-python and aiokafka"}, wrongRole},
		{Rule{"duplicate-key", Warning, "one name twice with different values in a file: the last one counts"}, duplicateKey},
		{Rule{"alias-conflict", Error, "two names of one setting with different values"}, aliasConflict},
		{Rule{"deprecated-key", Info, "a setting that the library calls deprecated"}, deprecatedKey},
	}
}

// strange are the items whose names no version of the block's library has. A callback or
// object is no setting of a file, and what takes it may be a class of the program's own.
func strange(b *block) []item {
	var all []item
	for _, i := range b.items {
		if with, _ := b.library.has(i.Key, b.Client); b.library.name != "" && len(with) == 0 && !b.takes(i) {
			all = append(all, i)
		}
	}
	return all
}

// takes knows what a class takes beside the settings of the library.
func (b *block) takes(i item) bool {
	switch {
	case b.of("franz"):
		return true // the compiler knows kgo's options
	case strings.Contains(b.Class, "SerializingProducer") || strings.Contains(b.Class, "Deserializing"), // also Async..., ...ShareConsumer
		b.Class == "" && b.of("python") && i.Value.Kind != source.Text: // an object: for one of these, out of sight
		return slices.Contains([]string{"key.serializer", "value.serializer", "key.deserializer", "value.deserializer"}, i.Key)
	case strings.HasPrefix(b.Class, "Avro"):
		return strings.HasPrefix(i.Key, "schema.registry.")
	case b.of("broker", "java"):
		return strings.HasPrefix(i.Key, "listener.name.") || strings.Contains(i.Key, "schema.registry")
	}
	return b.isLibrdkafka() && i.Key == "default.topic.config"
}

// brokerOrTopic says where a key of brokers or topics is set: "broker", "topic" or both;
// "" for any other key.
func brokerOrTopic(key string) (home string) {
	topic, broker := libraryNamed("topic").knows(key), libraryNamed("broker").knows(key)
	switch {
	case topic && broker:
		return "topic or broker"
	case topic:
		return "topic"
	case broker:
		return "broker"
	}
	return ""
}

func isJavaKey(key string) bool { return libraryNamed("java").knows(key) }

func isLibrdkafkaKey(key string) bool { return libraryNamed("librdkafka").knows(key) }

func unknownKey(b *block) []Finding {
	var all []Finding
	for _, i := range strange(b) {
		if b.foreign(i.Key) {
			continue
		}
		if f, wrong := b.unknown(i); wrong {
			all = append(all, f)
		}
	}
	if b.library.name == "" && !b.of("connect") {
		all = append(all, nobodys(b)...)
	}
	return all
}

// foreign reports whether another rule speaks of the key.
func (b *block) foreign(key string) bool {
	switch {
	case b.isLibrdkafka():
		return isJavaKey(key) || brokerOrTopic(key) != ""
	case b.of("java"):
		return isLibrdkafkaKey(key) || brokerOrTopic(key) != ""
	case b.of("broker"):
		return isJavaKey(key) // a broker has clients of its own
	}
	return false
}

func (b *block) unknown(i item) (Finding, bool) {
	search := nearest
	if b.data || b.of("java") {
		search = misspelling
	}
	near := search(i.Key, b.library.keys())
	if near == "" && (b.data || b.of("java")) {
		return Finding{}, false // of the program itself, a serializer, an interceptor
	}
	message := fmt.Sprintf("no such %s setting: %s", b.library.shown, i.Key)
	severity := Error
	if b.of("java") {
		severity, message = Warning, message+"; Java's client ignores it"
	}
	fix := "take it out"
	if near != "" {
		fix = "write " + near
	}
	return finding(i, severity, message, fix), true
}

// nobodys are names that no client has, where nothing says which client it is.
func nobodys(b *block) []Finding {
	var all []Finding
	for _, i := range b.items {
		if slices.Contains(everyKey(), i.Key) {
			continue
		}
		if near := misspelling(i.Key, everyKey()); near != "" {
			all = append(all, finding(i, Error, "no client has a setting "+i.Key, "write "+near))
		}
	}
	return all
}

func javaKey(b *block) []Finding {
	switch {
	case b.Client == "":
		return mixedKeys(b)
	case !b.isLibrdkafka():
		return nil
	}
	var all []Finding
	for _, i := range b.items {
		s, known := config.Lookup(i.Key)
		refused := known && s.Type == config.Refused
		with, _ := b.library.has(i.Key, b.Client)
		if !refused && (len(with) > 0 || !isJavaKey(i.Key) || b.takes(i)) {
			continue
		}
		fix := "it has no counterpart; take it out"
		if name := counterpart(i.Key); name != "" {
			fix = "write " + name
		}
		all = append(all, finding(i, Error, i.Key+" is a setting of Java's clients; librdkafka refuses it", fix))
	}
	return all
}

// mixedKeys are Java's among librdkafka's where nothing says whose settings they are: no
// client takes both.
func mixedKeys(b *block) []Finding {
	var all []Finding
	at := slices.IndexFunc(b.items, func(i item) bool { return isLibrdkafkaKey(i.Key) && !isJavaKey(i.Key) && brokerOrTopic(i.Key) == "" })
	for _, i := range b.items {
		if at >= 0 && isJavaKey(i.Key) && !isLibrdkafkaKey(i.Key) {
			all = append(all, finding(i, Warning, fmt.Sprintf("%s is a setting of Java's clients, and %s on line %d one of librdkafka: no client takes both",
				i.Key, b.items[at].Key, b.items[at].KeyAt.Line), "keep those of the client that reads the file"))
		}
	}
	return all
}

// counterpart is librdkafka's name for what Java calls key; "" where it has nothing
// alike.
func counterpart(key string) string {
	switch key {
	case "max.block.ms": // the catalogue's nearest waits for metadata alone, and never blocks
		return ""
	case "sasl.jaas.config":
		return "sasl.username and sasl.password"
	case "buffer.memory":
		return "queue.buffering.max.kbytes, in kB"
	}
	for _, s := range config.Settings() {
		if s.JavaKey == key && s.Name != key && s.Type != config.Refused {
			return s.Name
		}
	}
	return ""
}

func librdkafkaKey(b *block) []Finding {
	if !b.of("java") {
		return nil
	}
	var all []Finding
	for _, i := range strange(b) {
		if !isLibrdkafkaKey(i.Key) || brokerOrTopic(i.Key) != "" {
			continue
		}
		fix := "it has no counterpart; take it out"
		if s, _ := config.Lookup(i.Key); isJavaKey(s.Name) {
			fix = "write " + s.Name
		} else if isJavaKey(s.JavaKey) {
			fix = "write " + s.JavaKey
		}
		all = append(all, finding(i, Warning, i.Key+" is a setting of librdkafka; Java's client ignores it", fix))
	}
	return all
}

func brokerKey(b *block) []Finding {
	if !b.isLibrdkafka() && !b.of("java") {
		return nil
	}
	var all []Finding
	for _, i := range strange(b) {
		home := brokerOrTopic(i.Key)
		if home == "" || b.isLibrdkafka() && isJavaKey(i.Key) || b.data && !strings.Contains(i.Key, ".") {
			continue // a server that has a client within calls its own ports listeners, too
		}
		all = append(all, finding(i, Error,
			fmt.Sprintf("%s is a %s setting, not a client's", i.Key, home), "set it on the "+home))
	}
	return all
}

func versionKey(b *block) []Finding {
	l := libraryNamed(b.Client)
	if !b.isLibrdkafka() && !b.of("java") {
		return nil
	}
	var all []Finding
	for _, i := range b.items {
		with, without := l.has(i.Key, b.Client)
		if len(with) == 0 || len(without) == 0 {
			continue
		}
		message := fmt.Sprintf("%s %s has no such setting, %s has it", l.shown, list(without), list(with))
		fix := "take it out, or make sure that the library is " + with[0] + " or newer"
		switch {
		case b.Version == "" || !slices.Contains(append(with, without...), b.Version):
			all = append(all, finding(i, Warning, message, fix))
		case slices.Contains(without, b.Version):
			all = append(all, finding(i, Error, message+"; it is "+b.Version+" here", fix))
		}
	}
	return all
}

// wrongRole says nothing of an entry that is set under a condition, which may ask for the
// kind of client, nor of one that reaches clients of both kinds where each ignores what is
// the other's: it is of use to one of them.
func wrongRole(b *block) []Finding {
	if b.Role != source.Producer && b.Role != source.Consumer {
		return nil
	}
	severity, consequence := Warning, "accepted and ignored"
	if b.of("kafka-python", "aiokafka") {
		severity, consequence = Error, b.library.shown+" refuses it"
	}
	var all []Finding
	for _, i := range b.items {
		if !b.library.knows(i.Key) || b.library.applies(i.Key, b.Role) || b.of("franz") || i.Maybe {
			continue
		}
		if severity == Warning && b.shared[b.place(i)] {
			continue
		}
		all = append(all, finding(i, severity, fmt.Sprintf("%s means nothing to a %s: %s", i.Key, b.Role, consequence), "take it out"))
	}
	return all
}

func duplicateKey(b *block) []Finding {
	if b.file.Language != source.Properties && b.file.Language != source.JSON {
		return nil // a program that sets a key again means it; YAML has no key twice
	}
	var all []Finding
	last := map[string]item{}
	for _, i := range b.items {
		before, twice := last[i.Key]
		last[i.Key] = i
		if twice && before.Value.Text != i.Value.Text {
			all = append(all, finding(i, Warning, fmt.Sprintf("%s stands on line %d too, with another value; this one counts", i.Key, before.KeyAt.Line), "leave one of them"))
		}
	}
	return all
}

func aliasConflict(b *block) []Finding {
	var all []Finding
	first := map[string]item{}
	for _, i := range b.items {
		other, twice := first[i.name]
		switch {
		case i.name == "" || b.of("franz", "java"):
		case !twice:
			first[i.name] = i
		case other.Key != i.Key && i.known && other.known && i.value != other.value:
			all = append(all, finding(i, Error,
				fmt.Sprintf("%s and %s are one setting%s", show(other), show(i), b.order()), "leave one of them"))
		}
	}
	return all
}

// order is what decides between two names.
func (b *block) order() string {
	if b.of("librdkafka") && b.file.Language == source.Go {
		return "; a ConfigMap is read in random order, so each start may choose another one"
	}
	return "; the last one that is read counts"
}

func deprecatedKey(b *block) []Finding {
	if !b.isLibrdkafka() {
		return nil
	}
	var all []Finding
	for _, i := range b.items {
		p, _ := b.library.newest(i.Key)
		if p.Deprecated {
			all = append(all, finding(i, Info, i.Key+" is deprecated in librdkafka", "take it out"))
		}
	}
	return all
}
