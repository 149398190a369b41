package report

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"kcompare/internal/evidence"
)

// settings is what every trial set, and what each client could express only
// approximately.
func settings(trials []evidence.Trial, common map[string]string) section {
	var l []entry
	if len(common) > 0 {
		l = append(l, entry{term: word("every trial"), text: say(pairs(common))})
	}
	for _, read := range distinct(trials, func(t evidence.Trial) string { return pairs(t.Reading) }) {
		if read != "" {
			l = append(l, entry{term: word("own reading"), text: say(read)})
		}
	}
	for _, name := range distinct(trials, clientName) {
		term := word(name + " approximates")
		for _, text := range approximations(trials, name) {
			l = append(l, entry{term: term, text: say(text)})
			term = word("")
		}
	}
	s := section{heading: span{text: "Settings", mark: heading}}
	if len(l) > 0 {
		s.lists = []list{{entries: l}}
	}
	return s
}

func approximations(trials []evidence.Trial, client string) []string {
	var all []string
	for _, t := range trials {
		if t.Client == client {
			all = append(all, t.Differences...)
		}
	}
	return distinct(all, func(s string) string { return s })
}

// commonSettings is what all trials set alike. A trial that set nothing, since
// it was not supported, does not count.
func commonSettings(trials []evidence.Trial) map[string]string {
	var common map[string]string
	for _, t := range trials {
		switch {
		case len(t.Config) == 0:
		case common == nil:
			common = maps.Clone(t.Config)
		default:
			maps.DeleteFunc(common, func(key, value string) bool {
				own, set := t.Config[key]
				return !set || own != value
			})
		}
	}
	return common
}

// ownSettings is what a client's trials set beyond the common settings and
// beyond what the name of the variant already says.
func ownSettings(c client, common map[string]string) []string {
	lines := distinct(c.trials, func(t evidence.Trial) string {
		own := maps.Clone(t.Config)
		maps.DeleteFunc(own, func(key, value string) bool {
			_, shared := common[key]
			return shared || slices.Contains(strings.Split(t.Variant, ","), key+"="+value)
		})
		return pairs(own)
	})
	return filter(lines, func(line string) bool { return line != "" })
}

// pairs is "acks=all linger.ms=0", sorted.
func pairs(config map[string]string) string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(config)) {
		value := config[key]
		if value == "" || strings.ContainsAny(value, " \t\n") {
			value = strconv.Quote(value)
		}
		out = append(out, key+"="+value)
	}
	return strings.Join(out, " ")
}
