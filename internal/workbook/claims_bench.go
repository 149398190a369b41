package workbook

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
	"kcompare/internal/page"
	"kcompare/internal/report"
)

// ratioProof is that the figure which ranks is, for one contestant of a bench, at least or at
// most so many times that of another.
type ratioProof struct {
	of, beside string // values of what is compared, or clients
	least      bool   // at least; otherwise at most
	bound      float64
}

var ratioForm = regexp.MustCompile(`^(\S+) / (\S+) (>=|<=) ([0-9.]+)$`)

// ofBench reads a proof by a bench: one for each client where values are compared.
func (t proofText) ofBench(p Proof, m Manifest) (Proof, error) {
	b := Block{Block: page.Block{Kind: "claims"}}
	all := t.words()
	for _, a := range benchAttributes() {
		if a.Name != "clients" {
			b = b.with(a.Name, all[a.Name].text)
		}
	}
	b = b.with("work", t.Bench.text)
	clients, err := clientsOf(b.with("clients", t.Clients.text), m)
	if err != nil {
		return p, t.Bench.wrong("%s", err)
	}
	alone := clients
	if t.Compare.at == nil {
		alone = []string{strings.Join(clients, ",")}
	}
	for _, names := range alone {
		n, err := benchNeed(b.with("clients", names), m)
		if err != nil {
			return p, t.Bench.wrong("%s", err)
		}
		p.Benches = append(p.Benches, n)
	}
	p.Ratio, err = t.ratio(p.Benches[0])
	return p, err
}

func (t proofText) ratio(n BenchNeed) (*ratioProof, error) {
	match := ratioForm.FindStringSubmatch(t.Ratio.text)
	if match == nil {
		return nil, orAt(t.Ratio, t.Bench, t.Ratio.wrong("ratio: %q: expected such as true / false >= 0.95", t.Ratio.text), "ratio")
	}
	known := n.ClientNames()
	if n.Compare != "" {
		known = n.values()
	}
	for _, name := range match[1:3] {
		if !slices.Contains(known, name) {
			return nil, t.Ratio.wrong("ratio: %q: expected one of %s", name, strings.Join(known, ", "))
		}
	}
	bound, err := strconv.ParseFloat(match[4], 64)
	if err != nil {
		return nil, t.Ratio.wrong("ratio: %q: expected a number", match[4])
	}
	return &ratioProof{of: match[1], beside: match[2], least: match[3] == ">=", bound: bound}, nil
}

// judgeBench holds what was measured to the bound: yes where the whole interval keeps it, no
// where none of it does, and not known between, or where nothing may be compared.
func (c Course) judgeBench(p lang.Printer, proof Proof) (judged, error) {
	var all []seen
	var outcomes []outcome
	for _, n := range proof.Benches {
		b, ok := c.Evidence.Bench(n)
		if !ok {
			return judged{}, fmt.Errorf("there is no evidence of bench %s of %s", n.Work, n.Clients)
		}
		one := proof.Ratio.see(p, n, b)
		all, outcomes = append(all, one), append(outcomes, one.outcome)
	}
	n, r := proof.Benches[0], proof.Ratio
	where := report.Code("kcompare " + strings.Join(benchWordsWithout(n), " "))
	text := fmt.Sprintf("%s %s (%s)", report.Code(r.String()), sayAll(all), where)
	return judged{worst(outcomes), text}, nil
}

// benchWordsWithout are those of the command without its clients, which stand before.
func benchWordsWithout(n BenchNeed) []string {
	words := append([]string{"bench"}, n.Words()...)
	return slices.DeleteFunc(words, func(w string) bool { return strings.HasPrefix(w, "--client=") })
}

// String is the ratio as the claim has it.
func (r ratioProof) String() string {
	op := "<="
	if r.least {
		op = ">="
	}
	return fmt.Sprintf("%s / %s %s %s", r.of, r.beside, op, strconv.FormatFloat(r.bound, 'f', -1, 64))
}

func (r ratioProof) see(p lang.Printer, n BenchNeed, b evidence.Bench) seen {
	s := seen{client: n.Clients, outcome: unknown, text: p.Say("nothing may be compared")}
	if n.Compare == "" {
		s.client = p.Say("all")
	}
	ratio, metric, ok := r.measured(n, b)
	if !ok {
		return s
	}
	s.text = p.Say(fmt.Sprintf("%s %.2f (%.2f to %.2f)", metric, ratio.Mean, ratio.Low, ratio.High))
	kept, broken := ratio.Low >= r.bound, ratio.High < r.bound
	if !r.least {
		kept, broken = ratio.High <= r.bound, ratio.Low > r.bound
	}
	switch {
	case kept:
		s.outcome = proven
	case broken:
		s.outcome = refuted
	}
	return s
}

// measured is the ratio of the two contestants; ok is false where they were not compared with
// each other.
func (r ratioProof) measured(n BenchNeed, b evidence.Bench) (ratio evidence.BenchRatio, metric string, ok bool) {
	if len(b.Judgement.Metrics) == 0 {
		return ratio, "", false
	}
	m := b.Judgement.Metrics[0]
	of, beside := r.contestant(n, b, r.of), r.contestant(n, b, r.beside)
	for _, f := range m.Standing {
		switch {
		case f.Ratio == nil:
		case f.Contestant == of && f.Ratio.Against == beside:
			return *f.Ratio, report.BenchLabel(m), true
		case f.Contestant == beside && f.Ratio.Against == of:
			return turned(*f.Ratio), report.BenchLabel(m), true
		}
	}
	return ratio, "", false
}

// contestant is the one with a value, or of a client.
func (r ratioProof) contestant(n BenchNeed, b evidence.Bench, name string) string {
	for _, c := range b.Contestants {
		if n.Compare != "" && c.Value == name || n.Compare == "" && c.Client == name {
			return c.Name
		}
	}
	return ""
}
