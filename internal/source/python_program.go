package source

import (
	"embed"

	"kcompare/internal/config"
)

//go:embed pythonreader/*.py
var pythonFiles embed.FS

// pythonMembers is written by dump_members.py beside it.
//
//go:embed pythonreader/members.tsv
var pythonMembers string

// pythonBoot is what Python runs: it takes the modules from the first line of its input,
// because a command line has not the room for them, and no file is written for them.
const pythonBoot = `
import sys
if sys.version_info < (3, 8):
    print("old", sys.version.split()[0])
    sys.exit()
import json, types
lines = sys.stdin.buffer
given = json.loads(lines.readline())
for name, text in given["modules"]:
    made = types.ModuleType(name)
    sys.modules[name] = made
    exec(compile(text, name + ".py", "exec"), made.__dict__)
print("ready", flush=True)
sys.modules["main"].main(given, lines, sys.stdout)
`

// pythonModules are the parts of the reader, each after those that it imports.
var pythonModules = []string{"syntax", "scopes", "names", "values", "follow", "evaluate", "listings", "blocks", "facts",
	"facts_members", "facts_errors", "facts_offsets", "facts_transactions", "facts_delivery", "facts_fork", "facts_names", "main"}

// program is the first line that the helper gets.
type program struct {
	Modules  [][2]string       `json:"modules"`
	Settings map[string]string `json:"settings"` // every name of a setting -> whom it applies to: P, C, *
	Members  string            `json:"members"`  // members.tsv: the names that the packages' classes have
}

func pythonProgram() program {
	p := program{Settings: map[string]string{}}
	for _, name := range pythonModules {
		text, err := pythonFiles.ReadFile("pythonreader/" + name + ".py")
		if err != nil {
			panic(err) // a part of this binary is missing: its tests find that
		}
		p.Modules = append(p.Modules, [2]string{name, string(text)})
	}
	p.Members = pythonMembers
	for _, s := range config.Settings() {
		for _, name := range append([]string{s.Name}, s.Aliases...) {
			p.Settings[name] = s.Applies
		}
	}
	return p
}

// PythonRules are the rules of the facts that are found in Python: package lint judges
// each, and a test there holds its table to them.
func PythonRules() []string {
	return []string{
		"abort-without-seek", "builtin-hash", "client-before-fork", "delivery-report-unread", "except-kafka-error",
		"fatal-not-checked", "member-of-some-versions", "missing-flush", "name-not-imported", "no-such-member",
		"offset-not-next", "raise-kafka-error", "transaction-in-signal-handler", "transaction-without-id", "undefined-name",
	}
}
