package config

import (
	"embed"
	"fmt"
	"strings"
)

// defaultsTSV has a file for each library version, NAME-VERSION.tsv: what it does where
// nothing is set, in canonical names and librdkafka's spelling, as far as it shows on the
// wire. Scenario defaults proves each of them, or measures it where it is a time or size.
//
//go:embed defaults/*.tsv
var defaultsTSV embed.FS

const defaultsColumns = "key\tapplies\tdefault"

// Defaults is what a client of that role does where nothing is set: setting to value.
// It is nil for a library or version that nobody has measured.
func Defaults(library, version string, role Role) map[string]string {
	table, err := defaultsTSV.ReadFile("defaults/" + library + "-" + version + ".tsv")
	if err != nil {
		return nil
	}
	all, err := parseDefaults(string(table), role)
	if err != nil {
		panic(err) // a defect of this package, which its tests find
	}
	return all
}

func parseDefaults(table string, role Role) (map[string]string, error) {
	head, body, _ := strings.Cut(table, "\n")
	if head != defaultsColumns {
		return nil, fmt.Errorf("read defaults: line 1: expected the columns %q", defaultsColumns)
	}
	all := map[string]string{}
	line := 1
	for row := range strings.Lines(body) {
		line++
		f := strings.Split(strings.TrimSuffix(row, "\n"), "\t")
		if len(f) != 3 {
			return nil, fmt.Errorf("read defaults: line %d: expected 3 columns, found %d", line, len(f))
		}
		if (Setting{Applies: f[1]}).For(role) {
			if _, twice := all[f[0]]; twice {
				return nil, fmt.Errorf("read defaults: line %d: %s stands here a second time", line, f[0])
			}
			all[f[0]] = f[2]
		}
	}
	return all, nil
}
