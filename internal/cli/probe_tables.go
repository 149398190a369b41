package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kcompare/internal/fingerprint"
	"kcompare/internal/probe"
	"kcompare/internal/report"
)

// probeTables are a probe's document for people.
func probeTables(d probe.Document) []report.Table {
	var all []report.Table
	for _, c := range d.Clients {
		all = append(all, settingsTable(c))
		if len(c.Again) > 0 {
			all = append(all, againTable(c))
		}
	}
	if len(d.Faults) > 0 {
		all = append(all, faultTable(d))
	}
	if len(d.Compared) > 0 {
		all = append(all, comparedTable(d.Compared))
	}
	return append(all, endTable(d))
}

// settingsTable is a client in a line, its settings, and what it did.
func settingsTable(c probe.ClientRow) report.Table {
	t := report.Table{
		Title:   clientTitle(c),
		Columns: []report.Column{{Name: "setting"}, {Name: "value"}, {Name: "default"}, {Name: "requests", Figure: true}, {Name: "seen"}},
		Notes:   clientNotes(c),
	}
	for _, s := range c.Settings {
		t.Rows = append(t.Rows, []string{s.Key, settingValue(s), cmp.Or(s.Default, "-"), fmt.Sprint(s.Requests), s.Seen})
	}
	return t
}

func clientTitle(c probe.ClientRow) string {
	title := strings.TrimSpace(c.Library.Software + " " + c.Library.Version)
	if title == "" {
		title = "a library that does not say its name"
	}
	if c.Library.Client != "" {
		title += " (" + c.Library.Client + ")"
	}
	if c.ClientID == "" {
		return title + ", no client.id"
	}
	return fmt.Sprintf("%s, client.id %q", title, c.ClientID)
}

func settingValue(s probe.SettingRow) string {
	value := s.Value
	switch s.Precision {
	case fingerprint.Hint:
		value = "perhaps " + value
	case fingerprint.AtLeast:
		value = "at least " + value
	case fingerprint.AtMost:
		value = "at most " + value
	case fingerprint.About:
		value = "about " + value
	}
	for _, o := range s.Others {
		value += fmt.Sprintf(", also %s", o.Value)
	}
	return value
}

func clientNotes(c probe.ClientRow) []string {
	var notes []string
	if b := c.Batches; b != nil {
		notes = append(notes, fmt.Sprintf("batches: %d with %s in %s; %s in a batch, at most %d bytes; at most %d in flight",
			b.Batches, counted(int(b.Records), "record"), counted(int(b.Requests), "Produce request"), between(b.MinRecords, b.MaxRecords, "record"), b.MaxBytes, b.InFlight))
	}
	if t := c.Transactions; t != nil {
		note := fmt.Sprintf("transactions: %d committed, %d aborted", t.Committed, t.Aborted)
		for _, other := range []struct {
			n    int
			what string
		}{{t.Refused, "ends refused"}, {t.Unknown, "ends without an answer"}, {t.Open, "left open"}} {
			if other.n > 0 {
				note += fmt.Sprintf(", %d %s", other.n, other.what)
			}
		}
		notes = append(notes, note)
	}
	var requests []string
	for _, api := range slices.Sorted(maps.Keys(c.Requests)) {
		requests = append(requests, fmt.Sprintf("%s %d", api, c.Requests[api]))
	}
	return append(notes, "requests: "+strings.Join(requests, ", "))
}

func between(least, most int64, what string) string {
	if least == most {
		return counted(int(most), what)
	}
	return fmt.Sprintf("%d to %d %ss", least, most, what)
}

func againTable(c probe.ClientRow) report.Table {
	t := report.Table{
		Title:   fmt.Sprintf("sent again by %s", cmp.Or(c.ClientID, "the client without a client.id")),
		Columns: []report.Column{{Name: "API"}, {Name: "about"}, {Name: "first attempt"}, {Name: "attempts", Figure: true}, {Name: "after"}, {Name: "result"}},
	}
	for _, a := range c.Again {
		var waits []string
		for _, ms := range a.WaitsMS {
			wait := time.Duration(ms * float64(time.Millisecond))
			waits = append(waits, wait.Round(time.Millisecond).String())
		}
		result := a.Result
		if a.Written > 1 {
			result += fmt.Sprintf(", written %d times", a.Written)
		}
		t.Rows = append(t.Rows, []string{a.API, a.About, a.Fault, fmt.Sprint(a.Times), strings.Join(waits, ", "), result})
	}
	return t
}

func faultTable(d probe.Document) report.Table {
	t := report.Table{
		Title:   "faults",
		Columns: []report.Column{{Name: "rule"}, {Name: "action"}, {Name: "API"}, {Name: "fired", Figure: true}, {Name: "collateral", Figure: true}},
	}
	for _, f := range d.Faults {
		t.Rows = append(t.Rows, []string{f.Rule, f.Action, f.API, fmt.Sprint(f.Fired), fmt.Sprint(f.Collateral)})
	}
	if d.Faultless() {
		t.Notes = append(t.Notes, "nothing happened: the program sent no such request")
	}
	if c := d.Copies; c != nil {
		t.Notes = append(t.Notes, fmt.Sprintf("%s written whose acknowledgement was lost: %d of them in the log twice", counted(c.Records, "record"), c.Duplicates))
	}
	return t
}

func comparedTable(rows []probe.Compared) report.Table {
	t := report.Table{
		Title:   "compared with the file",
		Columns: []report.Column{{Name: "setting"}, {Name: "result"}, {Name: "expected"}, {Name: "seen"}, {Name: "why"}, {Name: "at"}},
	}
	for _, c := range rows {
		var seen []string
		for _, client := range slices.Sorted(maps.Keys(c.Observed)) {
			if value := c.Observed[client]; !slices.Contains(seen, value) {
				seen = append(seen, value)
			}
		}
		t.Rows = append(t.Rows, []string{c.Key, string(c.Result), c.Expected, cmp.Or(strings.Join(seen, ", "), "-"), cmp.Or(c.Reason, "-"), c.At})
	}
	return t
}

// endTable has no rows: how the program ended, and what is to be known about all that
// stands above.
func endTable(d probe.Document) report.Table {
	notes := []string{programEnd(d.Program)}
	if len(d.Clients) == 0 {
		notes = append(notes, "no Kafka client was seen: does the program take the address from {} or BOOTSTRAP_SERVERS?")
	}
	if len(d.Made) > 0 {
		notes = append(notes, fmt.Sprintf("made for it, because it did not let the broker make them: %s %s", plural(len(d.Made), "topic"), strings.Join(d.Made, ", ")))
	}
	for _, p := range d.Problems {
		notes = append(notes, "problem: "+p)
	}
	return report.Table{Title: "program", Notes: notes}
}

func plural(n int, what string) string {
	if n == 1 {
		return what
	}
	return what + "s"
}

func programEnd(p probe.Program) string {
	took := (time.Duration(p.ElapsedMS) * time.Millisecond).String()
	switch p.Ended {
	case probe.TimedOut:
		return fmt.Sprintf("not finished after %s, and ended: --timeout gives it longer", took)
	case probe.Interrupted:
		return fmt.Sprintf("interrupted after %s", took)
	}
	if p.ExitCode < 0 {
		return fmt.Sprintf("ended by a signal after %s", took)
	}
	return fmt.Sprintf("exit code %d after %s", p.ExitCode, took)
}
