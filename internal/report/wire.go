package report

import (
	"fmt"
	"maps"
	"slices"

	"kcompare/internal/evidence"
)

// sent is the requests of one client, by API.
type sent struct {
	client   string
	requests map[string]int64
}

// wireDifferences is "Metadata: franz 92, librdkafka 8" for each API that one
// client asked at least twice as often as another.
func wireDifferences(all []scenario, clients int) list {
	kept, every := comparableVariants(all, clients)
	if len(kept) == 0 {
		return list{title: say("On the wire: not compared, no variant was finished by every client.")}
	}
	totals := requestTotals(kept)
	var l []entry
	for _, api := range apis(totals) {
		if told, notable := compareRequests(totals, api); notable {
			l = append(l, entry{text: say(api + ": " + told)})
		}
	}
	if len(l) == 0 {
		return list{title: say("On the wire: none (no client sends at least twice as many requests as another).")}
	}
	which := "all trials"
	if !every {
		which = "the variants that every client finished"
	}
	return list{title: say("On the wire, over " + which + ", where one client sends at least twice as many requests:"), entries: l}
}

// comparableVariants leaves out where sums would mislead: a variant that some
// client did not run to its end, or not as often.
func comparableVariants(all []scenario, clients int) (kept []variant, every bool) {
	every = true
	for _, s := range all {
		for _, v := range s.variants {
			if len(v.clients) == clients && sameEffort(v) {
				kept = append(kept, v)
			} else {
				every = false
			}
		}
	}
	return kept, every
}

func sameEffort(v variant) bool {
	cut := func(t evidence.Trial) bool { return len(t.Requests) == 0 || !t.Conditions.Finished }
	for _, c := range v.clients {
		if len(c.trials) != len(v.clients[0].trials) || slices.ContainsFunc(c.trials, cut) {
			return false
		}
	}
	return true
}

func requestTotals(variants []variant) []sent {
	var trials []evidence.Trial
	for _, v := range variants {
		trials = append(trials, v.trials()...)
	}
	var totals []sent
	for _, name := range distinct(trials, clientName) {
		total := sent{client: name, requests: map[string]int64{}}
		for _, t := range trials {
			if t.Client == name {
				total.add(t.Requests)
			}
		}
		totals = append(totals, total)
	}
	return totals
}

func (s sent) add(requests map[string]int64) {
	for api, n := range requests {
		s.requests[api] += n
	}
}

func apis(totals []sent) []string {
	all := map[string]bool{}
	for _, t := range totals {
		for api := range t.requests {
			all[api] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// compareRequests: an API that is absent from a client's trace was not asked,
// so here absent is 0.
func compareRequests(totals []sent, api string) (told string, notable bool) {
	var shares []share
	var numbers []int64
	for _, t := range totals {
		shares = append(shares, share{t.client, fmt.Sprint(t.requests[api])})
		numbers = append(numbers, t.requests[api])
	}
	told, _ = compare(shares, len(totals))
	least, most := slices.Min(numbers), slices.Max(numbers)
	return told, most > 0 && most >= 2*least
}
