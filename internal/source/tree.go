package source

import (
	"strconv"
	"strings"
)

// tree is what YAML and JSON have in common: mappings, lists and scalars, each with its
// place.
type tree struct {
	at     Pos
	fields []field // of a mapping
	items  []tree  // of a list
	value  *Value  // of a scalar
}

// field is one pair of a mapping.
type field struct {
	key  string
	at   Pos
	node tree
}

// get is the field of that name; an empty tree where there is none.
func (t tree) get(key string) tree {
	for _, f := range t.fields {
		if f.key == key {
			return f.node
		}
	}
	return tree{}
}

func (t tree) text() string {
	if t.value == nil {
		return ""
	}
	return t.value.Text
}

// blocks are the groups of Kafka settings in a document.
func (t tree) blocks(h hints) []Block {
	if found, ok := t.strimzi(h); ok {
		return found
	}
	var all []setting
	found := t.flatten("", Pos{}, "", &all)
	return append(found, blocks(all, h)...)
}

// flatten appends the settings at and below t to all. Environments of containers become
// blocks of their own.
func (t tree) flatten(path string, at Pos, key string, all *[]setting) (environments []Block) {
	switch {
	case t.value != nil:
		*all = append(*all, setting{path: path, Entry: Entry{Key: key, KeyAt: at, Value: *t.value}})
	case key == "environment" || key == "env":
		return environment(t)
	case t.items != nil && t.scalars():
		v := Value{Kind: Text, Text: t.joined(), Source: t.joined(), At: t.at}
		*all = append(*all, setting{path: path, Entry: Entry{Key: key, KeyAt: at, Value: v}})
	case t.items != nil:
		for i, item := range t.items {
			environments = append(environments, item.flatten(join(path, "["+strconv.Itoa(i)+"]"), item.at, "", all)...)
		}
	}
	for _, f := range t.fields {
		environments = append(environments, f.node.flatten(join(path, f.key), f.at, f.key, all)...)
	}
	return environments
}

// scalars reports whether a list is one of texts: bootstrap servers, assignors.
func (t tree) scalars() bool {
	for _, item := range t.items {
		if item.value == nil || item.value.Kind == Computed {
			return false
		}
	}
	return len(t.items) > 0
}

func (t tree) joined() string {
	texts := make([]string, len(t.items))
	for i, item := range t.items {
		texts[i] = item.text()
	}
	return strings.Join(texts, ",")
}

// under are the settings of a mapping whose place says that all of them are Kafka's.
func (t tree) under() []Entry {
	var all []setting
	t.flatten("", Pos{}, "", &all)
	entries := make([]Entry, len(all))
	for i, s := range all {
		entries[i] = s.Entry
		entries[i].Key = s.path
	}
	return entries
}

// strimzi knows the resources of the Strimzi operator, which have settings below "config".
func (t tree) strimzi(h hints) ([]Block, bool) {
	if !strings.HasPrefix(t.get("apiVersion").text(), "kafka.strimzi.io/") {
		return nil, false
	}
	spec := t.get("spec")
	var config tree
	var client string
	switch t.get("kind").text() {
	case "Kafka":
		config, client = spec.get("kafka").get("config"), "broker"
	case "KafkaTopic":
		config, client = spec.get("config"), "topic"
	case "KafkaConnect":
		found := spec.get("config").blocks(h)
		for i := range found {
			if found[i].Client == "" {
				found[i].Client = "java"
			}
		}
		return found, true
	}
	if len(config.fields) == 0 {
		return nil, true
	}
	return []Block{{Client: client, At: config.fields[0].at, Entries: config.under()}}, true
}
