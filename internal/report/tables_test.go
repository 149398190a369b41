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

| client    | requests | faults          |
| --------- | -------: | --------------- |
| rd\|kafka |       12 | drop-response 3 |
| a?\[31m   |     1234 |                 |

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
