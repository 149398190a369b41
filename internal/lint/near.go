package lint

import (
	"slices"
	"strings"
	"sync"

	"kcompare/internal/config"
)

// everyKey is every key of every client, broker and topic that is written with dots.
var everyKey = sync.OnceValue(func() []string {
	var all []string
	for _, client := range []string{"python", "java", "broker", "topic"} {
		all = append(all, libraryNamed(client).keys()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
})

// nearest is the name that was probably meant: the same words in another order
// (fetch.max.wait.ms), else the one with the fewest other letters.
func nearest(key string, names []string) string {
	words := sortedWords(key)
	for _, name := range names {
		if len(name) == len(key) && sortedWords(name) == words {
			return name
		}
	}
	return config.Nearest(key, names)
}

func sortedWords(key string) string {
	words := strings.Split(key, ".")
	slices.Sort(words)
	return strings.Join(words, ".")
}

// misspelling is nearest, but only where hardly anything else can be meant: at most three
// letters of a name with two dots, one of a name with one. A name behind a word of the
// program's own (my.max.poll.records) is spelt right.
func misspelling(key string, names []string) string {
	dots := strings.Count(key, ".")
	if dots == 0 {
		return ""
	}
	var alike []string
	for _, name := range names {
		if by := len(name) - len(key); by >= -3 && by <= 3 {
			alike = append(alike, name)
		}
	}
	near := nearest(key, alike)
	switch {
	case near == "":
		return ""
	case sortedWords(near) == sortedWords(key),
		dots >= 2 && config.Distance(key, near) <= 3 && !strings.HasSuffix(key, "."+near), dots == 1 && config.Distance(key, near) <= 1:
		return near
	}
	return ""
}
