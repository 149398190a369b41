package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/evidence"
)

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		name    string
		shares  []share
		clients int
		told    string
		differ  bool
	}{
		{"two", []share{{"a", "1"}, {"b", "2"}}, 2, "a 1, b 2", true},
		{"two alike", []share{{"a", "1"}, {"b", "1"}}, 2, "a and b 1", false},
		{"one stands out", []share{{"a", "1"}, {"b", "2"}, {"c", "1"}}, 3, "b 2, the other two 1", true},
		{"most agree", []share{{"a", "1"}, {"b", "1"}, {"c", "3"}, {"d", "1"}, {"e", "2"}, {"f", "3"}, {"g", "1"}, {"h", "1"}, {"i", "1"}}, 9, "c and f 3, e 2, the other six 1", true},
		{"all differ", []share{{"a", "1"}, {"b", "2"}, {"c", "3"}}, 3, "a 1, b 2, c 3", true},
		{"not everybody is known", []share{{"a", "1"}, {"b", "2"}, {"c", "1"}}, 4, "a and c 1, b 2", true},
		{"two and two", []share{{"a", "1"}, {"b", "2"}, {"c", "1"}, {"d", "2"}}, 4, "a and c 1, b and d 2", true},
		{"half is not most", []share{{"a", "1"}, {"b", "2"}, {"c", "1"}, {"d", "3"}, {"e", "1"}, {"f", "2"}}, 6, "a, c and e 1, b and f 2, d 3", true},
		{"most of those that are known", []share{{"a", "1"}, {"b", "2"}, {"c", "1"}, {"d", "1"}}, 5, "a, c and d 1, b 2", true},
		{"the last of those that are known", []share{{"a", "2"}, {"b", "1"}, {"c", "1"}, {"d", "1"}}, 5, "a 2, b, c and d 1", true},
		{"nobody", nil, 2, "", false},
	} {
		told, differ := compare(c.shares, c.clients)
		if told = strings.ReplaceAll(told, glue, " "); told != c.told || differ != c.differ {
			t.Errorf("%s: %q, %t, want %q, %t", c.name, told, differ, c.told, c.differ)
		}
	}
}

// TestTogether: most clients are "the others" only where all the rest is named beside
// them.
func TestTogether(t *testing.T) {
	clients := func(errors string) variant {
		var v variant
		for i, code := range strings.Split(errors, ",") {
			trial := evidence.Trial{Verdict: evidence.Holds}
			if code != "-" {
				trial.Errors = []evidence.ErrorCount{{Call: "produce", Code: code, Class: "fatal", Count: 1}}
			}
			v.clients = append(v.clients, client{name: fmt.Sprint("c", i), trials: []evidence.Trial{trial}})
		}
		return v
	}
	for _, tt := range []struct {
		errors string
		want   []string
	}{
		{"X,X,X,X,X", []string{"produce X (fatal) 1 time"}},
		{"X,X,Y,X,X", []string{"c2: produce Y (fatal) 1 time", "the other four: produce X (fatal) 1 time"}},
		{"X,X,-,X,X", []string{"c0, c1, c3 and c4: produce X (fatal) 1 time"}},
	} {
		if diff := cmp.Diff(tt.want, errorSheet(clients(tt.errors)).lines()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.errors, diff)
		}
	}
}

// TestRecordDifferences: who alone has something wrong is told with its cause; where all
// have, only figures are compared.
func TestRecordDifferences(t *testing.T) {
	lossy := func(name string, lost int64) client {
		trial := evidence.Trial{
			Verdict: evidence.Holds, Kind: evidence.Promise,
			Counts: evidence.Counts{evidence.Acked: 9, evidence.Unique: 9 - lost, evidence.LostRecords: lost},
		}
		if lost > 0 {
			trial.Verdict = evidence.Violated
			trial.Anomalies = []evidence.Anomaly{{Kind: evidence.Lost, Count: lost - 1, Cause: "A"}, {Kind: evidence.Lost, Count: 1, Cause: "B"}}
		}
		return client{name: name, trials: []evidence.Trial{trial}}
	}
	for _, tt := range []struct {
		name    string
		clients []client
		want    []string
	}{
		{"alone", []client{lossy("a", 0), lossy("b", 3), lossy("c", 0)},
			[]string{"b alone: 3 of 9 acknowledged records are not in the log (2: A; 1: B)"}},
		{"two alike", []client{lossy("a", 3), lossy("b", 3), lossy("c", 0)},
			[]string{"a and b: 3 of 9 acknowledged records are not in the log (2: A; 1: B)"}},
		{"all", []client{lossy("a", 2), lossy("b", 3)}, []string{"unique records: a 7, b 6", "lost: a 2, b 3"}},
		{"nobody", []client{lossy("a", 0), lossy("b", 0)}, nil},
	} {
		got := recordDifferences(variant{clients: tt.clients})
		for i := range got {
			got[i] = strings.ReplaceAll(got[i], glue, " ")
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestGrouped: columns that are no client's never join.
func TestGrouped(t *testing.T) {
	same := row{cells: []span{word("x"), word("x"), word("x"), word("y"), word("x")}}
	got := table{columns: []string{"kind", "a", "b", "c", "d"}, fixed: 1, rows: []row{same}}.grouped()
	if diff := cmp.Diff([]string{"kind", "a, b, d", "c"}, got.columns); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
