package config

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// try is a value of a setting that a library must take, or must refuse.
type try struct {
	name, value string
	good        bool
}

// tries is every name that librdkafka itself knows with its default, the ends of its
// range and what lies beyond, every word, in small and capital letters, and a wrong one.
func tries(v Version) []try {
	all := []try{{"no.such.setting", "1", false}}
	for _, p := range v.Properties() {
		if p.Application || p.Binding != "" || p.Name == "ssl.ca.certificate.stores" { // Windows has it alone
			continue
		}
		for _, value := range goodValues(p) {
			all = append(all, try{p.Name, value, true})
		}
		for _, value := range badValues(p) {
			all = append(all, try{p.Name, value, false})
		}
	}
	return all
}

func goodValues(p Property) []string {
	var all []string
	if p.Default != "-" && p.Type != Refused {
		all = append(all, p.Default)
	}
	switch p.Type {
	case Integer, Float:
		all = append(all, number(p.Min), number(p.Max))
		all = append(all, p.Words...)
	case Boolean:
		all = append(all, "true", "false", "TRUE", "t", "1", "0")
	case Enum, Flags:
		for _, word := range p.Words {
			all = append(all, word, strings.ToUpper(word))
		}
		if p.Type == Flags && len(p.Words) > 1 {
			all = append(all, strings.Join(p.Words[:2], ","))
		}
	case String:
		if !judgedStrings[p.Name] {
			all = append(all, "kcompare")
		}
	}
	return all
}

func badValues(p Property) []string {
	switch p.Type {
	case Integer, Float:
		return []string{number(p.Min - 1), number(p.Max + 1), "kcompare"}
	case Boolean:
		return []string{"yes", "2"}
	case Enum, Flags, Refused:
		return []string{"kcompare"}
	case String:
		if judgedStrings[p.Name] {
			return []string{"kcompare"}
		}
	}
	return nil
}

// judgedStrings are strings that librdkafka looks at when they are set.
var judgedStrings = map[string]bool{
	"partitioner":          true,
	"plugin.library.paths": true,
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// wrongAnswer is empty if a library's answer ("" where it took the value) is as the table
// has it, and else names the row.
func (tr try) wrongAnswer(v Version, answer string) string {
	switch {
	case tr.good && answer != "":
		return fmt.Sprintf("%s %s: row %s: refused %q: %s", v.Library, v.Name, tr.name, tr.value, answer)
	case !tr.good && answer == "":
		return fmt.Sprintf("%s %s: row %s: took %q", v.Library, v.Name, tr.name, tr.value)
	}
	return ""
}

// TestLibrdkafkaOfPython tries every setting on the librdkafka in .venv.
func TestLibrdkafkaOfPython(t *testing.T) {
	python := venv(t)
	v := Newest("librdkafka")
	var lines strings.Builder
	for _, tr := range tries(v) {
		fmt.Fprintf(&lines, "%s\t%s\n", tr.name, tr.value)
	}
	out, _ := ran(t, lines.String(), python, "versions/dump/tries.py")
	answers := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	last := len(answers) - 1
	if last != len(tries(v)) || answers[last] != v.Name {
		t.Fatalf("%d answers of librdkafka %s to %d tries of %s", last, answers[last], len(tries(v)), v.Name)
	}
	for i, tr := range tries(v) {
		if wrong := tr.wrongAnswer(v, answers[i]); wrong != "" {
			t.Error(wrong)
		}
	}
}
