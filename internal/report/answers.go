package report

import (
	"fmt"
	"slices"
	"strings"

	"kcompare/internal/config"
	"kcompare/internal/evidence"
)

// answerTable is what the trials of a variant found out beside counts, a line for
// each question and a column for each client.
func answerTable(v variant) table {
	t := table{corner: "ANSWER", columns: clientNames(v), words: true, upright: true, labelWidth: labelColumn, cellWidth: figureColumn}
	for _, q := range questions(v) {
		t.rows = append(t.rows, answerRow(v, q))
	}
	return t
}

const measuredMark = " (measured)"

func answerRow(v variant, q question) row {
	r := row{label: word(q.text)}
	if q.measured {
		r.label.text += measuredMark
	}
	for _, c := range v.clients {
		r.cells = append(r.cells, answerCell(c, q.text))
	}
	return r
}

// question is one that some trial of a variant answers.
type question struct {
	text     string
	measured bool
}

func questions(v variant) []question {
	var all []question
	for _, t := range filter(v.trials(), counted) {
		for _, a := range t.Answers {
			all = append(all, question{a.Question, a.Measured})
		}
	}
	return distinct(all, func(q question) question { return q })
}

// answerCell is a client's answer, and every other one that a repeat gave.
func answerCell(c client, q string) span {
	given, broken := answersOf(c, q)
	_, setting := config.Lookup(q)
	cell := span{text: "-", name: setting} // "none" of compression.type is a value, no word
	if len(given) > 0 {
		cell.text = strings.Join(given, " or ")
	}
	if verdict, _ := c.verdict(); broken && verdict == evidence.Violated {
		cell.mark = bad
	}
	return cell
}

// answersOf is what the client's trials answered, each once; broken says whether one
// was not what the claim says.
func answersOf(c client, q string) (given []string, broken bool) {
	for _, t := range filter(c.trials, counted) {
		for _, a := range t.Answers {
			if a.Question != q || a.Answer == "" {
				continue
			}
			given = append(given, a.Answer)
			broken = broken || !a.Measured && a.Expected != "" && a.Answer != a.Expected
		}
	}
	return distinct(given, func(s string) string { return s }), broken
}

// manyDifferences is how many answers are named before the rest is only counted: they
// stand in the variant's own table.
const manyDifferences = 6

// answerDifferences names the questions that clients answered differently. What is
// measured always differs.
func answerDifferences(v variant) []string {
	var found []difference
	for _, q := range questions(v) {
		d := difference{about: q.text}
		for _, c := range v.clients {
			if given, _ := answersOf(c, q.text); len(given) > 0 {
				d.shares = append(d.shares, share{c.name, fmt.Sprintf("%q", strings.Join(given, " or "))})
			}
		}
		if !q.measured {
			found = append(found, d)
		}
	}
	out := tell(found, len(v.clients))
	if more := len(out) - manyDifferences; more > 0 {
		out = append(slices.Clone(out[:manyDifferences]), fmt.Sprintf("%d more in its table", more))
	}
	return out
}
