package install

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Shipped is a client whose program comes with kcompare, or a version of one that is
// built in, as a process of its own.
type Shipped struct {
	Name     string // as --client has it: "kafkajs"
	Language string // "JavaScript"
	Package  string // of its registry: "kafkajs", "confluent-kafka"
	Version  string // that is pinned; empty: there is none, and a version has to be named
	Needs    string // on this machine: "Node 18 or later, with npm"

	library     string // as its program calls it in hello
	told        bool   // its program says Version; otherwise that of a library below it
	environment environment
}

// Catalogue lists the clients whose programs are shipped, in the order of reports.
func Catalogue() []Shipped {
	return []Shipped{
		{
			Name: "python", Language: "Python", Package: "confluent-kafka", Version: "2.16.1", Needs: needsPython,
			library: "librdkafka", environment: python{"confluent-kafka"},
		},
		{
			Name: "java", Language: "Java", Package: "org.apache.kafka:kafka-clients", Version: "4.4.0", Needs: needsJava,
			library: "kafka-clients", told: true, environment: java{},
		},
		{
			Name: "kafkajs", Language: "JavaScript", Package: "kafkajs", Version: "2.2.4", Needs: anyNode.needs(),
			library: "kafkajs", told: true, environment: node{oldest: anyNode},
		},
		{
			Name: "kafka-python", Language: "Python", Package: "kafka-python", Version: "3.0.12", Needs: needsPython,
			library: "kafka-python", told: true, environment: python{"kafka-python"},
		},
		{
			Name: "aiokafka", Language: "Python", Package: "aiokafka", Version: "0.14.0", Needs: needsPython,
			library: "aiokafka", told: true, environment: python{"aiokafka", "async-timeout", "packaging", "typing-extensions"},
		},
		{
			Name: "platformatic", Language: "JavaScript", Package: "@platformatic/kafka", Version: "2.12.1", Needs: newNode.needs(),
			library: "@platformatic/kafka", told: true, environment: node{oldest: newNode},
		},
	}
}

// builtIn are the clients that kcompare has in itself, of which the user's go builds
// other versions.
func builtIn() []Shipped {
	return []Shipped{
		{
			Name: "franz", Language: "Go", Package: "github.com/twmb/franz-go", Needs: needsGo,
			library: "franz-go", told: true, environment: golang{room: "franz", driver: "franz.New()", old: beforeFranz122, oldTag: "franz_before_1_22"},
		},
		{
			Name: "librdkafka", Language: "Go", Package: "github.com/confluentinc/confluent-kafka-go/v2", Needs: needsGo + ", and a C compiler",
			library: "librdkafka", environment: golang{room: "librdkafka", driver: "librdkafka.New()", fallible: true, cgo: true},
		},
		{
			Name: "sarama", Language: "Go", Package: "github.com/IBM/sarama", Needs: needsGo,
			library: "sarama", told: true, environment: golang{room: "sarama", driver: "sarama.New()"},
		},
	}
}

// Named is a client in one version.
type Named struct {
	Shipped

	Given string // as it was asked for: "python", "python@2.11.1"
	of    string // the version
}

// Folder is its name in the cache: "python@2.16.1".
func (n Named) Folder() string { return n.Name + "@" + n.of }

// pinned says whether there is a lock file for it.
func (n Named) pinned() bool { return n.of == n.Version }

// How says in one line how to get it.
func (n Named) How() string { return "kcompare clients install " + n.Given }

// version is what a program is asked to say of itself; empty where nobody knows it
// before.
func (n Named) version() string {
	if n.told {
		return n.of
	}
	return ""
}

var (
	plainVersion = regexp.MustCompile(`^[0-9]+(\.[0-9A-Za-z+_-]+)*$`)
	goVersion    = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$`)
)

// Parse reads NAME or NAME@VERSION. The error of an unknown name is ErrUnknown; others
// say what is wrong with the version.
func Parse(text string) (Named, error) {
	name, version, hasVersion := strings.Cut(text, "@")
	if hasVersion && version == "" {
		return Named{}, fmt.Errorf("%s: expected a version behind the @", text)
	}
	all := slices.Concat(Catalogue(), builtIn())
	i := slices.IndexFunc(all, func(s Shipped) bool { return s.Name == name })
	if i < 0 {
		return Named{}, ErrUnknown
	}
	n := Named{Shipped: all[i], Given: text, of: cmp.Or(version, all[i].Version)}
	_, isGo := n.environment.(golang)
	switch {
	case !hasVersion && n.Version == "":
		return n, fmt.Errorf("%s is built in: name another version of %s, as %s@v1.2.3", name, n.Package, name)
	case isGo && !goVersion.MatchString(n.of):
		return n, fmt.Errorf("%s: expected a version as go has it, as %s@v1.2.3", text, name)
	case !isGo && !plainVersion.MatchString(n.of):
		return n, fmt.Errorf("%s: expected a version such as %s@%s", text, name, n.Version)
	}
	return n, nil
}
