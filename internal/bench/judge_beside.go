package bench

import (
	"slices"
	"strconv"
	"strings"

	"kcompare/internal/evidence"
)

// beside lists what differs and forbids no ranking: what follows from the compared key, what
// else the wire showed, how full batches were while the clock ran, and latencies that are not
// measured alike.
func beside(b evidence.Bench, follow []evidence.BenchUnequal) []string {
	var all []string
	for _, u := range follow {
		all = append(all, u.Setting+", which follows from "+b.Compare+": "+each(b, func(c evidence.BenchContestant) string { return u.Seen[c.Name] }))
	}
	for _, name := range []string{evidence.SettingBatchesInRequest, evidence.SettingLargestFetch, evidence.SettingVersions} {
		all = append(all, otherwise(b, name, func(c evidence.BenchContestant) string {
			if c.Seen == nil {
				return ""
			}
			return settingOf(*c.Seen, name)
		}))
	}
	if least, most := fullest(b); most > least*11/10 {
		all = append(all, otherwise(b, "records in a batch while the clock ran", func(c evidence.BenchContestant) string {
			if n := fullness(b, c.Name); n > 0 {
				return strconv.FormatInt(n, 10)
			}
			return ""
		}))
	}
	all = append(all, otherwise(b, "latencies", latencies(b)))
	return slices.DeleteFunc(all, func(text string) bool { return text == "" })
}

// otherwise is a sentence where contestants differ, and empty where they do not.
func otherwise(b evidence.Bench, what string, of func(evidence.BenchContestant) string) string {
	var seen []string
	for _, c := range players(b) {
		if text := of(c); text != "" && text != notSeen {
			seen = append(seen, text)
		}
	}
	if slices.Sort(seen); len(slices.Compact(seen)) < 2 {
		return ""
	}
	return what + ": " + each(b, of)
}

// each is "1 (franz, java); 4 (librdkafka)".
func each(b evidence.Bench, of func(evidence.BenchContestant) string) string {
	var texts []string
	names := map[string][]string{}
	for _, c := range players(b) {
		text := of(c)
		if text != "" && names[text] == nil {
			texts = append(texts, text)
		}
		names[text] = append(names[text], c.Name)
	}
	for i, text := range texts {
		texts[i] = text + " (" + strings.Join(names[text], ", ") + ")"
	}
	return strings.Join(texts, "; ")
}

// fullness is how many records were in a batch of the log, over all rounds that count; 0 where
// nobody told.
func fullness(b evidence.Bench, contestant string) int64 {
	var records, batches int64
	for _, r := range counted(b, contestant) {
		if r.Batches > 0 {
			records, batches = records+r.Records, batches+r.Batches
		}
	}
	return records / max(batches, 1)
}

func fullest(b evidence.Bench) (least, most int64) {
	for _, c := range players(b) {
		if n := fullness(b, c.Name); n > 0 {
			most = max(most, n)
			if least == 0 {
				least = n
			}
			least = min(least, n)
		}
	}
	return least, most
}

// latencies says from when each contestant's are counted, and nothing where it has none.
func latencies(b evidence.Bench) func(evidence.BenchContestant) string {
	return func(c evidence.BenchContestant) string {
		has := slices.ContainsFunc(counted(b, c.Name), func(r evidence.BenchRound) bool { return r.Latency != nil })
		switch {
		case !has:
			return ""
		case byTool(b, c.Name):
			return "from the hand-over of a record, as the tool told, and compared with nobody else's"
		}
		return "from when a record was due"
	}
}
