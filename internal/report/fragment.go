package report

import (
	"fmt"
	"slices"
	"strings"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
)

// A fragment is a part of a report as a block of a page has it: markdown without a heading,
// made by what makes the whole report, and without a line break at its end.

// fragment says a section in the printer's language and lays out what stands below its
// heading.
func fragment(in lang.Printer, s section) string {
	m := &markdown{in: in}
	m.body(topLevel, saySection(in, s))
	return strings.TrimSuffix(m.out.String(), "\n")
}

// Compare is a table of the trials of one scenario: a line for each row, a column for each
// client in each variant; where these are many it is turned. Rows are named as RowNames
// says, or by the question of an answer; without any it has those that help to judge. The
// error is an *UnknownRow.
func Compare(in lang.Printer, trials []evidence.Trial, rows []string) (string, error) {
	all := variants(trials)
	if len(rows) == 0 {
		rows = append(helpful(all, comparedRows()), rowVerdict)
	}
	t, err := comparison(all, rows, labelOf)
	if err != nil {
		return "", err
	}
	return fragment(in, section{table: t}), nil
}

// Results is the table METRIC and VALUE of one trial, its rows chosen as for Compare and
// called what learners know them as. The error is an *UnknownRow.
func Results(in lang.Printer, trial evidence.Trial, rows []string) (string, error) {
	all := variants([]evidence.Trial{trial})
	if len(rows) == 0 {
		rows = append(helpful(all, lessonRows()), rowElapsed, rowVerdict)
	}
	t, err := comparison(all, rows, lessonLabel)
	if err != nil {
		return "", err
	}
	t.corner, t.columns = "METRIC", []string{"VALUE"}
	return fragment(in, section{table: t}), nil
}

// Answers is what the trials of one variant found out beside counts: a line for each
// question, a column for each client. The corner says what the questions are.
func Answers(in lang.Printer, trials []evidence.Trial, corner string) string {
	t := answerTable(variant{clients: clientsIn(trials)})
	t.corner = corner
	return fragment(in, section{answers: t})
}

func clientsIn(trials []evidence.Trial) []client {
	var all []client
	for _, name := range distinct(trials, clientName) {
		all = append(all, client{name: name, trials: filter(trials, func(t evidence.Trial) bool { return t.Client == name })})
	}
	return all
}

// Differences is where clients did not do the same, as the report says it. It needs trials
// of two clients.
func Differences(in lang.Printer, doc evidence.Document) string {
	return fragment(in, differences(scenarios(doc.Trials), len(distinct(doc.Trials, clientName))))
}

// Verdicts is a table of variants: the kind and the claim of each, and what became of it on
// every client. Below it stands why a verdict is not holds.
func Verdicts(in lang.Printer, doc evidence.Document) string {
	all := scenarios(doc.Trials)
	s := section{table: verdicts(all, true)}
	for _, one := range all {
		for _, v := range one.variants {
			where := v.name
			if len(all) > 1 {
				where = one.name + " " + v.name
			}
			if why := findings(v); len(why.entries) > 0 {
				why.title = phrase{name(where)}
				s.lists = append(s.lists, why)
			}
		}
	}
	return fragment(in, s)
}

// Errors is a table of what the program was refused: a line for each call that failed, a
// column for each client with the codes that it told and the classes that it took them for.
func Errors(in lang.Printer, doc evidence.Document) string {
	s := section{table: errorTable(scenarios(doc.Trials))}
	if len(s.table.rows) == 0 {
		s.note = say("No call failed.")
	}
	if note := brokerNote(brokerRows(doc.Trials)); note != "" {
		s.lists = []list{{title: say(note)}}
	}
	return fragment(in, s)
}

// Versions lists the clients with their exact libraries, and the brokers, of documents that
// were made on several.
func Versions(in lang.Printer, docs ...evidence.Document) string {
	var trials []evidence.Trial
	var brokers []string
	for _, doc := range docs {
		trials = append(trials, doc.Trials...)
		brokers = append(brokers, doc.Broker.Software+", "+once(doc.Broker.Nodes).plural("node"))
	}
	l := libraries(trials)
	for _, broker := range distinct(brokers, func(b string) string { return b }) {
		l.entries = append(l.entries, entry{term: word("broker"), text: say(broker)})
	}
	return fragment(in, section{lists: []list{l}})
}

// Rows of Compare and Results that are no metric.
const (
	rowVerdict = "verdict"
	rowElapsed = "elapsed" // a measure
	rowAnswers = "answers" // every question that the trials answer, a line each
)

// RowNames lists the rows that any trial has; the questions of answers are beside them.
func RowNames() []string {
	var names []string
	for _, m := range evidence.Metrics() {
		names = append(names, string(m))
	}
	return append(names, rowVerdict, rowElapsed, rowAnswers)
}

