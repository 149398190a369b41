package workbook

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
	"kcompare/internal/plot"
	"kcompare/internal/report"
)

// plotKind draws counts by drop rate: a trial for each rate and client.
func plotKind() Kind {
	return Kind{
		Name:  "plot",
		About: "Counts of one variant by drop rate, a panel for each client, as a picture with its figures beside it.",
		Attributes: trialAttributes(
			Attribute{Name: "drop-rates", About: "rising, with commas between; a trial is played for each (default: 0,0.1,0.35,0.6)"},
			Attribute{Name: "rows", About: "metrics of the evidence, with commas between, five at most (default: unique,lost,duplicates)"},
			Attribute{Name: "form", About: "`bars` or `lines` (default: bars)"},
		),
		Needs:  plotNeeds,
		Render: renderPlot,
	}
}

const mostSeries = 5 // each needs a pattern of its own

func plotMetrics(b Block) ([]evidence.Metric, error) {
	names := listOf(b, "rows", ",")
	if len(names) == 0 {
		return []evidence.Metric{evidence.Unique, evidence.LostRecords, evidence.Duplicates}, nil
	}
	if len(names) > mostSeries {
		return nil, attributeError("rows", "%d metrics: expected %d at most", len(names), mostSeries)
	}
	var known []string
	for _, m := range evidence.Metrics() {
		known = append(known, string(m))
	}
	var all []evidence.Metric
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, wrongName("rows", "metric", name, known)
		}
		all = append(all, evidence.Metric(name))
	}
	return all, nil
}

func formOf(b Block) (func(plot.Chart, lang.Printer) []byte, error) {
	switch form := b.Get("form"); form {
	case "", "bars":
		return plot.Bars, nil
	case "lines":
		return plot.Lines, nil
	default:
		return nil, wrongName("form", "form", form, []string{"bars", "lines"})
	}
}

// rates are as they are written, for the axis shows them.
func rates(b Block) ([]string, error) {
	if b.Get("drop-rate") != "" {
		return nil, attributeError("drop-rate", "a plot has several: expected drop-rates=\"0,0.1,0.35,0.6\"")
	}
	all := listOf(b, "drop-rates", ",")
	if len(all) == 0 {
		return []string{"0", "0.1", "0.35", "0.6"}, nil
	}
	last := -1.0
	for _, text := range all {
		rate, err := parseRate(text)
		if err != nil {
			return nil, attributeError("drop-rates", "%w", err)
		}
		if rate <= last {
			return nil, attributeError("drop-rates", "%q: expected rates that rise", b.Get("drop-rates"))
		}
		last = rate
	}
	return all, nil
}

// plotNeeds are the trials rate by rate, each rate with all clients.
func plotNeeds(b Block, m Manifest) ([]Need, error) {
	all, err := rates(b)
	if err != nil {
		return nil, err
	}
	if _, err := plotMetrics(b); err != nil {
		return nil, err
	}
	if _, err := formOf(b); err != nil {
		return nil, err
	}
	var out []Need
	for _, rate := range all {
		own, err := needs(b.with("drop-rate", rate), m)
		if err == nil {
			err = oneVariant(b, own)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, own...)
	}
	return out, nil
}

func renderPlot(c Course, b Block) (Content, error) {
	all, err := plotNeeds(b, c.Manifest)
	if err != nil {
		return Content{}, err
	}
	doc, err := gather(c, all)
	if err != nil {
		return Content{}, err
	}
	chart, err := chartOf(b, doc.Trials)
	if err != nil {
		return Content{}, err
	}
	write, err := formOf(b)
	if err != nil {
		return Content{}, err
	}
	in := lang.In(b.Lang)
	name := pictureName(b, b.ID)
	return Content{
		Markdown: picture(chart.About, name) + "\n\n" + folded(in.Say("The figures"), figureTable(in, chart)),
		Files:    map[string][]byte{name: write(chart, in)},
	}, nil
}

// chartOf: the trials stand rate by rate, and within a rate client by client.
func chartOf(b Block, trials []evidence.Trial) (plot.Chart, error) {
	places, err := rates(b)
	if err != nil {
		return plot.Chart{}, err
	}
	metrics, err := plotMetrics(b)
	if err != nil {
		return plot.Chart{}, err
	}
	in := lang.In(b.Lang)
	c := plot.Chart{ID: b.ID, X: in.Say("drop rate"), Places: places}
	for _, m := range metrics {
		c.Series = append(c.Series, in.Say(seriesName(m)))
	}
	clients := len(trials) / len(places)
	for i, t := range trials[:clients] {
		panel := plot.Panel{Name: t.Client}
		for _, m := range metrics {
			var values []float64
			for n := range places {
				values = append(values, countIn(trials[n*clients+i], m))
			}
			panel.Values = append(panel.Values, values)
		}
		c.Panels = append(c.Panels, panel)
	}
	c.Title = fmt.Sprintf("%s %s", trials[0].Scenario, trials[0].Variant)
	c.About = aboutChart(in, c)
	return c, nil
}

// seriesName: what is in the log at least once has been delivered.
func seriesName(m evidence.Metric) string {
	if m == evidence.Unique {
		return "records delivered"
	}
	return report.Label(m)
}

func countIn(t evidence.Trial, m evidence.Metric) float64 {
	n, known := t.Counts[m]
	if !known {
		return math.NaN()
	}
	return float64(n)
}

// aboutChart has the figures of the highest rate: that is where something is to be seen.
func aboutChart(in lang.Printer, c plot.Chart) string {
	last := len(c.Places) - 1
	var clients []string
	for _, p := range c.Panels {
		var figures []string
		for i, name := range c.Series {
			figures = append(figures, name+" "+figure(in, p.Values[i][last]))
		}
		clients = append(clients, p.Name+": "+strings.Join(figures, ", "))
	}
	return c.X + " " + in.Say(c.Places[last]) + ". " + strings.Join(clients, "; ") + "."
}

// figure is "-" where the count is not known.
func figure(in lang.Printer, v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return in.Say(fmt.Sprint(int64(v)))
}

func figureTable(in lang.Printer, c plot.Chart) string {
	var rows [][]string
	for _, p := range c.Panels {
		for n, place := range c.Places {
			row := []string{report.Plain(p.Name), in.Say(place)}
			for i := range c.Series {
				row = append(row, figure(in, p.Values[i][n]))
			}
			rows = append(rows, row)
		}
	}
	return grid(append([]string{in.Say("client"), c.X}, c.Series...), rows)
}
