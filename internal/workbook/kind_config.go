package workbook

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kcompare/internal/config"
	"kcompare/internal/evidence"
	"kcompare/internal/explain"
	"kcompare/internal/lang"
	"kcompare/internal/report"
	"kcompare/internal/source"
)

// configKind is settings side by side: of a file, or those that trials of a scenario ran
// with.
func configKind() Kind {
	scenarios := trialAttributes()
	scenarios[0].Required = false
	return Kind{
		Name:  "config",
		About: "Settings side by side: each as it is given, and in the words of each client, with what is not the same.",
		Attributes: append([]Attribute{
			{Name: "file", About: "path of a .properties .py .go .java .yaml or .json file; or `scenario`"},
			{Name: "role", About: "producer or consumer: of a file that has both, the settings of one"},
		}, scenarios...),
		Needs:    configNeeds,
		Listings: listingOf,
		Render:   renderConfig,
	}
}

func configNeeds(b Block, m Manifest) ([]Need, error) {
	switch {
	case b.Get("file") != "" && b.Get("scenario") != "":
		return nil, attributeError("file", "stands beside scenario: expected one of them")
	case b.Get("file") == "" && b.Get("scenario") == "":
		return nil, attributeError("file", "is missing: expected file or scenario")
	case b.Get("scenario") == "":
		return nil, nil
	}
	libs, err := librariesOf(b, m, explained())
	if err != nil {
		return nil, err
	}
	m.Clients = distinct(libs, func(l library) string { return l.client })
	return needs(b, m)
}

// settings are those of one client, to be laid out.
type settings struct {
	title string // "" where there is one group
	role  source.Role
	given []setting
	notes []string // beside what is known of the settings
}

// setting is one as it was given. Value is nil where no text has it: code, a computed value.
type setting struct {
	name, shown string
	value       *string
}

func renderConfig(c Course, b Block) (Content, error) {
	libs, err := librariesOf(b, c.Manifest, explained())
	if err != nil {
		return Content{}, err
	}
	p := lang.In(b.Lang)
	var groups []settings
	if b.Get("scenario") != "" {
		groups, err = trialSettings(c, b, p)
	} else {
		groups, err = fileSettings(c, b, p)
	}
	if err != nil {
		return Content{}, err
	}
	var parts []string
	for _, g := range groups {
		if g.title != "" && len(groups) > 1 {
			parts = append(parts, g.title)
		}
		parts = append(parts, layOutSettings(p, g, libs)...)
	}
	return Content{Markdown: strings.Join(parts, "\n\n")}, nil
}

// fileSettings are the groups of a file that are a client's, as they stand there.
func fileSettings(c Course, b Block, p lang.Printer) ([]settings, error) {
	role := source.Role(b.Get("role"))
	if roles := []string{string(source.Producer), string(source.Consumer)}; role != "" && !slices.Contains(roles, string(role)) {
		return nil, wrongName("role", "role", string(role), roles)
	}
	f, err := c.listing("file", b.Get("file"))
	if err != nil {
		return nil, err
	}
	var groups []settings
	for _, block := range f.Blocks {
		if slices.Contains([]string{"broker", "topic", "connect"}, block.Client) || role != "" && block.Role != source.AnyRole && block.Role != role {
			continue
		}
		g := settings{title: p.Say(fmt.Sprintf("From line %d:", block.At.Line)), role: block.Role}
		if block.Role != source.AnyRole {
			g.title = p.Say(fmt.Sprintf("From line %d, for a %s:", block.At.Line, block.Role))
		}
		for _, e := range block.Entries {
			g.given = append(g.given, givenIn(e))
		}
		if block.Open {
			g.notes = append(g.notes, p.Say("There may be more settings, which cannot be read from the text."))
		}
		groups = append(groups, g)
	}
	if len(groups) == 0 {
		return nil, noSettings(f, b)
	}
	return groups, nil
}

func noSettings(f source.File, b Block) error {
	what := "the settings of a client"
	if role := b.Get("role"); role != "" {
		what = "the settings of a " + role
	}
	if f.Unread != "" {
		return attributeError("file", "%s: expected %s: %s", f.Path, what, f.Unread)
	}
	return attributeError("file", "%s: expected %s, found none", f.Path, what)
}

