package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"kcompare/internal/evidence"
)

// smallest is the trial to which a violated one was shrunk, as a command.
func smallest(c client) []phrase {
	for _, t := range c.trials {
		if s := t.Shrunk; s != nil {
			return []phrase{{word(fmt.Sprintf("smallest case found: %s, %d of %d times:", AboutSmallest(s), s.Times, s.Tries)), name(s.Command)}}
		}
	}
	return nil
}

// AboutSmallest is "2 records, 1 lost answer": what a trial was shrunk to. A run tells
// it as soon as it is known.
func AboutSmallest(s *evidence.Shrunk) string {
	parts := []string{over([]int64{s.Records}).plural("record")}
	for _, kind := range slices.Sorted(maps.Keys(s.Struck)) {
		parts = append(parts, over([]int64{s.Struck[kind]}).plural(struckNoun(kind)))
	}
	return strings.Join(parts, ", ")
}

func struckNoun(kind string) string {
	switch kind {
	case "drop-response":
		return "lost answer"
	case "drop-request":
		return "lost request"
	}
	return kind
}
