package lint

import (
	"slices"
	"strings"

	"kcompare/internal/source"
)

// misspelt is the rule over inline code of prose.
var misspelt = Rule{"misspelt-key", Error, "inline code in markdown that is nearly a setting: two dots or more, at most three letters away"}

// wordFindings judges the words that are nearly the name of a setting. Everything else
// in prose is none of lint's business.
func wordFindings(f *source.File) []Finding {
	var all []Finding
	for _, w := range f.Words {
		key, _, _ := strings.Cut(w.Text, "=")
		if !isName(key) || strings.Count(key, ".") < 2 {
			continue
		}
		if _, known := slices.BinarySearch(everyKey(), key); known {
			continue
		}
		if near := misspelling(key, everyKey()); near != "" {
			all = append(all, Finding{
				File: f.Path, Line: w.At.Line, Column: w.At.Column, Severity: misspelt.Severity, Rule: misspelt.Name,
				Key: key, Message: "no client, broker or topic has a setting " + key, Fix: "write " + near,
			})
		}
	}
	return all
}

// isName reports whether a word has the letters of a setting's name.
func isName(word string) bool {
	return strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789._-") == ""
}
