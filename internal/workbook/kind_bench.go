package workbook

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
	"kcompare/internal/report"
)

// benchKind tells what a bench measured: the verdict, the figures and what they rest on.
func benchKind() Kind {
	return Kind{
		Name:  "bench",
		About: "What `kcompare bench` measured: clients side by side, or one client with several values of a setting.",
		Attributes: append(benchAttributes(),
			Attribute{Name: "show", About: "parts of its report, with commas between: `verdict`, `figures`, `ratios`, `settings`, `plot` (default: verdict,figures,settings)"},
			Attribute{Name: "rows", About: "metrics of figures and ratios, with commas between (default: all that were measured)"},
		),
		Wants: func(_ fs.FS, b Block, m Manifest) (Wants, error) {
			if _, err := benchParts(b); err != nil {
				return Wants{}, err
			}
			n, err := benchNeed(b, m)
			return Wants{Benches: []BenchNeed{n}}, err
		},
		Render: renderBench,
	}
}

// The parts that a block may show.
const (
	benchVerdict  = "verdict"
	benchFigures  = "figures"
	benchRatios   = "ratios"
	benchSettings = "settings"
	benchPlot     = "plot"
)

// benchParts are those of the attribute show.
func benchParts(b Block) ([]string, error) {
	parts := listOf(b, "show", ",")
	if len(parts) == 0 {
		return []string{benchVerdict, benchFigures, benchSettings}, nil
	}
	known := []string{benchVerdict, benchFigures, benchRatios, benchSettings, benchPlot}
	for _, part := range parts {
		if !slices.Contains(known, part) {
			return nil, wrongName("show", "part", part, known)
		}
	}
	return parts, nil
}

func renderBench(c Course, b Block) (Content, error) {
	n, err := benchNeed(b, c.Manifest)
	if err != nil {
		return Content{}, err
	}
	parts, err := benchParts(b)
	if err != nil {
		return Content{}, err
	}
	measured, ok := c.Evidence.Bench(n)
	if !ok {
		return Content{}, fmt.Errorf("there is no evidence of bench %s of %s", n.Work, n.Clients)
	}
	content := Content{Files: map[string][]byte{}}
	var texts []string
	for _, part := range parts {
		text, err := content.benchPart(b, measured, part)
		if err != nil {
			return Content{}, err
		}
		if text != "" { // ratios where nothing may be compared
			texts = append(texts, text)
		}
	}
	texts = append(texts, report.BenchSetup(lang.In(b.Lang), measured))
	content.Markdown = strings.Join(texts, "\n\n")
	return content, nil
}

// benchPart is the markdown of one part; of a plot the picture is put beside it.
func (c Content) benchPart(b Block, measured evidence.Bench, part string) (string, error) {
	in := lang.In(b.Lang)
	switch part {
	case benchVerdict:
		return report.BenchVerdict(in, measured), nil
	case benchFigures:
		text, err := report.BenchFigures(in, measured, listOf(b, "rows", ","))
		return text, rowError("rows", err)
	case benchRatios:
		text, err := report.BenchRatios(in, measured, listOf(b, "rows", ","))
		return text, rowError("rows", err)
	case benchSettings:
		return report.BenchSettings(in, measured), nil
	}
	var drawn bytes.Buffer
	if err := report.BenchSVG(&drawn, measured, in); err != nil {
		return "", err
	}
	name := pictureName(b, b.ID)
	c.Files[name] = drawn.Bytes()
	return picture(in.Say("A dot for each round that counts, a stroke at the median."), name), nil
}
