package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Check refuses values and combinations that are wrong for every library, with
// an *Error that names each key which takes part. Keys are canonical. Only what
// is given is compared: a clash with a library's own default is for that
// library to refuse. Keys that mean nothing to the role are checked for their
// own value only.
func Check(canonical map[string]string, role Role) error {
	for _, key := range slices.Sorted(maps.Keys(canonical)) {
		if err := checkKey(key, canonical[key]); err != nil {
			return err
		}
	}
	if all := Conflicts(canonical, role); len(all) > 0 {
		return all[0]
	}
	return nil
}

// Conflicts is every contradiction between settings of one client, in the order of the
// rules; Check is for who needs the first one. Keys are canonical. A value that is wrong
// by itself takes part in none.
func Conflicts(canonical map[string]string, role Role) []*Error {
	var all []*Error
	for _, r := range rules {
		if r.role == role && r.broken(given(canonical)) {
			all = append(all, &Error{Keys: r.keys, Reason: r.reason})
		}
	}
	return all
}

func checkKey(key, value string) error {
	s, ok := Lookup(key)
	switch {
	case !ok:
		return unknown(key)
	case s.Name != key:
		return &Error{Keys: []string{key}, Reason: "not the canonical name, use " + s.Name}
	}
	if want := s.refuse(value); want != "" {
		return &Error{Keys: []string{key}, Reason: want}
	}
	return nil
}

// Refuse is empty for a value that this version of the library takes, else it says what
// it expects. Values that only a program can have, and those of keyword arguments without
// a range, are never refused. The value of a String is never repeated.
func (p Property) Refuse(value string) string {
	switch p.Type {
	case Duration, List, Code:
		return ""
	case Refused:
		s, _ := Lookup(p.Name)
		return s.Gotcha
	}
	if p.Range == "-" {
		return ""
	}
	return Setting{Type: p.Type, Range: p.Range, Min: p.Min, Max: p.Max, Words: p.Words}.refuse(value)
}

// refuse is empty for a good value, else it says what was expected. The value
// of a String may be a password, so it is never repeated.
func (s Setting) refuse(value string) string {
	good := true
	switch s.Type {
	case String:
		return ""
	case Refused:
		return s.Gotcha
	case Boolean:
		_, good = Bool(value)
	case Integer:
		_, err := strconv.ParseInt(value, 10, 64)
		good = err == nil && s.inRange(value) || slices.Contains(s.Words, value)
	case Float:
		good = s.inRange(value)
	case Enum:
		good = s.hasWord(value)
	case Flags:
		for word := range strings.SplitSeq(value, ",") {
			good = good && s.hasWord(strings.TrimSpace(word))
		}
	}
	if good {
		return ""
	}
	return s.expected(value)
}

func (s Setting) expected(value string) string {
	kind := string(s.Type)
	switch s.Type {
	case Enum:
		kind = "one of"
	case Flags:
		kind = "a list of"
	}
	text := fmt.Sprintf("is %q, expected %s %s", value, kind, s.Range)
	if near := Nearest(strings.ToLower(value), s.Words); near != "" {
		text += fmt.Sprintf(", did you mean %s?", near)
	}
	return text
}

func (s Setting) inRange(value string) bool {
	v, err := strconv.ParseFloat(value, 64)
	return err == nil && v >= s.Min && v <= s.Max
}

func (s Setting) hasWord(value string) bool {
	return slices.ContainsFunc(s.Words, func(w string) bool { return strings.EqualFold(w, value) })
}

// Bool reads a boolean as librdkafka spells them, in any letter case; ok is
// false for every other word.
func Bool(value string) (v, ok bool) {
	switch strings.ToLower(value) {
	case "true", "t", "1":
		return true, true
	case "false", "f", "0":
		return false, true
	}
	return false, false
}
