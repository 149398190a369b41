package source

import (
	"cmp"
	"slices"
	"strings"

	"kcompare/internal/config"
)

// setting is one setting of a file that is data: its whole name from the top of the
// file, words parted by dots ("spring.kafka.producer.acks"), and what was written.
type setting struct {
	path string
	Entry
}

// hints are what a file says beside its settings about whom they are for.
type hints struct {
	path    string
	remarks []string // comments before the first setting
}

// blocks groups the settings of a file of data by the client that they are for. Settings
// may stand at the top or anywhere below, and nearly always the file has others too:
// a group is where names of Kafka settings are, with all that stands beside them.
func blocks(all []setting, h hints) []Block {
	all = translateSpring(all)
	groups := map[string]*Block{}
	var order []string
	roots := rootsOf(all)
	for _, s := range all {
		root, ok := rootOf(roots, s.path)
		if !ok {
			continue
		}
		if groups[root] == nil {
			groups[root] = &Block{At: s.KeyAt}
			order = append(order, root)
		}
		entry := s.Entry
		entry.Key = relative(root, s.path)
		groups[root].Entries = append(groups[root].Entries, entry)
	}
	found := make([]Block, 0, len(order))
	for _, root := range order {
		b := *groups[root]
		b.Client, b.Role = whose(b.Entries, root, h)
		found = append(found, b)
	}
	besideConnect(found)
	return found
}

// besideConnect gives the clients within a worker or connector (producer.acks) to Java,
// which all of them are.
func besideConnect(all []Block) {
	if !slices.ContainsFunc(all, func(b Block) bool { return b.Client == "connect" }) {
		return
	}
	for i := range all {
		if all[i].Client == "" {
			all[i].Client = "java"
		}
	}
}

// rootsOf are the places under which settings of Kafka stand, longest first: "" is the
// top. One name that also others use (client.id) makes no group.
func rootsOf(all []setting) []string {
	weight, settings := map[string]int{}, map[string]int{}
	for _, s := range all {
		if root, w := rootFor(s.path); w > 0 {
			weight[root] += w
			settings[root]++
		}
	}
	var roots []string
	for root, w := range weight {
		if w >= 2 && (settings[root] > 1 || !within(root, weight) || namesClient(root)) {
			roots = append(roots, root)
		}
	}
	slices.SortFunc(roots, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	return roots
}

// within reports whether root stands below another one. One name alone there is a
// misspelt name of that other group: max.transaction.timeout.ms.
func within(root string, weight map[string]int) bool {
	for other, w := range weight {
		if w >= 2 && other != root && (other == "" || strings.HasPrefix(root, other+".")) {
			return true
		}
	}
	return false
}

// namesClient reports whether the last word of a place says that a client's settings
// follow.
func namesClient(root string) bool {
	last := root[strings.LastIndexByte(root, '.')+1:]
	return slices.Contains([]string{"producer", "consumer", "admin", "client", "kafka", "override", "properties", "configuration", "config"}, last)
}

// rootFor is what stands before the longest name of a Kafka setting that path ends in,
// and how sure it is that this is one: 2 for a name that nobody else has.
func rootFor(path string) (root string, weight int) {
	rest := path
	for {
		if w := telling(rest); w > 0 {
			return strings.TrimSuffix(strings.TrimSuffix(path, rest), "."), w
		}
		_, after, more := strings.Cut(rest, ".")
		if !more {
			return "", 0
		}
		rest = after
	}
}

// telling says how much a name tells that it is Kafka's.
func telling(name string) int {
	switch {
	case !known(name):
		return 0
	case name == "acks", name == "bootstrap.servers", strings.Count(name, ".") >= 2:
		return 2
	case strings.Contains(name, "."):
		return 1
	}
	return 0 // retries, debug, partitioner, listeners: other programs have them too
}

func known(name string) bool {
	_, ok := config.Lookup(name)
	return ok || len(tables()[name]) > 0 || javaOnly(name) || slices.Contains(connectNames(), name)
}

func rootOf(roots []string, path string) (string, bool) {
	for _, root := range roots {
		if root == "" || strings.HasPrefix(path, root+".") {
			return root, true
		}
	}
	return "", false
}

func relative(root, path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, root), ".")
}
