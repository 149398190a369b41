package workbook

import (
	"slices"
	"strings"

	"kcompare/internal/config"
)

// What a client is built on, as far as it does not follow from the tables of settings. A
// test holds both to go.mod and to the clients that are shipped.
const (
	confluentGo     = "v2.11.1"
	confluentPython = "2.16.1"
)

// library is one whose settings and defaults are known from the library itself.
type library struct {
	client  string // by the names of docs/contract.md
	told    string // the client of package explain that has the same settings
	table   string // of package config: name and version
	version string
	title   string // with the exact version
}

// libraries are those whose defaults are known, in the order of columns. explained are the
// ones that package explain can tell about.
func libraries() []library {
	newest := func(client, told, table string) library {
		v := config.Newest(table).Name
		return library{client, told, table, v, table + " " + v}
	}
	python := newest("python", "librdkafka", "librdkafka")
	python.title = "confluent-kafka " + confluentPython + " (librdkafka " + python.version + ")"
	golang := library{"librdkafka", "librdkafka", "librdkafka", confluentGo[1:], "confluent-kafka-go " + confluentGo + " (librdkafka " + confluentGo[1:] + ")"}
	return []library{
		newest("franz", "franz", "franz-go"), golang, python, newest("java", "java", "kafka-clients"),
		newest("kafka-python", "", "kafka-python"), newest("aiokafka", "", "aiokafka"),
	}
}

func explained() []library {
	return slices.DeleteFunc(libraries(), func(l library) bool { return l.told == "" })
}

// librariesOf are those that a block asks for, out of the ones that its kind can tell of;
// of the clients of the manifest the others are left out.
func librariesOf(b Block, m Manifest, all []library) ([]library, error) {
	known := distinct(all, func(l library) string { return l.client })
	named := listOf(b, "clients", ",")
	for i, name := range named {
		switch {
		case !slices.Contains(known, name):
			return nil, wrongName("clients", "client", name, known)
		case slices.Contains(named[:i], name):
			return nil, attributeError("clients", "%s stands there twice", name)
		}
	}
	chosen := named
	if len(named) == 0 {
		chosen = m.Clients
	}
	var found []library
	for _, name := range chosen {
		if i := slices.Index(known, name); i >= 0 {
			found = append(found, all[i])
		}
	}
	if len(found) == 0 {
		return nil, attributeError("clients", "is missing, and kcompare.yaml names none that this kind can tell of: expected some of %s", strings.Join(known, ", "))
	}
	return found, nil
}
