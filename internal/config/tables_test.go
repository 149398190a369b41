package config

import (
	"flag"
	"strings"
	"testing"

	"kcompare/internal/pagetest"
)

// update writes the tables of versions/ anew: of franz-go and the binding to Go in the
// version of go.mod, of what Python and Java libraries are at hand. See versions/dump.
var update = flag.Bool("update", false, "write the tables of versions/ anew")

// expectTable compares a table of versions/ with what the library has now.
func expectTable(t *testing.T, file string, rows []string) {
	t.Helper()
	table := strings.Join(append([]string{versionColumns}, rows...), "\n") + "\n"
	pagetest.Expect(t, "internal/config/versions/"+file, "go test ./internal/config -run Table -update", table, *update)
}
