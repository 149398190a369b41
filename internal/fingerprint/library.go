package fingerprint

import (
	"strings"

	"kcompare/internal/evidence"
)

// Library is what a client calls itself in ApiVersions (KIP-511), and which library that
// is by kcompare's names. The zero value is a client that says nothing.
type Library struct {
	Software string // client.software.name
	Version  string // client.software.version

	Client string // by the names of docs/contract.md; "" for one that is not known

	// Catalogue and CatalogueVersion are the names of config.Version: what its settings
	// and defaults are those of.
	Catalogue, CatalogueVersion string
}

// String is what the client said, or that it said nothing.
func (l Library) String() string {
	if l.Software == "" {
		return "a library that does not say its name"
	}
	return strings.TrimSpace(l.Software + " " + l.Version)
}

// libraryIn reads it out of a request, the zero value where it does not say.
func libraryIn(e evidence.Exchange) Library {
	name := e.Fields["client_software_name"]
	if e.API != "ApiVersions" || name == "" {
		return Library{}
	}
	return identify(name, e.Fields["client_software_version"])
}

// identify knows the names that libraries give themselves. Bindings of librdkafka say
// its version behind their own: 2.16.1-rdkafka-2.16.0.
func identify(name, version string) Library {
	l := Library{Software: name, Version: version}
	own, carried, carries := strings.Cut(version, "rdkafka-")
	switch name {
	case "kgo":
		l.Client, l.Catalogue, l.CatalogueVersion = "franz", "franz-go", own
	case "librdkafka":
		l.Client, l.Catalogue, l.CatalogueVersion = "librdkafka", "librdkafka", strings.TrimPrefix(own, "v")
	case "confluent-kafka-go":
		l.Client = "librdkafka"
	case "confluent-kafka-python":
		l.Client = "python"
	case "apache-kafka-java":
		l.Client, l.Catalogue, l.CatalogueVersion = "java", "kafka-clients", own
	case "kafka-python", "aiokafka", "sarama", "kafkajs":
		l.Client, l.Catalogue, l.CatalogueVersion = name, name, own
	}
	if carries {
		l.Catalogue, l.CatalogueVersion = "librdkafka", strings.TrimPrefix(carried, "v")
	}
	return l
}
