package workbook

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"kcompare/internal/config"
	"kcompare/internal/evidence"
	"kcompare/internal/lang"
	"kcompare/internal/report"
	"kcompare/internal/sequence"
)

// sequenceKind draws requests and answers of a scene, of one client or of two.
func sequenceKind() Kind {
	return Kind{
		Name:  "sequence",
		About: "What went over the wire in a scene, as a Mermaid diagram and as a picture; of two clients with what differs marked.",
		Attributes: trialAttributes(
			Attribute{Name: "scene", About: "`fault` (the first record that a fault hits), `start`, `all`, `record KEY` or `transaction N` (default: fault)"},
			Attribute{Name: "format", About: "`mermaid`, `svg` or `both` (default: both, the picture behind a fold)"},
		),
		Needs:  sequenceNeeds,
		Render: renderSequence,
	}
}

const (
	asMermaid = "mermaid"
	asSVG     = "svg"
	asBoth    = "both"
)

func formatOf(b Block) (string, error) {
	formats := []string{asMermaid, asSVG, asBoth}
	format := b.Get("format")
	if format == "" {
		return asBoth, nil
	}
	if !slices.Contains(formats, format) {
		return "", wrongName("format", "format", format, formats)
	}
	return format, nil
}

func sceneOf(b Block) (string, error) {
	of := b.Get("scene")
	if of == "" {
		return "fault", nil
	}
	if err := sequence.Known(of); err != nil {
		if near := config.Nearest(of, []string{"fault", "start", "all"}); near != "" {
			return "", attributeError("scene", "unknown scene %q: did you mean %s?", of, near)
		}
		return "", attributeError("scene", "%w", err)
	}
	return of, nil
}

func sequenceNeeds(b Block, m Manifest) ([]Need, error) {
	of, err := sceneOf(b)
	if err != nil {
		return nil, err
	}
	if _, err := formatOf(b); err != nil {
		return nil, err
	}
	all, err := needs(b, m)
	if err == nil {
		err = oneVariant(b, all)
	}
	if err == nil {
		err = mostClients(b, all, 2)
	}
	for i := range all {
		all[i].Scene = of
	}
	return all, err
}

func renderSequence(c Course, b Block) (Content, error) {
	all, err := sequenceNeeds(b, c.Manifest)
	if err != nil {
		return Content{}, err
	}
	doc, err := gather(c, all)
	if err != nil {
		return Content{}, err
	}
	diagrams, err := diagramsOf(doc.Trials, all[0].Scene)
	if err != nil {
		return Content{}, err
	}
	format, err := formatOf(b)
	if err != nil {
		return Content{}, err
	}
	drawn := Content{Files: map[string][]byte{}}
	in := lang.In(b.Lang)
	var parts []string
	for _, d := range diagrams {
		if len(diagrams) > 1 {
			parts = append(parts, "**"+report.Plain(d.Client)+"**")
		}
		parts = append(parts, drawn.diagram(in, b, d, format, len(diagrams) > 1)...)
	}
	if len(diagrams) > 1 {
		if differs(diagrams) {
			parts = append(parts, in.Say("Requests behind ≠ are not in the other diagram."))
		}
		parts = append(parts, in.Say("Requests of the whole trial:"), requestTable(in, doc.Trials))
	}
	drawn.Markdown = strings.Join(parts, "\n\n")
	return drawn, nil
}

// diagramsOf are the scenes of the trials, compared where there are two.
func diagramsOf(trials []evidence.Trial, of string) ([]sequence.Diagram, error) {
	var all []sequence.Diagram
	for _, t := range trials {
		i := slices.IndexFunc(t.Scenes, func(s evidence.Scene) bool { return s.Of == of })
		if i < 0 {
			return nil, fmt.Errorf("the evidence of %s %s on %s has no scene %q", t.Scenario, t.Variant, t.Client, of)
		}
		all = append(all, sequence.Diagram{Client: t.Client, Scene: t.Scenes[i]})
	}
	if len(all) == 2 {
		all[0], all[1] = sequence.Compared(all[0], all[1])
	}
	return all, nil
}

func differs(all []sequence.Diagram) bool {
	return slices.ContainsFunc(all, func(d sequence.Diagram) bool { return slices.Contains(d.Differs, true) })
}

// diagram writes one, and behind a fold what else there is of it: the picture, and a table
// for who sees neither.
func (c Content) diagram(in lang.Printer, b Block, d sequence.Diagram, format string, several bool) []string {
	id := b.ID
	if several {
		id += "-" + fileWord(d.Client)
	}
	table := stepTable(in, d.Scene)
	if format == asMermaid {
		return []string{mermaidFence(in, d), folded(in.Say("The same as a table"), table)}
	}
	name := pictureName(b, id)
	c.Files[name] = sequence.SVG(d, id, in)
	image := picture(sequence.About(d, in), name)
	if format == asSVG {
		return []string{image, folded(in.Say("The same as a table"), table)}
	}
	return []string{mermaidFence(in, d), folded(in.Say("The same as a picture and as a table"), image+"\n\n"+table)}
}

func mermaidFence(in lang.Printer, d sequence.Diagram) string {
	return "```mermaid\n" + sequence.Mermaid(d, in) + "```"
}

// pictureName is where a block's picture is, beside the page.
func pictureName(b Block, id string) string {
	return pictureFolder + "/" + strings.TrimSuffix(path.Base(b.Page), ".md") + "-" + id + ".svg"
}

func picture(alt, name string) string { return "![" + report.Plain(alt) + "](" + name + ")" }

// fileWord is a name without what is no letter, figure or hyphen.
func fileWord(name string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, strings.ToLower(name))
}

func stepTable(in lang.Printer, s evidence.Scene) string {
	var rows [][]string
	for _, step := range s.Steps {
		request := fmt.Sprintf("%s v%d", step.API, step.Version)
		if step.Times > 1 {
			request += fmt.Sprintf(" ×%d", step.Times)
		}
		rows = append(rows, []string{
			report.Plain(request), report.Plain(in.Say(step.Node)), report.Plain(step.Request), report.Plain(step.Answer), report.Plain(sequence.Note(step, in)),
		})
	}
	table := grid(sayEach(in, "request", "to", "what it carries", "answer", "what happens to it"), rows)
	if s.LeftOut > 0 {
		table += "\n\n" + sequence.LeftOut(s, in)
	}
	return table
}

func sayEach(in lang.Printer, words ...string) []string {
	var all []string
	for _, w := range words {
		all = append(all, in.Say(w))
	}
	return all
}

// requestTable counts the requests of each client by API.
func requestTable(in lang.Printer, trials []evidence.Trial) string {
	apis := map[string]bool{}
	head := []string{in.Say("requests")}
	for _, t := range trials {
		head = append(head, report.Plain(t.Client))
		for api := range t.Requests {
			apis[api] = true
		}
	}
	var rows [][]string
	for _, api := range slices.Sorted(maps.Keys(apis)) {
		row := []string{report.Plain(api)}
		for _, t := range trials {
			row = append(row, in.Say(fmt.Sprint(t.Requests[api])))
		}
		rows = append(rows, row)
	}
	return grid(head, rows)
}
