package report

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"kcompare/internal/config"
	"kcompare/internal/evidence"
	"kcompare/internal/lang"
)

// Bugs writes a bug report in markdown for each client that violated a variant, and says
// how many it wrote. It is for people who do not know kcompare: versions, steps, what is
// promised, what was seen, and no opinion. Paths and addresses of this machine are left
// out. The error is the writer's.
func Bugs(w io.Writer, doc evidence.Document, in lang.Printer) (int, error) {
	doc, err := withoutPlaces(doc)
	if err != nil {
		return 0, fmt.Errorf("take paths and addresses out of the evidence: %w", err)
	}
	m := &markdown{in: in}
	n := 0
	for _, s := range scenarios(doc.Trials) {
		for _, v := range s.variants {
			for _, c := range v.clients {
				if verdict, _ := c.verdict(); verdict == evidence.Violated {
					newBug(doc, c).write(m)
					n++
				}
			}
		}
	}
	if _, err := io.WriteString(w, m.out.String()); err != nil {
		return 0, fmt.Errorf("write bug report: %w", err)
	}
	return n, nil
}

// bug is what is wrong with one client in one variant: its first repeat that is violated.
type bug struct {
	doc    evidence.Document
	client client
	trial  evidence.Trial
}

func newBug(doc evidence.Document, c client) bug {
	i := slices.IndexFunc(c.trials, func(t evidence.Trial) bool { return t.Verdict == evidence.Violated })
	return bug{doc: doc, client: c, trial: c.trials[i]}
}

// ofTrial is the client as if the trial had been its only one.
func (b bug) ofTrial() client { return client{name: b.client.name, trials: []evidence.Trial{b.trial}} }

func (b bug) write(m *markdown) {
	m.heading(1, span{text: b.library() + ": " + m.in.Say(b.wrong())})
	b.versions(m)
	b.steps(m)
	b.settings(m)
	m.heading(topLevel, m.word("Expected"))
	m.paragraph(m.say(sentence(b.trial.Claim)))
	if b.trial.Kind == evidence.Control {
		m.paragraph(m.say("This is a control: with these settings that is how it has to be, and otherwise the experiment shows nothing."))
	}
	b.seen(m)
	b.story(m)
}

// story is the first anomaly from record to record, of the smallest case where one was
// found.
func (b bug) story(m *markdown) {
	c, of := b.trial.Case, ""
	if s := b.trial.Shrunk; s != nil && s.Case != nil {
		c, of = s.Case, ", in the smallest case"
	}
	if c != nil && len(c.Records) > 0 {
		m.heading(topLevel, m.word("What became of "+c.First+of))
		records(m, c)
	}
	m.heading(topLevel, m.word("On the wire"+of))
	if c == nil {
		m.paragraph(m.say("This evidence holds no requests. kcompare run with --evidence=DIR writes all of a trial into DIR, a line each."))
		return
	}
	wire(m, c)
}

// library is what was tried, by its own name where it has one.
func (b bug) library() string { return cmp.Or(b.trial.Library, b.trial.Client) }

// wrong is "51 of 190 acknowledged records are not in the log".
func (b bug) wrong() string {
	c := b.ofTrial()
	forbidden := found(c, false)
	if len(forbidden) == 0 {
		return strings.Join(b.trial.Reasons[:min(1, len(b.trial.Reasons))], "")
	}
	kind := forbidden[0].kind
	var n int64
	for _, f := range forbidden {
		if f.kind == kind {
			n += f.counts[0]
		}
	}
	return wrongWords(c, kind, over([]int64{n}))
}

// sentence begins with a capital letter and ends with a full stop.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}

func (b bug) versions(m *markdown) {
	m.heading(topLevel, m.word("Versions"))
	broker := b.doc.Broker.Software + ", " + once(b.doc.Broker.Nodes).plural("node")
	if b.doc.Broker.Kind == "embedded" {
		broker += " (a broker written in Go, in the process of kcompare; --broker=kafka plays the same on Apache Kafka)"
	}
	m.list(list{entries: knownEntries([]entry{
		{term: m.word("library"), text: m.say(b.library() + ", as it says itself at run time")},
		{term: m.word("broker"), text: m.say(broker)},
		{term: m.word("system"), text: phrase{name(b.doc.Platform)}},
		{term: m.word("kcompare"), text: phrase{name(b.doc.Kcompare)}},
	})})
}

// knownEntries leaves out what is not known.
func knownEntries(all []entry) []entry {
	return filter(all, func(e entry) bool { return e.text[0].text != "" })
}

// steps is what was done, and the command that does it again.
func (b bug) steps(m *markdown) {
	m.heading(topLevel, m.word("Steps"))
	m.paragraph(m.say("kcompare puts a proxy between the client and the broker, sends records that carry an identity in a header, disturbs requests at points that the seed decides, and reads the log back batch by batch."))
	m.paragraph(m.say(b.trial.About))
	var faults []entry
	for _, f := range b.trial.Faults {
		if f.NotApplicable == "" {
			faults = append(faults, entry{term: m.word(strings.TrimSpace(f.Kind + " " + f.API)), text: m.say(b.fault(f))})
		}
	}
	m.list(list{entries: faults})
	b.command(m, b.again())
	if n := len(b.client.trials); n > 1 {
		_, times := b.client.verdict()
		m.paragraph(m.say(fmt.Sprintf("Seen in %d of %d repeats.", times, n)))
	}
	if s := b.trial.Shrunk; s != nil {
		m.paragraph(m.say(fmt.Sprintf("The smallest case found (%s, seen %d of %d times):", AboutSmallest(s), s.Times, s.Tries)))
		b.command(m, s.Command)
	}
}

