package convert

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kcompare/internal/config"
)

// This file writes .properties for librdkafka: key=value, in the escapes of Java's
// format, which every reader of such files in kcompare takes.

// pair is one setting in the target's words.
type pair struct {
	key, value string
	env        string // the variable that stands for the value; "" for value
	notes      []string
	silent     bool
}

func writeLibrdkafka(path string, all []block) ([]byte, []Lost) {
	var text strings.Builder
	text.WriteString("# Written by kcompare config convert: settings of librdkafka (confluent-kafka-go, confluent-kafka for Python).\n" +
		librdkafkaVersions() + several(all))
	var lost []Lost
	for _, b := range all {
		pairs := b.librdkafka()
		lost = append(lost, b.lost...)
		b.writeHead(&text, path)
		writePairs(&text, pairs, library(b.client), "librdkafka")
	}
	return []byte(text.String()), lost
}

// librdkafka is the settings of the block as librdkafka takes them. What it would refuse
// is lost, or left out where it is a default of the source's client.
func (b *block) librdkafka() []pair {
	b.refuse("partition.assignment.strategy", mixedAssignors(b.text("partition.assignment.strategy")))
	for {
		var wrong *config.Error
		if !errors.As(config.Check(b.withDefaults(), b.configRole()), &wrong) {
			break
		}
		b.refuse(b.leastWanted(wrong.Keys), strings.Join(wrong.Keys, " and ")+": "+wrong.Reason)
	}
	var pairs []pair
	for _, key := range b.keys() {
		s, _ := config.Lookup(key)
		v := b.given[key]
		switch silent := slices.Contains(b.silent, key); {
		case b.has(s):
			pairs = append(pairs, pair{key: key, value: v.text, env: v.env, silent: silent, notes: unknownTo(key)})
		case !silent:
			b.lost = append(b.lost, b.lostOf(key, meaningless(*b)))
		}
	}
	return pairs
}

// unknownTo says which versions refuse the name.
func unknownTo(key string) []string {
	if versions := lacking(key); versions != "" {
		return []string{key + ": librdkafka " + versions + " has no such setting, and refuses it"}
	}
	return nil
}

// withDefaults adds librdkafka's own defaults that it compares others with. Settings that
// were librdkafka's before are left to it.
func (b *block) withDefaults() map[string]string {
	if own[b.client] {
		return b.texts()
	}
	all, defaults := b.texts(), b.librdkafkaDefaults()
	for _, key := range []string{"transaction.timeout.ms", "max.poll.interval.ms", "message.max.bytes", "receive.message.max.bytes", "reconnect.backoff.ms", "reconnect.backoff.max.ms"} {
		if _, told := all[key]; !told {
			all[key] = defaults[key]
		}
	}
	return all
}

// leastWanted is the key to give up in a contradiction: a default of the source's client
// before what was given.
func (b *block) leastWanted(keys []string) string {
	told := keys[0]
	for _, key := range keys {
		if slices.Contains(b.silent, key) {
			return key
		}
		if _, given := b.given[key]; given {
			told = key
		}
	}
	return told
}

// refuse takes a setting out; reason "" leaves it.
func (b *block) refuse(key, reason string) {
	if reason == "" {
		return
	}
	if !slices.Contains(b.silent, key) {
		b.lost = append(b.lost, b.lostOf(key, reason))
	}
	isKey := func(k string) bool { return k == key }
	b.order, b.silent = slices.DeleteFunc(b.order, isKey), slices.DeleteFunc(b.silent, isKey)
	delete(b.given, key)
}

// mixedAssignors says why librdkafka would refuse a list that Java and kgo take.
func mixedAssignors(value string) string {
	names := words(value)
	switch {
	case slices.Contains(names, "sticky"):
		return "librdkafka has no sticky assignor; range and roundrobin are eager as well"
	case slices.Contains(names, "cooperative-sticky") && len(names) > 1:
		return "librdkafka mixes no cooperative assignor with eager ones; cooperative-sticky alone, or the eager ones"
	}
	return ""
}

// writeHead is the comment above a block.
func (b block) writeHead(text *strings.Builder, path string) {
	fmt.Fprintf(text, "\n# The settings of %s.\n", b.origin(path))
	for _, l := range comments(b.lost) {
		fmt.Fprintf(text, "# Not carried over: %s\n", l)
	}
}

func writePairs(text *strings.Builder, pairs []pair, client, target string) {
	told := false
	for _, p := range pairs {
		if p.silent && !told {
			fmt.Fprintf(text, "\n# What %s does where nothing is set, and %s would do otherwise.\n", client, target)
			told = true
		}
		for _, note := range p.notes {
			fmt.Fprintf(text, "# %s\n", note)
		}
		value := escaped(p.value)
		if p.env != "" && p.value == "" {
			value = "${" + p.env + "}"
			fmt.Fprintf(text, "# %s: put the value in place of %s; secrets are not carried over, nor what a program computes.\n", p.key, value)
		}
		fmt.Fprintf(text, "%s=%s\n", p.key, value)
	}
}

// escaped is a value as Java's format has it: blanks at an end and line ends show.
func escaped(value string) string {
	value = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(value)
	if rest, ok := strings.CutSuffix(value, " "); ok {
		value = rest + `\u0020`
	}
	if strings.HasPrefix(value, " ") {
		value = `\` + value
	}
	return value
}

// several says that .properties have no parts.
func several(all []block) string {
	if len(all) < 2 {
		return ""
	}
	return "# Several clients: each of the parts below belongs in a file of its own.\n"
}
