package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kcompare/internal/fault"
	"kcompare/internal/proxy"
	"kcompare/internal/report"
)

// proxySchema is that of the summary as JSON.
const proxySchema = "kcompare/proxy/v1"

// proxySummary is all that a proxy saw, in counts.
type proxySummary struct {
	Command   string        `json:"command"`
	Schema    string        `json:"schema"`
	Kcompare  string        `json:"kcompare"`
	Bootstrap string        `json:"bootstrap"` // where clients connected
	Servers   []string      `json:"servers"`   // of the cluster behind
	Seed      int64         `json:"seed"`
	Requests  []requestsRow `json:"requests"`
	Rules     []ruleRow     `json:"rules"`
	Lowered   []string      `json:"lowered"`  // API versions that clients were not told of
	Problems  []string      `json:"problems"` // traffic that the proxy could not read, faults that could not happen
}

// requestsRow is what one client asked of one API, and what was done to it.
type requestsRow struct {
	Client   string                 `json:"client"` // client.id
	API      string                 `json:"api"`
	Requests int64                  `json:"requests"`
	Faults   map[fault.Action]int64 `json:"faults"`
}

// ruleRow is what became of one rule.
type ruleRow struct {
	Rule       string       `json:"rule"`
	Action     fault.Action `json:"action"`
	API        string       `json:"api"`
	Fired      int64        `json:"fired"`
	Collateral int64        `json:"collateral"` // answers to other requests that were lost with a connection
}

// sumUp prints the summary. The error is exit code 4 where something could not be
// read.
func (o *proxyOptions) sumUp(bootstrap string, plan fault.Plan, seen proxy.Observed, log *proxyLog) error {
	doc := proxySummary{
		Command: "proxy", Schema: proxySchema, Kcompare: Version,
		Bootstrap: bootstrap, Servers: o.servers, Seed: o.seed,
		Requests: requestRows(seen.ByClient, log.hits), Rules: ruleRows(plan, seen),
		Lowered: append([]string{}, seen.Lowered...), Problems: append([]string{}, seen.Problems...),
	}
	out := output{format: o.format}
	if err := out.writeTables(o.state, doc, doc.tables()...); err != nil {
		return err
	}
	if len(doc.Problems) > 0 {
		return finish(exitUnproven)
	}
	return nil
}

func requestRows(byClient map[string]map[string]int64, hits map[hitKey]int64) []requestsRow {
	rows := []requestsRow{}
	for client, apis := range byClient {
		for api, n := range apis {
			rows = append(rows, requestsRow{Client: client, API: api, Requests: n, Faults: map[fault.Action]int64{}})
		}
	}
	for hit, n := range hits {
		if _, known := byClient[hit.client]; !known {
			hit.client = proxy.OtherClients
		}
		for i := range rows {
			if rows[i].Client == hit.client && rows[i].API == hit.api {
				rows[i].Faults[hit.action] += n
			}
		}
	}
	slices.SortFunc(rows, func(a, b requestsRow) int {
		return cmp.Or(strings.Compare(a.Client, b.Client), strings.Compare(a.API, b.API))
	})
	return rows
}

func ruleRows(plan fault.Plan, seen proxy.Observed) []ruleRow {
	rows := []ruleRow{}
	for _, r := range plan {
		rows = append(rows, ruleRow{Rule: r.Name, Action: r.Action, API: r.Select.API, Fired: seen.Hits[r.Name], Collateral: seen.Collateral[r.Name]})
	}
	return rows
}

func (s proxySummary) tables() []report.Table {
	all := []report.Table{s.requestTable()}
	if len(s.Rules) > 0 {
		all = append(all, s.ruleTable())
	}
	for _, about := range []struct {
		title string
		notes []string
	}{
		{"hidden from clients, because kcompare does not know these versions", s.Lowered},
		{"problems", s.Problems},
	} {
		if len(about.notes) > 0 {
			all = append(all, report.Table{Title: about.title, Notes: about.notes})
		}
	}
	return all
}

func (s proxySummary) requestTable() report.Table {
	t := report.Table{
		Title:   "requests",
		Columns: []report.Column{{Name: "client"}, {Name: "API"}, {Name: "requests", Figure: true}, {Name: "faults"}},
	}
	for _, r := range s.Requests {
		var faults []string
		for _, action := range slices.Sorted(maps.Keys(r.Faults)) {
			faults = append(faults, fmt.Sprintf("%s %d", action, r.Faults[action]))
		}
		t.Rows = append(t.Rows, []string{cmp.Or(r.Client, "(no client.id)"), r.API, fmt.Sprint(r.Requests), strings.Join(faults, ", ")})
	}
	if len(s.Requests) == 0 {
		t.Notes = []string{"none: no client connected to " + s.Bootstrap}
	}
	return t
}

func (s proxySummary) ruleTable() report.Table {
	t := report.Table{
		Title: "faults",
		Columns: []report.Column{
			{Name: "rule"}, {Name: "action"}, {Name: "API"}, {Name: "fired", Figure: true}, {Name: "collateral", Figure: true},
		},
	}
	for _, r := range s.Rules {
		t.Rows = append(t.Rows, []string{r.Rule, string(r.Action), r.API, fmt.Sprint(r.Fired), fmt.Sprint(r.Collateral)})
	}
	return t
}
