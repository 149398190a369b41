package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"kcompare/internal/config"
	"kcompare/internal/source"
)

// conflictChecks are the rules about settings that contradict each other.
func conflictChecks() []check {
	return []check{
		{Rule{"conflict", Error, "settings that contradict each other; librdkafka refuses to start (a warning where another client may read the file)"}, conflict},
		{Rule{"mixed-assignors", Error, "eager and cooperative assignors in one list, which librdkafka refuses"}, mixedAssignors},
		{Rule{"no-group-id", Error, "a consumer of librdkafka without group.id, which it refuses"}, noGroupID},
	}
}

// conflict goes by the rules of package config, which are librdkafka's. Some of them
// every client has.
func conflict(b *block) []Finding {
	if !b.isLibrdkafka() && !b.of("", "kafka-python", "aiokafka") {
		return nil
	}
	role := config.Producer
	if b.Role == source.Consumer {
		role = config.Consumer
	}
	var all []Finding
	for _, broken := range config.Conflicts(b.canonical(), role) {
		if severity, ok := b.conflictSeverity(broken.Keys); ok {
			all = append(all, b.conflicting(severity, broken))
		}
	}
	return all
}

// comparedDefaults are those that librdkafka compares with what is given.
func comparedDefaults() map[string]string {
	return map[string]string{"transaction.timeout.ms": "60000", "max.poll.interval.ms": "300000"}
}

// canonical is what is given and known, without what another rule calls wrong, and with
// the default that librdkafka compares with.
func (b *block) canonical() map[string]string {
	all := map[string]string{}
	if b.isLibrdkafka() && !b.Open && !b.data {
		maps.Copy(all, comparedDefaults())
	}
	aliases := aliasConflict(b)
	for _, i := range b.items {
		if i.name == "" {
			continue
		}
		delete(all, i.name)
		twice := slices.ContainsFunc(aliases, func(f Finding) bool { return canonicalName(f.Key) == i.name })
		if i.known && !twice {
			all[i.name] = i.value
		}
	}
	if i, ok := b.get("transactional.id"); ok && !i.known && i.Value.Kind != source.Null {
		all["transactional.id"] = "(computed)"
	}
	return all
}

// conflictSeverity is an error where the client is sure to refuse it. Java, kafka-python
// and aiokafka refuse what breaks idempotence, and know none of the other rules.
func (b *block) conflictSeverity(keys []string) (Severity, bool) {
	everywhere := slices.ContainsFunc(keys, func(k string) bool {
		return k == "enable.idempotence" || k == "transactional.id"
	}) && !slices.ContainsFunc(keys, librdkafkaAlone)
	switch {
	case b.isLibrdkafka() || everywhere:
		return Error, true
	case b.Client == "":
		return Warning, true
	}
	return Error, false
}

func librdkafkaAlone(key string) bool { return !isJavaKey(key) }

// conflicting names every setting that takes part with its value, and stands at the first
// one that is written there.
func (b *block) conflicting(severity Severity, broken *config.Error) Finding {
	var at item
	var shown []string
	for _, key := range broken.Keys {
		i, given := b.get(key)
		switch {
		case !given:
			shown = append(shown, key+"="+comparedDefaults()[key]+" (the default)")
		case i.known:
			shown = append(shown, show(i))
		default:
			shown = append(shown, i.Key)
		}
		if given && at.Key == "" {
			at = i
		}
	}
	reason, fix, _ := strings.Cut(broken.Reason, "; ")
	message := fmt.Sprintf("%s: %s", list(shown), reason)
	if b.isLibrdkafka() {
		message += "; librdkafka refuses to start"
	}
	return finding(at, severity, message, fix)
}

// mixedAssignors is for librdkafka alone: Java can change over from eager to cooperative
// with both in the list.
func mixedAssignors(b *block) []Finding {
	i, ok := b.get("partition.assignment.strategy")
	if !ok || !b.isLibrdkafka() || !i.known {
		return nil
	}
	var eager, cooperative bool
	for name := range strings.SplitSeq(i.value, ",") {
		isCooperative := strings.HasPrefix(strings.TrimSpace(name), "cooperative")
		cooperative = cooperative || isCooperative
		eager = eager || !isCooperative
	}
	if !eager || !cooperative {
		return nil
	}
	return []Finding{finding(i, Error, fmt.Sprintf("%q has eager and cooperative assignors: librdkafka refuses the mix, Java can", i.value),
		"name assignors of one kind")}
}

// noGroupID needs to see all settings that the consumer gets.
func noGroupID(b *block) []Finding {
	if !b.isLibrdkafka() || b.Open || b.Role != source.Consumer || !slices.Contains([]string{"Consumer", "NewConsumer", "DeserializingConsumer"}, b.Class) {
		return nil
	}
	if _, given := b.get("group.id"); given {
		return nil
	}
	return []Finding{{Line: b.At.Line, Column: b.At.Column, Severity: Error, Key: "group.id",
		Message: "a consumer without group.id: librdkafka refuses to create it", Fix: "add group.id"}}
}