func givenIn(e source.Entry) setting {
	name, value := e.Key, e.Value.Text
	if e.Canonical != "" {
		name, value = e.Canonical, e.CanonicalValue
	}
	s := setting{name: name, shown: e.Key}
	if e.Value.Kind == source.Text || e.Value.Kind == source.Number || e.Value.Kind == source.Truth {
		s.value = &value
	}
	return s
}

// trialSettings are what the trials set, by variant: the same for every client, but for
// what one could only approximate.
func trialSettings(c Course, b Block, p lang.Printer) ([]settings, error) {
	all, err := configNeeds(b, c.Manifest)
	if err != nil {
		return nil, err
	}
	doc, err := gather(c, all)
	if err != nil {
		return nil, err
	}
	var groups []settings
	for _, variant := range distinct(doc.Trials, func(t evidence.Trial) string { return t.Variant }) {
		own := slices.DeleteFunc(slices.Clone(doc.Trials), func(t evidence.Trial) bool { return t.Variant != variant })
		g := settings{title: report.Code(variant) + ":", role: source.Producer, given: givenTo(own[0].Config)}
		for _, t := range own {
			for _, d := range t.Differences {
				g.notes = append(g.notes, report.Plain(said(p, t.Client+": "+d)))
			}
		}
		groups = append(groups, g)
		if len(own[0].Consuming) > 0 {
			title := report.Code(variant) + ", " + p.Say("consumers") + ":"
			groups = append(groups, settings{title: title, role: source.Consumer, given: givenTo(own[0].Consuming)})
		}
	}
	return groups, nil
}

// givenTo are settings by name, without where the broker of that trial was.
func givenTo(config map[string]string) []setting {
	var all []setting
	for _, name := range slices.Sorted(maps.Keys(config)) {
		value := config[name]
		if name != "bootstrap.servers" {
			all = append(all, setting{name: name, shown: name, value: &value})
		}
	}
	return all
}

// layOutSettings is a table, and below it what is wrong and what each setting does.
func layOutSettings(p lang.Printer, g settings, libs []library) []string {
	told, wrong := explainAll(g.given, libs)
	head := []string{p.Say("setting"), p.Say("value")}
	for _, l := range libs {
		head = append(head, report.Plain(l.title))
	}
	var rows [][]string
	notes := slices.Clone(g.notes)
	var about []string
	for i, s := range g.given {
		rows = append(rows, configRow(p, s, told[i], libs))
		notes = append(notes, configNotes(p, s, told[i], wrong[i], libs)...)
		about = append(about, aboutSetting(p, told[i], len(libs) > 1)...)
	}
	parts := []string{grid(head, rows)}
	if notes = append(notes, conflictNotes(p, told)...); len(notes) > 0 {
		parts = append(parts, itemized(notes))
	}
	if len(about) > 0 {
		summary := p.Say("What these settings do")
		if len(libs) > 1 {
			summary = p.Say("What these settings do, and what is not the same")
		}
		parts = append(parts, folded(summary, itemized(about)))
	}
	return parts
}

// explainAll tells about all settings together. Of one that no client knows wrong has the
// reason.
func explainAll(given []setting, libs []library) (told []*explain.Explanation, wrong []string) {
	clients := distinct(libs, func(l library) string { return l.told })
	told, wrong = make([]*explain.Explanation, len(given)), make([]string, len(given))
	var asked []explain.Asked
	var at []int
	seen := map[string]bool{}
	for i, s := range given {
		a := explain.Asked{Name: s.name, Value: s.value}
		alone, err := explain.Explain([]explain.Asked{a}, clients)
		if err != nil {
			wrong[i] = reasonOf(err)
			continue
		}
		if len(alone) != 1 || seen[alone[0].Key] { // of several that share a name, and of a second value, what is known alone
			told[i] = &alone[0]
			continue
		}
		seen[alone[0].Key] = true
		asked, at = append(asked, a), append(at, i)
	}
	all, err := explain.Explain(asked, clients)
	if err != nil || len(all) != len(at) {
		return told, wrong // each was told about alone without an error
	}
	for n, i := range at {
		told[i] = &all[n]
	}
	return told, wrong
}

func reasonOf(err error) string {
	var wrong *config.Error
	if errors.As(err, &wrong) {
		return wrong.Reason
	}
	return err.Error()
}
