package report

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// again is the command that plays this one trial again, with all flags of the run that
// shape it.
func (b bug) again() string {
	words := []string{"kcompare", "run", b.trial.Scenario, "--client=" + shellQuoted(b.trial.Client), "--variant=" + shellQuoted(b.trial.Variant)}
	seeded := false
	all := shellWords(b.doc.Again)
	for i := 0; i < len(all); i++ {
		w := all[i]
		name, _, _ := strings.Cut(w, "=")
		switch {
		case w == "-X" && i+1 < len(all):
			i++
			words = append(words, w, all[i])
		case !strings.HasPrefix(w, "-"): // the command itself, and its scenarios
		case slices.Contains([]string{"--client", "--variant", "--repeat", "--shrink"}, name):
		default:
			seeded = seeded || name == "--seed"
			words = append(words, w)
		}
	}
	if !seeded {
		words = append(words, "--seed="+strconv.FormatInt(b.doc.Seed, 10))
	}
	return strings.Join(words, " ")
}

var plainWord = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// shellQuoted protects a word from a shell when it needs that.
func shellQuoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func quotedValue(value string) string {
	if value == "" || strings.ContainsAny(value, " \t\n") {
		return strconv.Quote(value)
	}
	return value
}

func sortedKeys(set map[string]string) []string { return slices.Sorted(maps.Keys(set)) }

// baseName is the name of a client without its version.
func baseName(client string) string {
	if strings.HasPrefix(client, "exec:") {
		return "exec"
	}
	name, _, _ := strings.Cut(client, "@")
	return name
}
