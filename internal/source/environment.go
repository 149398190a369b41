package source

import (
	"slices"
	"strings"
)

// environment reads the variables of a container of a broker: images of Kafka take their
// settings from KAFKA_LOG_DIRS, those of Bitnami from KAFKA_CFG_LOG_DIRS. A container of
// anything else has variables that only its own program knows.
func environment(t tree) []Block {
	b := Block{Client: "broker", At: t.at}
	broker := false
	for _, v := range variables(t) {
		name, ok := variableSetting(v.Key)
		if !ok {
			continue
		}
		v.Key = name
		broker = broker || slices.Contains(brokerNames(), name)
		b.Entries = append(b.Entries, v)
	}
	if !broker {
		return nil
	}
	return []Block{b}
}

// variables reads the three ways to write them: a mapping, a list of NAME=VALUE, and
// Kubernetes' list of name and value.
func variables(t tree) []Entry {
	var all []Entry
	for _, f := range t.fields {
		if f.node.value != nil {
			all = append(all, Entry{Key: f.key, KeyAt: f.at, Value: *f.node.value})
		}
	}
	for _, item := range t.items {
		if name, value := item.get("name"), item.get("value"); name.value != nil && value.value != nil {
			all = append(all, Entry{Key: name.text(), KeyAt: name.at, Value: *value.value})
		}
		if name, value, ok := strings.Cut(item.text(), "="); ok {
			all = append(all, Entry{Key: name, KeyAt: item.at, Value: scalar(value, value, item.at)})
		}
	}
	return all
}

// variableSetting is the setting behind a variable: "___" is "_", "__" is "-", "_" is ".".
// What the scripts of the images take for themselves is none.
func variableSetting(name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, "KAFKA_CFG_")
	if !ok {
		rest, ok = strings.CutPrefix(name, "KAFKA_")
	}
	if !ok || slices.ContainsFunc(scriptVariables(), func(p string) bool { return strings.HasPrefix(rest, p) }) {
		return "", false
	}
	r := strings.NewReplacer("___", "_", "__", "-", "_", ".")
	return strings.ToLower(r.Replace(rest)), true
}

func scriptVariables() []string {
	return []string{"HEAP_OPTS", "OPTS", "JMX", "JVM", "LOG4J", "GC_", "TOOLS", "CREATE_TOPICS", "CLUSTER_ID", "KRAFT", "CLIENT", "DEBUG", "CERTIFICATE", "TLS_"}
}
