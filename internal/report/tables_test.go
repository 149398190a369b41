package report_test

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/report"
)

func tables() []report.Table {
	return []report.Table{
		{
			Title:   "requests",
			Columns: []report.Column{{Name: "client"}, {Name: "requests", Figure: true}, {Name: "faults"}},
			Rows:    [][]string{{"rd|kafka", "12", "drop-response 3"}, {"a\x1b[31m", "1234", ""}},
		},
		{Columns: []report.Column{{Name: "topic"}}, Notes: []string{"no topic_s_"}},
	}
}

func TestTables(t *testing.T) {
	for _, tt := range []struct {
		name  string
		write func(io.Writer, ...report.Table) error
		want  string
	}{
		{"text", report.TextTables, `requests
client    requests  faults
rd|kafka        12  drop-response 3
a?[31m        1234

no topic_s_
`},
		{"markdown", report.MarkdownTables, `## requests

| client | requests | faults |
|---|--:|---|
| rd\|kafka | 12 | drop-response 3 |
| a?\[31m | 1234 | |

no topic_s\_
`},
	} {
		var b strings.Builder
		if err := tt.write(&b, tables()...); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, b.String()); diff != "" {
			t.Errorf("%s: -want +got:\n%s", tt.name, diff)
		}
	}
}

// TestWidth: cells and notes are broken between words, the widest column first; what has
// no blank stays whole.
func TestWidth(t *testing.T) {
	table := report.Table{
		Width:   36,
		Columns: []report.Column{{Name: "client"}, {Name: "default"}, {Name: "n", Figure: true}},
		Rows:    [][]string{{"franz-go v1.22.3", "1 (fixed 5 with idempotence)", "12"}, {"a", "fits", "3"}},
		Notes:   []string{"a note that is too long for one line of the text", "short"},
	}
	want := `client           default           n
franz-go         1 (fixed 5 with  12
v1.22.3          idempotence)
a                fits              3
a note that is too long for one
  line of the text
short
`
	var b strings.Builder
	if err := report.TextTables(&b, table); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
