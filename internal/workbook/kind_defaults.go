package workbook

import (
	"fmt"
	"slices"
	"strings"

	"kcompare/internal/config"
	"kcompare/internal/convert"
	"kcompare/internal/explain"
	"kcompare/internal/lang"
	"kcompare/internal/report"
)

// defaultsKind is the defaults of libraries side by side, from the tables that the
// libraries themselves were asked for.
func defaultsKind() Kind {
	return Kind{
		Name:  "defaults",
		About: "What clients do where a setting is not given, side by side, with their exact versions.",
		Attributes: []Attribute{
			{Name: "keys", About: "settings by any name, with commas between, or `differing`: every setting in which these clients differ", Required: true},
			{Name: "clients", About: "some of franz, librdkafka, python, java, kafka-python, aiokafka, with commas between (default: those of kcompare.yaml)"},
		},
		Render: renderDefaults,
	}
}

// differing is the keys of a block that shows what differs, whatever that is.
const differing = "differing"

func renderDefaults(c Course, b Block) (Content, error) {
	libs, err := librariesOf(b, c.Manifest, libraries())
	if err != nil {
		return Content{}, err
	}
	rows, err := defaultRows(b, explain.Defaults(distinct(libs, func(l library) string { return l.client })))
	if err != nil {
		return Content{}, err
	}
	p := lang.In(b.Lang)
	head := []string{p.Say("setting")}
	for _, l := range libs {
		head = append(head, report.Plain(l.title))
	}
	var cells [][]string
	for _, d := range rows {
		cells = append(cells, defaultCells(p, d, libs, twice(rows, d)))
	}
	if len(cells) == 0 {
		return Content{Markdown: p.Say("These clients have the same defaults.")}, nil
	}
	return Content{Markdown: grid(head, cells)}, nil
}

// defaultRows are those of the keys, in their order.
func defaultRows(b Block, all []explain.Default) ([]explain.Default, error) {
	if b.Get("keys") == differing {
		return slices.DeleteFunc(all, func(d explain.Default) bool { return !d.Differs }), nil
	}
	var rows []explain.Default
	var seen []string
	for _, key := range listOf(b, "keys", ",") {
		s, known := config.Lookup(key)
		if !known {
			return nil, wrongSetting("keys", key)
		}
		if slices.Contains(seen, s.Name) {
			return nil, attributeError("keys", "%s stands there twice", s.Name)
		}
		seen = append(seen, s.Name)
		own := slices.DeleteFunc(slices.Clone(all), func(d explain.Default) bool { return d.Key != s.Name })
		if len(own) == 0 {
			return nil, attributeError("keys", "%s is a setting of Java that librdkafka refuses: it has no default to compare", key)
		}
		rows = append(rows, own...)
	}
	if len(rows) == 0 {
		return nil, attributeError("keys", "is missing: expected settings, with commas between, or %s", differing)
	}
	return rows, nil
}

// wrongSetting names the nearest setting; all of them would fill a page.
func wrongSetting(attribute, key string) error {
	if near := config.Nearest(key, config.Names()); near != "" {
		return wrongName(attribute, "setting", key, []string{near})
	}
	return attributeError(attribute, "unknown setting %q: kcompare config defaults lists them", key)
}

// twice reports whether the setting has another row for the other kind of client.
func twice(rows []explain.Default, d explain.Default) bool {
	return slices.ContainsFunc(rows, func(other explain.Default) bool { return other.Key == d.Key && other.For != d.For })
}

func defaultCells(p lang.Printer, d explain.Default, libs []library, split bool) []string {
	name := report.Code(d.Key)
	if split {
		name += " (" + p.Say(d.For) + ")"
	}
	cells := []string{name}
	for i, l := range libs {
		text := spelledAlike(d, libs[:i], d.Clients[l.client])
		if d.Since != "" && l.table == "librdkafka" && !l.has(d.Key) {
			text = "-"
		}
		cells = append(cells, defaultCell(p, text))
	}
	return cells
}

// spelledAlike is a value as a column before has it, where both mean the same: -1 and all,
// latest and largest are no difference.
func spelledAlike(d explain.Default, before []library, text string) string {
	s, _ := config.Lookup(d.Key)
	for _, l := range before {
		if convert.SameValue(s, d.Clients[l.client], text) {
			return d.Clients[l.client]
		}
	}
	return text
}

func defaultCell(p lang.Printer, text string) string {
	word, remark, explained := strings.Cut(text, " (")
	switch {
	case text == "-" || text == "":
		return "–"
	case strings.HasPrefix(text, "(") && strings.Count(text, "(") == 1: // nothing but a remark
		return report.Plain(said(p, strings.Trim(text, "()")))
	case explained && !strings.HasPrefix(text, "(") && !strings.Contains(word, " "):
		return fmt.Sprintf("%s (%s)", report.Code(word), report.Plain(said(p, strings.TrimSuffix(remark, ")"))))
	case strings.Contains(text, " "):
		return report.Plain(said(p, text))
	}
	return report.Code(text)
}

// has reports whether the library's own table has a setting.
func (l library) has(key string) bool {
	s, known := config.Lookup(key)
	v, there := config.Find(l.table, l.version)
	if !known || !there {
		return false
	}
	_, has := v.Of(s)
	return has
}
