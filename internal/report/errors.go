package report

import (
	"fmt"
	"strings"

	"kcompare/internal/evidence"
)

func errorSheet(v variant) sheet {
	return sheet{
		term: "errors", title: "Errors that the program saw",
		columns: []column{{name: "who"}, {name: "call"}, {name: "code", code: true}, {name: "class"}, {name: "times", figure: true}},
	}.tell(v, programErrors)
}

// programErrors is what the library told the program: call, code and class. Texts
// differ from version to version and stay in the document.
func programErrors(c client) []item {
	var items []item
	for _, e := range distinct(allErrors(c), errorKind) {
		times := errorTimes(c.trials, e)
		items = append(items, item{
			about: caller(e),
			text:  fmt.Sprintf("%s %s %s", caller(e), e.codeAndClass(), times.plural("time")),
			cells: []string{e.Who, e.Call, e.Code, e.Class, times.String()},
		})
	}
	return items
}

// seeBrokers stands where a conclusion about a client would be one about the
// embedded broker.
const seeBrokers = "embedded broker: see docs/brokers.md"

// brokerSheet says that errors and requests may be the embedded broker's own.
func brokerSheet(v variant) sheet {
	return sheet{term: "broker", title: "Broker"}.tell(v, func(c client) []item {
		if note := brokerNote(brokerRows(c.trials)); note != "" {
			return plain([]string{note})
		}
		return nil
	})
}

func brokerNote(rows []string) string {
	if len(rows) == 0 {
		return ""
	}
	return seeBrokers + " (" + strings.Join(rows, ", ") + "); errors and requests may be others on Apache Kafka."
}

// errorTable is what every program was refused: a line for each call of each variant that
// failed on any client.
func errorTable(all []scenario) table {
	t := table{corner: "CALL", columns: clientsOf(all), words: true, upright: true}
	many := len(all) > 1 || len(all) == 1 && len(all[0].variants) > 1
	if many {
		t.corner, t.columns, t.fixed = "VARIANT", append([]string{"call"}, t.columns...), 1
	}
	for _, s := range all {
		short := shortened(s.variants)
		for i, v := range s.variants {
			if len(all) > 1 {
				short[i] = s.name + " " + short[i]
			}
			for _, r := range refusals(v, clientsOf(all)) {
				if many {
					r = row{label: word(short[i]), cells: append([]span{r.label}, r.cells...)}
				}
				t.rows = append(t.rows, r)
			}
		}
	}
	return t
}

// refusals is a row for each call of a variant that failed on any client.
func refusals(v variant, clients []string) []row {
	var failed []evidence.ErrorCount
	for _, c := range v.clients {
		failed = append(failed, allErrors(c)...)
	}
	var rows []row
	for _, call := range distinct(failed, callOf) {
		r := row{label: word(call)}
		for _, name := range clients {
			c := v.client(name)
			cell := verdictCell(c)
			if c.ran() {
				cell = word(codesOf(c, call))
			}
			r.cells = append(r.cells, cell)
		}
		rows = append(rows, r)
	}
	return rows
}

// brokerRows is the rows of docs/brokers.md that trials name, each once.
func brokerRows(trials []evidence.Trial) []string {
	var rows []string
	for _, t := range trials {
		rows = append(rows, t.BrokerRows...)
	}
	return distinct(rows, func(row string) string { return row })
}

func allErrors(c client) []evidence.ErrorCount {
	var all []evidence.ErrorCount
	for _, t := range c.trials {
		all = append(all, t.Errors...)
	}
	return all
}

// failure is one kind of error, however it was worded and however often it came.
type failure struct{ Who, Call, Code, Class string }

func errorKind(e evidence.ErrorCount) failure { return failure{e.Who, e.Call, e.Code, e.Class} }

// caller is "commit", or "old instance: commit" in a story of several.
func caller(e failure) string {
	if e.Who == "" {
		return e.Call
	}
	return e.Who + ": " + e.Call
}

func (e failure) codeAndClass() string { return fmt.Sprintf("%s (%s)", e.Code, e.Class) }

// errorTimes counts over repeats; one that never saw the error counts as 0.
func errorTimes(trials []evidence.Trial, kind failure) interval {
	var figures []int64
	for _, t := range trials {
		var n int64
		for _, e := range t.Errors {
			if errorKind(e) == kind {
				n += e.Count
			}
		}
		figures = append(figures, n)
	}
	return over(figures)
}
