package report

import (
	"fmt"
	"slices"
	"strings"
)

// group is clients of which the same is true.
type group struct {
	clients []string
	text    string // what is true of them
}

// groups brings shares together that say the same, in the order in which each text
// comes first. The group that most of so many clients are in comes last, where there
// is one and every client takes part: what stands out is told first.
func groups(shares []share, clients int) []group {
	var all []group
	for _, text := range distinct(shares, func(s share) string { return s.text }) {
		g := group{text: text}
		for _, s := range shares {
			if s.text == text {
				g.clients = append(g.clients, s.client)
			}
		}
		all = append(all, g)
	}
	most := func(g group) bool { return len(shares) == clients && g.isMost(clients) }
	if i := slices.IndexFunc(all, most); i >= 0 {
		all = append(slices.Delete(slices.Clone(all), i, i+1), all[i])
	}
	return all
}

// isMost says whether so many of all clients are in the group that the rest is the
// exception.
func (g group) isMost(clients int) bool {
	return len(g.clients) > 1 && 2*len(g.clients) > clients
}

// names are what each group is called. The last one is "the other seven" where it has
// most of the clients and all the rest is named before it.
func names(all []group, clients int) []string {
	var out []string
	named := 0
	for i, g := range all {
		named += len(g.clients)
		if i > 0 && i == len(all)-1 && named == clients && g.isMost(clients) {
			out = append(out, "the other "+numberWord(len(g.clients)))
			continue
		}
		out = append(out, listed(g.clients))
	}
	return out
}

// listed is "franz", "franz and java", "franz, java and kafkajs".
func listed(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// numberWord is how a number of clients is written within a sentence.
func numberWord(n int) string {
	words := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	if n >= 0 && n < len(words) {
		return words[n]
	}
	return fmt.Sprint(n)
}
