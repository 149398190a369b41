package lint

import (
	"fmt"
	"slices"

	"kcompare/internal/config"
	"kcompare/internal/source"
)

// ignored is the rule over the comments that silence others.
var ignored = Rule{"ignore", Warning, "a comment kcompare:ignore without a reason, for a rule that does not exist, or with nothing to silence"}

// silence takes out what a comment silences, and adds what is wrong with the comments.
func silence(all []Finding, ignores map[string][]source.Ignore) []Finding {
	var kept []Finding
	used := map[place]bool{}
	for _, f := range all {
		i := slices.IndexFunc(ignores[f.File], func(g source.Ignore) bool { return g.Rule == f.Rule && g.Line == f.Line })
		if i < 0 {
			kept = append(kept, f)
			continue
		}
		used[place{f.File, ignores[f.File][i].At}] = true
	}
	for file, comments := range ignores {
		for _, g := range comments {
			if f, wrong := judgeIgnore(g, used[place{file, g.At}]); wrong {
				f.File = file
				kept = append(kept, f)
			}
		}
	}
	return kept
}

func judgeIgnore(g source.Ignore, used bool) (Finding, bool) {
	f := Finding{Rule: ignored.Name, Line: g.At.Line, Column: g.At.Column, Severity: Warning, Key: g.Rule}
	var known []string
	for _, r := range Rules() {
		known = append(known, r.Name)
	}
	switch {
	case !slices.Contains(known, g.Rule):
		f.Message, f.Fix = fmt.Sprintf("no such rule: %q", g.Rule), "kcompare lint --rules lists them"
		if near := config.Nearest(g.Rule, known); near != "" {
			f.Fix = "write " + near
		}
	case g.Reason == "":
		f.Message, f.Fix = "an ignore without a reason", "say why behind the name of the rule"
	case !used:
		f.Severity, f.Message, f.Fix = Info, "there is nothing to ignore on line "+fmt.Sprint(g.Line), "take the comment out"
	default:
		return f, false
	}
	return f, true
}

// place is a position in one of several files.
type place struct {
	file string
	at   source.Pos
}