// UnknownRow is a row that is neither in RowNames nor a question of the trials.
type UnknownRow struct {
	Name  string
	Known []string
}

func (e *UnknownRow) Error() string {
	return fmt.Sprintf("unknown row %q: expected some of %s", e.Name, strings.Join(e.Known, ", "))
}

// helpful names the rows that help to judge any of the variants.
func helpful(all []variant, measures []measure) []string {
	var names []string
	for _, m := range measures {
		if slices.ContainsFunc(all, func(v variant) bool { return m.helps(v, m.metric) }) {
			names = append(names, string(m.metric))
		}
	}
	return names
}

// comparison has variants side by side, each with its clients.
func comparison(all []variant, rows []string, called func(evidence.Metric) string) (table, error) {
	t := table{columns: columnNames(all)}
	t.fixed = len(t.columns) // none of them is joined with another: it is a variant's, too
	for _, name := range rows {
		lines, words, err := linesOf(all, name, called)
		if err != nil {
			return t, err
		}
		t.words = t.words || words
		for _, l := range lines {
			t.rows = append(t.rows, across(all, l))
		}
	}
	if len(t.columns) > mostColumns && len(t.rows) <= len(t.columns) {
		words := t.words
		t = t.turned()
		t.fixed, t.words = len(t.columns), words
	}
	return t, nil
}

// columnNames says of each client and variant what tells it apart from the others.
func columnNames(all []variant) []string {
	short := shortened(all)
	var names []string
	for i, v := range all {
		for _, c := range clientNames(v) {
			switch {
			case len(all) == 1:
				names = append(names, c)
			case len(v.clients) == 1:
				names = append(names, short[i])
			default:
				names = append(names, c+", "+short[i])
			}
		}
	}
	return names
}

// shortened is the names of variants without the pairs that all of them have; one that has
// no other keeps its whole name.
func shortened(all []variant) []string {
	var names []string
	for _, v := range all {
		own := filter(strings.Split(v.name, ","), func(pair string) bool {
			return slices.ContainsFunc(all, func(other variant) bool { return !slices.Contains(strings.Split(other.name, ","), pair) })
		})
		if len(own) == 0 {
			names = append(names, v.name)
			continue
		}
		names = append(names, strings.Join(own, ","))
	}
	return names
}

// line is a row of one variant.
type line func(variant) row

// across is a line of all variants, one after the other.
func across(all []variant, l line) row {
	var r row
	for _, v := range all {
		own := l(v)
		r.label = own.label
		r.cells = append(r.cells, own.cells...)
	}
	return r
}

// linesOf finds what a row is named after; words says that its cells are no figures.
func linesOf(all []variant, name string, called func(evidence.Metric) string) (lines []line, words bool, err error) {
	asked := questionsOf(all)
	switch i := slices.IndexFunc(asked, func(q question) bool { return q.text == name }); {
	case name == rowVerdict:
		return []line{verdictRow}, false, nil
	case name == rowElapsed:
		return []line{measuredElapsed}, false, nil
	case name == rowAnswers:
		for _, q := range asked {
			lines = append(lines, answerLine(q))
		}
		return lines, true, nil
	case slices.Contains(evidence.Metrics(), evidence.Metric(name)):
		m := measure{metric: evidence.Metric(name), label: called(evidence.Metric(name))}
		return []line{func(v variant) row { return countRow(v, m) }}, false, nil
	case i >= 0:
		return []line{answerLine(asked[i])}, true, nil
	}
	known := RowNames()
	for _, q := range asked {
		known = append(known, q.text)
	}
	return nil, false, &UnknownRow{Name: name, Known: known}
}

func questionsOf(all []variant) []question {
	var asked []question
	for _, v := range all {
		asked = append(asked, questions(v)...)
	}
	return distinct(asked, func(q question) question { return q })
}

func answerLine(q question) line { return func(v variant) row { return answerRow(v, q) } }

func measuredElapsed(v variant) row {
	r := elapsedRow(v)
	r.label.text += measuredMark
	return r
}

// labelOf is what a metric is called where clients stand side by side.
func labelOf(m evidence.Metric) string {
	return labelIn(slices.Concat(comparedRows(), lessonRows()), m)
}

// lessonLabel is what it is called where one client is alone.
func lessonLabel(m evidence.Metric) string {
	return labelIn(slices.Concat(lessonRows(), comparedRows()), m)
}

func labelIn(rows []measure, m evidence.Metric) string {
	for _, known := range rows {
		if known.metric == m {
			return known.label
		}
	}
	return "Produce requests" // evidence.ProduceRequests is in no table of the report
}