func (b bug) command(m *markdown, command string) {
	fence := "```"
	m.block(fence+"sh", printable(command), fence)
}

// fault is what it does, and how often it did.
func (b bug) fault(f evidence.Fault) string {
	does := map[string]string{
		"drop-response":     "the broker has done what was asked, its answer is lost and the connection closed",
		"drop-request":      "the request is lost and the connection closed, the broker never sees it",
		"replace-response":  "the broker has done what was asked, the client gets another answer",
		"answer-instead":    "the client gets an answer, the broker never sees the request",
		"false-ack":         "the client is told that it was written, the broker never sees the request",
		"delay":             "the answer comes late",
		"reset-connection":  "the connection is reset before the broker sees the request",
		"stall":             "no answer comes on the connection any more, requests still reach the broker",
		"half-open":         "neither requests nor answers get through any more, the connection stays up",
		"duplicate-request": "the broker gets the request twice",
		"hold-request":      "the connection closes, the request reaches the broker later",
		"move-leader":       "the partition gets another leader",
		"kill-node":         "the node ends as in a crash",
	}[f.Kind]
	times := fmt.Sprintf("%d times", f.Fired)
	if f.Fired == 1 {
		times = "once"
	}
	if does == "" {
		return times
	}
	return does + "; " + times
}

// settings has canonical names (librdkafka's, or Java's where both share one) and the
// library's own, where the catalogue knows them.
func (b bug) settings(m *markdown) {
	m.heading(topLevel, m.word("Settings"))
	columns := []column{{name: "setting (librdkafka's name, or Java's)", code: true}, {name: "value", code: true}, {name: "in " + baseName(b.trial.Client)}}
	rows, known := b.settingRows()
	if !known {
		columns = columns[:2]
	}
	if b.trial.Bare {
		m.paragraph(m.say("All else is the library's own default."))
	}
	if len(rows) > 0 {
		m.sayTable(columns, rows)
	}
	var notes []entry
	for _, text := range b.trial.Differences {
		notes = append(notes, entry{text: m.say(text)})
	}
	if len(notes) > 0 {
		m.paragraph(m.say("Expressed only approximately:"))
		m.list(list{entries: notes})
	}
	if !known && !strings.HasPrefix(b.trial.Client, "exec:") {
		m.paragraph(m.say("The library's own options are in kcompare's clients/" + baseName(b.trial.Client) + ", a short program that translates these names."))
	}
}

func (b bug) settingRows() (rows [][]string, known bool) {
	for _, role := range []struct {
		prefix string
		set    map[string]string
	}{{"", b.trial.Config}, {"consumer: ", b.trial.Consuming}} {
		for _, key := range sortedKeys(role.set) {
			name, is := ownName(baseName(b.trial.Client), key)
			known = known || is
			rows = append(rows, []string{code(role.prefix + key), code(quotedValue(role.set[key])), escaped(name)})
		}
	}
	if !known {
		for i := range rows {
			rows[i] = rows[i][:2]
		}
	}
	return rows, known
}

// ownName is what a client's library calls a setting; known says whether the catalogue
// has that library at all.
func ownName(client, key string) (name string, known bool) {
	s, found := config.Lookup(key)
	switch client {
	case "librdkafka", "python":
		return key, true
	case "franz":
		if found {
			name = strings.Join(s.KgoNames(), ", ")
		}
		return name, true
	case "java":
		if found && s.JavaKey != "-" {
			name = s.JavaKey
		}
		return name, true
	}
	return "", false
}

// seen is what is wrong, and what client and log have of the records it is about.
func (b bug) seen(m *markdown) {
	m.heading(topLevel, m.word("Seen"))
	var wrong []entry
	c := b.ofTrial()
	for _, f := range found(c, false) {
		text := wrongWords(c, f.kind, over(f.counts))
		if f.first != "" {
			text += ", the first " + f.first
		}
		wrong = append(wrong, entry{text: m.say(text + inParentheses(f.cause))})
	}
	for _, reason := range b.trial.Reasons {
		if !restated(reason, b.trial) {
			wrong = append(wrong, entry{text: m.say(reason)})
		}
	}
	m.list(list{entries: wrong})
	b.counts(m)
	b.errors(m)
	if b.trial.Trace != "" {
		m.paragraph(m.say("All requests of the trial are in " + path.Base(b.trial.Trace) + ", the log is in " + path.Base(b.trial.Log) + ", beside the evidence."))
	}
}

func (b bug) counts(m *markdown) {
	v := variant{name: b.trial.Variant, clients: []client{b.ofTrial()}}
	t := table{columns: []string{"records"}}
	for _, measure := range comparedRows() {
		if measure.helps(v, measure.metric) {
			t.rows = append(t.rows, countRow(v, measure))
		}
	}
	m.figures(sayTable(m.in, t))
}

func (b bug) errors(m *markdown) {
	var rows [][]string
	for _, e := range b.trial.Errors {
		rows = append(rows, []string{escaped(m.in.Say(caller(errorKind(e)))), code(e.Code), escaped(m.in.Say(e.Class)), m.in.Say(fmt.Sprint(e.Count)), escaped(e.Text)})
	}
	if len(rows) > 0 {
		m.paragraph(m.say("What the library told the program:"))
		m.sayTable([]column{{name: "call"}, {name: "code"}, {name: "taken for"}, {name: "times", figure: true}, {name: "the library's words, the first time"}}, rows)
	}
}
