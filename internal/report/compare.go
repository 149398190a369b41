package report

import (
	"fmt"
	"slices"
	"strings"
)

// share is one client's part in a comparison.
type share struct{ client, text string }

// compare is "franz 70, librdkafka 84"; of clients that agree "franz and java 70,
// librdkafka and python 84", and where most of all clients do "kafkajs 190, the other
// three 200".
func compare(shares []share, clients int) (told string, differ bool) {
	all := groups(shares, clients)
	var parts []string
	for i, name := range names(all, clients) {
		parts = append(parts, name+glue+all[i].text)
	}
	return strings.Join(parts, ", "), len(all) > 1
}

// difference is what the clients have of one thing.
type difference struct {
	about  string
	shares []share
}

// tell is a sentence for each thing of which clients have not the same. Where several
// divide many clients alike, each group of clients is named once.
func tell(all []difference, clients int) []string {
	all = filter(all, func(d difference) bool { _, differ := compare(d.shares, clients); return differ })
	divided := func(d difference) string { return fmt.Sprint(d.division(clients)) }
	var out []string
	for _, division := range distinct(all, divided) {
		same := filter(all, func(d difference) bool { return divided(d) == division })
		if clients < manyClients || len(same) == 1 {
			for _, d := range same {
				told, _ := compare(d.shares, clients)
				out = append(out, d.about+": "+told)
			}
			continue
		}
		out = append(out, sides(same, clients)...)
	}
	return out
}

// division is which clients have the same.
func (d difference) division(clients int) [][]string {
	var all [][]string
	for _, g := range groups(d.shares, clients) {
		all = append(all, g.clients)
	}
	return all
}

// sides is "franz and java: acked 190, failed 10" for each group of clients that several
// differences divide alike.
func sides(same []difference, clients int) []string {
	all := groups(same[0].shares, clients)
	var out []string
	for i, name := range names(all, clients) {
		var parts []string
		for _, d := range same {
			at := slices.IndexFunc(d.shares, func(s share) bool { return s.client == all[i].clients[0] })
			parts = append(parts, d.about+glue+d.shares[at].text)
		}
		out = append(out, name+": "+strings.Join(parts, ", "))
	}
	return out
}
