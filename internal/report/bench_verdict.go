package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"kcompare/internal/evidence"
)

// benchHeading tells at a glance whether there is a ranking.
func benchHeading(b evidence.Bench) span {
	if len(b.Judgement.Unequal) > 0 || len(b.Judgement.Open) > 0 {
		return span{text: "No ranking", mark: doubtful}
	}
	return span{text: "Verdict", mark: heading}
}

// benchVerdicts is one sentence a pair, or why there is none.
func benchVerdicts(b evidence.Bench) []entry {
	var all []entry
	j := b.Judgement
	if len(j.Unequal) > 0 {
		all = append(all, entry{text: say("The effective settings are not equal, so nothing is called faster:")})
	}
	for _, u := range j.Unequal {
		all = append(all, entry{text: phrase{{text: u.Setting + ": " + benchSeen(b, u.Seen), mark: bad}}})
	}
	for _, text := range j.Open {
		all = append(all, entry{text: phrase{{text: text, mark: doubtful}}})
	}
	if len(all) > 0 || len(j.Metrics) == 0 {
		return all
	}
	first := j.Metrics[0]
	for _, f := range first.Standing {
		if f.Ratio != nil {
			all = append(all, entry{text: benchSentence(b, first, f)})
		}
	}
	if len(all) == 0 {
		all = append(all, entry{text: say("Nothing to compare with.")})
	}
	return all
}

// benchSeen is "131020 bytes (franz, java); 16384 bytes (kafkajs)", in the order of the contestants.
func benchSeen(b evidence.Bench, seen map[string]string) string {
	var all []string
	playing := filter(b.Contestants, func(c evidence.BenchContestant) bool { return seen[c.Name] != "" })
	for _, text := range distinct(playing, func(c evidence.BenchContestant) string { return seen[c.Name] }) {
		same := filter(playing, func(c evidence.BenchContestant) bool { return seen[c.Name] == text })
		names := each(same, func(c evidence.BenchContestant) string { return benchName(b, c) })
		all = append(all, text+" ("+strings.Join(names, ", ")+")")
	}
	return strings.Join(all, "; ")
}

// benchName is what a contestant is called here: by its value alone where one client is
// compared with itself.
func benchName(b evidence.Bench, c evidence.BenchContestant) string {
	if b.Compare != "" && c.Value != "" && len(distinct(b.Contestants, func(c evidence.BenchContestant) string { return c.Client })) == 1 {
		return b.Compare + "=" + c.Value
	}
	return c.Name
}

func benchNamed(b evidence.Bench, contestant string) string {
	for _, c := range b.Contestants {
		if c.Name == contestant {
			return benchName(b, c)
		}
	}
	return contestant
}

// benchSentence names the better one first where different clients are compared, and the
// value first where one key is.
func benchSentence(b evidence.Bench, m evidence.BenchMetric, f evidence.BenchFigures) phrase {
	r, who, other := *f.Ratio, benchNamed(b, f.Contestant), benchNamed(b, f.Ratio.Against)
	if !r.Differs() {
		return phrase{{text: fmt.Sprintf("no difference seen between %s and %s: %s (%s to %s, %d rounds); a difference of %s would have been seen",
			who, other, times(r.Mean), times(r.Low), times(r.High), r.Pairs, percent(r.Visible))}}
	}
	if b.Compare == "" && (r.Mean < 1) == m.More {
		r.Mean, r.Low, r.High = 1/r.Mean, 1/r.High, 1/r.Low
		who, other = other, who
	}
	format := "%s delivers %s times the records of %s (%s to %s, %d rounds)"
	switch {
	case !m.More:
		format = "the " + m.Name + " of %s is %s times that of %s (%s to %s, %d rounds)"
	case b.Work == evidence.BenchConsume:
		format = "%s reads %s times the records of %s (%s to %s, %d rounds)"
	}
	return say(fmt.Sprintf(format, who, times(r.Mean), other, times(r.Low), times(r.High), r.Pairs))
}

// times is a ratio with two decimals, or as many as tell it from 1.
func times(v float64) string {
	for decimals := 2; decimals < 5; decimals++ {
		text := strconv.FormatFloat(v, 'f', decimals, 64)
		if shown, _ := strconv.ParseFloat(text, 64); shown != 1 || v == 1 {
			return text
		}
	}
	return "1.00"
}

// percent is rounded up: a smaller difference is not promised.
func percent(v float64) string {
	if v < 0.01 {
		return strconv.FormatFloat(math.Ceil(v*1000)/10, 'f', 1, 64) + " %"
	}
	return strconv.FormatFloat(math.Ceil(v*100), 'f', 0, 64) + " %"
}

// benchNumber has three digits that count, and never an exponent.
func benchNumber(v float64) string {
	if v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	text := strconv.FormatFloat(v, 'g', 3, 64)
	if strings.Contains(text, "e") {
		return strconv.FormatFloat(v, 'f', 4, 64)
	}
	return text
}
