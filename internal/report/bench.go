package report

import (
	"fmt"
	"io"
	"slices"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
)

// BenchText writes for a terminal what `kcompare bench` measured. The error is the writer's.
func BenchText(w io.Writer, b evidence.Bench, opts TextOptions) error {
	if _, err := io.WriteString(w, layOut(said(benchPage(b), opts.In), opts)); err != nil {
		return fmt.Errorf("write what was measured: %w", err)
	}
	return nil
}

// BenchMarkdown writes the same as GitHub flavoured markdown. The error is the writer's.
func BenchMarkdown(w io.Writer, b evidence.Bench, in lang.Printer) error {
	if _, err := io.WriteString(w, layOutMarkdown(said(benchPage(b), in))); err != nil {
		return fmt.Errorf("write what was measured: %w", err)
	}
	return nil
}

// benchPage is what was measured and where, the verdict and what it rests on.
func benchPage(b evidence.Bench) page {
	p := page{
		title:   benchTitle(b),
		clients: benchContestants(b),
		sum:     benchSum(b),
		again:   b.Again,
	}
	for _, s := range []section{
		{heading: benchHeading(b), lists: []list{{entries: benchVerdicts(b)}}},
		{heading: span{text: "Figures", mark: heading}, note: say("the median of the rounds that count"), table: benchFigures(b)},
		{heading: span{text: "Ratios", mark: heading}, note: benchRatioNote(b), table: benchRatios(b)},
		{heading: span{text: "Effective settings", mark: heading}, note: say("as the wire showed them in a short run that was not timed"), table: benchSettings(b), lists: []list{benchNotSeen(b)}},
		{heading: span{text: "Settings given", mark: heading}, lists: benchGiven(b)},
		{heading: span{text: "Rounds that do not count", mark: doubtful}, lists: []list{benchVoid(b)}},
		{heading: span{text: "What differs beside", mark: heading}, note: say("it does not forbid a ranking"), lists: []list{bulleted(b.Judgement.Beside)}},
	} {
		if len(s.table.rows) > 0 || len(s.lists) > 0 && len(s.lists[0].entries) > 0 {
			p.sections = append(p.sections, s)
		}
	}
	return p
}

// benchTitle is the work, the load, the broker and the machine.
func benchTitle(b evidence.Bench) facts {
	f := facts{{text: "kcompare bench " + string(b.Work), mark: heading}}
	for _, text := range benchLoad(b.Load) {
		f = append(f, word(text))
	}
	f = append(f, word("broker "+b.Broker.Software+", "+once(b.Broker.Nodes).plural("node")))
	for _, fault := range b.Faults {
		f = append(f, word("fault "+fault))
	}
	return append(f, name(benchMachine(b)), word(once(b.Machine.Cores).plural("core")))
}

func benchMachine(b evidence.Bench) string {
	text := b.Platform
	for _, more := range []string{b.Machine.Processor, b.Machine.System} {
		if more != "" {
			text += ", " + more
		}
	}
	return text
}

// benchLoad is how much a round is.
func benchLoad(l evidence.BenchLoad) []string {
	all := []string{
		fmt.Sprintf("%s of %d records of %d bytes", once(l.Rounds).plural("round"), l.Records, l.RecordBytes),
		once(int(l.Partitions)).plural("partition"),
	}
	if l.Keys > 0 {
		all = append(all, fmt.Sprintf("%d keys", l.Keys))
	}
	if l.Rate > 0 {
		all = append(all, fmt.Sprintf("%s records/s", benchNumber(l.Rate)))
	}
	if l.Transaction > 0 {
		all = append(all, once(int(l.Transaction)).plural("record")+" a transaction")
	}
	return append(all, once(l.WarmUp).plural("round")+" of warm-up")
}

// benchContestants says who took part, with the exact library, and how its load differs.
func benchContestants(b evidence.Bench) list {
	var l list
	for _, c := range b.Contestants {
		text := phrase{name(c.Library)}
		if c.Language != "" {
			text = phrase{name(c.Library + ","), name(c.Language)}
		}
		if c.Load != nil {
			for _, part := range benchOwnLoad(b.Load, *c.Load) {
				text = append(text, word("· "+part))
			}
		}
		if c.LeftOut != "" {
			text = append(text, span{text: "left out: " + c.LeftOut, mark: doubtful})
		}
		l.entries = append(l.entries, entry{term: name(benchName(b, c)), text: text})
	}
	return l
}

// benchOwnLoad is what of a load is not that of all.
func benchOwnLoad(all, own evidence.BenchLoad) []string {
	common := benchLoad(all)
	return filter(benchLoad(own), func(part string) bool { return !slices.Contains(common, part) })
}

// benchSum is "20 of 20 rounds count · 61.3 s".
func benchSum(b evidence.Bench) facts {
	count, of := 0, 0
	for _, r := range b.Rounds {
		if r.Round > 0 {
			of++
			if b.Uncounted(r) == "" {
				count++
			}
		}
	}
	m := good
	if count < of {
		m = doubtful
	}
	return facts{{text: fmt.Sprintf("%d of %d rounds count", count, of), mark: m}, word(fmt.Sprintf("%.1f s", float64(b.ElapsedMS)/1000))}
}

// benchVoid says which rounds do not count, and why.
func benchVoid(b evidence.Bench) list {
	var l list
	for _, r := range b.Rounds {
		why := b.Uncounted(r)
		if why == "" {
			continue
		}
		text := fmt.Sprintf("round %d", r.Round)
		if r.Round <= 0 {
			text = "warm-up"
		}
		l.entries = append(l.entries, entry{term: name(benchNamed(b, r.Contestant)), text: say(text + ": " + why)})
	}
	return l
}
