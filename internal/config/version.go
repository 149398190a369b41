package config

import (
	"embed"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Version is one version of a library whose settings are known from the library itself:
// a file of versions/, LIBRARY-VERSION.tsv, dumped by it and held to it by a test. The
// programs that dump are in versions/dump; each says how.
type Version struct {
	Library string // "librdkafka", "franz-go", "kafka-clients", "kafka-python", "aiokafka", "kafka-broker", "kafka-topic"
	Name    string // "2.11.1"

	properties []Property
}

// Property is one setting as one version of a library has it, by the library's own name:
// librdkafka's key, kgo's option ("ProducerLinger"), Java's key, a keyword argument.
type Property struct {
	Name    string
	AliasOf string // the name that the library itself prefers; "" for that one
	Applies string // "P" producers, "C" consumers, "A" admin clients, "*" all, or several of P, C, A; "CG" consumers in a group
	Type    Type
	Range   string  // as in Setting; "10ms .. any" of a Duration, as Go writes times; "-" for any
	Min     float64 // of a Duration in milliseconds
	Max     float64
	Words   []string
	Default string // "-" where there is none

	// Application says that its value is code of the application: a callback, a class, an
	// object. No file of settings can have it.
	Application bool

	// Binding is "python" or "go" where the binding to that language takes it: callbacks of
	// confluent-kafka, and the keys that only confluent-kafka-go knows. "" for the library
	// itself.
	Binding string

	Deprecated bool // librdkafka marks it so; the tables of other libraries do not tell
}

// Versions is every version that has a table, sorted by library, the oldest first.
func Versions() []Version { return slices.Clone(loadVersions()) }

// Newest is the newest version of a library that has a table. It panics for a library
// without any, which the programmer named.
func Newest(library string) Version {
	all := loadVersions()
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Library == library {
			return all[i]
		}
	}
	panic("config: no table of settings of library " + library)
}

// Property finds a setting by any name that this version of the library itself knows,
// case-sensitively. Of a setting whose default depends on the kind of client it is the
// first row; see Properties.
func (v Version) Property(name string) (Property, bool) {
	for _, p := range v.properties {
		if p.Name == name {
			return p, true
		}
	}
	return Property{}, false
}

// Properties is all of them by name. A name is there twice where its default, or who may
// set it, depends on the kind of client: Applies tells them apart.
func (v Version) Properties() []Property { return slices.Clone(v.properties) }

//go:embed versions/*.tsv
var versionsTSV embed.FS

// versionColumns is the first line of each table.
const versionColumns = "name\talias-of\tapplies\ttype\trange\tdefault\tapplication\tbinding\tdeprecated"

// loadVersions parses the embedded tables once. One that does not parse is a defect of
// this package which its tests find.
var loadVersions = sync.OnceValue(func() []Version {
	all, err := readVersions()
	if err != nil {
		panic(err)
	}
	return all
})

func readVersions() ([]Version, error) {
	entries, err := versionsTSV.ReadDir("versions")
	if err != nil {
		return nil, err
	}
	var all []Version
	for _, e := range entries {
		table, err := versionsTSV.ReadFile(path.Join("versions", e.Name()))
		if err != nil {
			return nil, err
		}
		v, err := parseVersion(e.Name(), string(table))
		if err != nil {
			return nil, fmt.Errorf("read versions/%s: %w", e.Name(), err)
		}
		all = join(all, v)
	}
	slices.SortFunc(all, func(a, b Version) int {
		if by := strings.Compare(a.Library, b.Library); by != 0 {
			return by
		}
		return slices.Compare(a.numbers(), b.numbers())
	})
	return all, nil
}

// join adds what a binding has to the version that it binds.
func join(all []Version, v Version) []Version {
	for i := range all {
		if all[i].Library == v.Library && all[i].Name == v.Name {
			all[i].properties = append(all[i].properties, v.properties...)
			slices.SortStableFunc(all[i].properties, func(a, b Property) int { return strings.Compare(a.Name, b.Name) })
			return all
		}
	}
	return append(all, v)
}

func (v Version) numbers() []int {
	var all []int
	for part := range strings.SplitSeq(strings.TrimPrefix(v.Name, "v"), ".") {
		n, _ := strconv.Atoi(part) // versionFile has digits alone
		all = append(all, n)
	}
	return all
}

// versionFile is LIBRARY-VERSION.tsv, or LIBRARY-VERSION-go.tsv for what the binding to Go adds.
var versionFile = regexp.MustCompile(`^([a-z-]+)-(v?[0-9]+(?:\.[0-9]+)+)(-go)?\.tsv$`)

func parseVersion(file, table string) (Version, error) {
	parts := versionFile.FindStringSubmatch(file)
	if parts == nil {
		return Version{}, fmt.Errorf("expected LIBRARY-VERSION.tsv")
	}
	v := Version{Library: parts[1], Name: parts[2]}
	head, body, _ := strings.Cut(table, "\n")
	if head != versionColumns {
		return Version{}, fmt.Errorf("line 1: expected the columns %q", versionColumns)
	}
	line := 1
	for row := range strings.Lines(body) {
		line++
		p, err := parseProperty(strings.TrimSuffix(row, "\n"))
		if err != nil {
			return Version{}, fmt.Errorf("line %d: %w", line, err)
		}
		v.properties = append(v.properties, p)
	}
	return v, nil
}

func parseProperty(row string) (Property, error) {
	f := strings.Split(row, "\t")
	if want := strings.Count(versionColumns, "\t") + 1; len(f) != want {
		return Property{}, fmt.Errorf("expected %d columns, found %d", want, len(f))
	}
	p := Property{
		Name: f[0], AliasOf: said(f[1]), Applies: f[2], Type: Type(f[3]), Range: f[4], Default: f[5],
		Application: f[6] == "yes", Binding: said(f[7]), Deprecated: f[8] == "yes",
	}
	var err error
	p.Min, p.Max, p.Words, err = parseRange(p.Type, p.Range)
	if err != nil {
		return Property{}, fmt.Errorf("%s: %w", p.Name, err)
	}
	return p, nil
}

// said is empty for the table's "-".
func said(cell string) string {
	if cell == "-" {
		return ""
	}
	return cell
}
