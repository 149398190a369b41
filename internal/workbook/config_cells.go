package workbook

import (
	"slices"
	"strings"

	"kcompare/internal/explain"
	"kcompare/internal/lang"
	"kcompare/internal/report"
)

// configRow is a setting, its value, and both in each library's words.
func configRow(p lang.Printer, s setting, e *explain.Explanation, libs []library) []string {
	name, value := s.shown, s.value
	if e != nil {
		name, value = e.Key, e.Value
	}
	row := []string{report.Code(name), p.Say("(computed)")}
	if value != nil {
		row[1] = report.Code(*value)
		if strings.TrimSpace(*value) == "" {
			row[1] = p.Say("(empty)")
		}
	}
	for _, l := range libs {
		row = append(row, inWordsOf(p, e, l))
	}
	return row
}

// inWordsOf is what a library makes of a setting.
func inWordsOf(p lang.Printer, e *explain.Explanation, l library) string {
	c, there := clientIn(e, l)
	switch {
	case !there || len(c.Names) == 0:
		return "–"
	case e.Wrong != "" && l.table == "librdkafka":
		return p.Say("refused")
	case e.Wrong != "":
		return "–"
	case c.Lost != "":
		return p.Say("not to be had")
	case e.Value == nil:
		return codes(c.Names)
	case len(c.Equivalent) == 0:
		return p.Say("nothing to set")
	case len(c.Equivalent) == 1 && c.Equivalent[0] == e.Key+"="+*e.Value:
		return p.Say("the same")
	}
	return codes(c.Equivalent)
}

func codes(all []string) string {
	var parts []string
	for _, one := range all {
		parts = append(parts, report.Code(one))
	}
	return strings.Join(parts, ", ")
}

// clientIn is what is known of the library in its version.
func clientIn(e *explain.Explanation, l library) (explain.Client, bool) {
	if e == nil {
		return explain.Client{}, false
	}
	i := slices.IndexFunc(e.Clients, func(c explain.Client) bool {
		return c.Client == l.told && slices.Contains(c.Versions, l.version)
	})
	if i < 0 {
		return explain.Client{}, false
	}
	return e.Clients[i], true
}

// configNotes is why a setting is wrong, or cannot be had.
func configNotes(p lang.Printer, s setting, e *explain.Explanation, wrong string, libs []library) []string {
	if e == nil {
		return []string{report.Code(s.shown) + ": " + report.Plain(said(p, wrong))}
	}
	var notes []string
	add := func(who, why string) {
		note := report.Code(e.Key) + ": " + report.Plain(said(p, why))
		if who != "" {
			note = report.Code(e.Key) + ", " + report.Plain(who) + ": " + report.Plain(said(p, why))
		}
		if !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	if e.Note != "" {
		add("", e.Note)
	}
	if e.Wrong != "" {
		add("", e.Wrong)
		return notes
	}
	for _, l := range libs {
		if c, there := clientIn(e, l); there && c.Lost != "" {
			add(l.title, c.Lost)
		}
	}
	return notes
}

// aboutSetting is what it does, and where libraries stand side by side what surprises
// about it.
func aboutSetting(p lang.Printer, e *explain.Explanation, several bool) []string {
	if e == nil || e.Does == "" {
		return nil
	}
	about := report.Code(e.Key) + ": " + report.Plain(said(p, e.Does))
	if several && e.Gotcha != "" && e.Gotcha != "-" {
		about += " " + report.Plain(said(p, "Not the same: "+e.Gotcha))
	}
	return []string{about}
}

// conflictNotes is each rule that the values break together, once.
func conflictNotes(p lang.Printer, told []*explain.Explanation) []string {
	var notes []string
	for _, e := range told {
		if e == nil {
			continue
		}
		for _, c := range e.Conflicts {
			note := codes(c.Keys) + ": " + report.Plain(said(p, c.Reason))
			if c.Broken && !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	return notes
}
