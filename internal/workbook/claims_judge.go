package workbook

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"kcompare/internal/config"
	"kcompare/internal/convert"
	"kcompare/internal/evidence"
	"kcompare/internal/explain"
	"kcompare/internal/lang"
	"kcompare/internal/lint"
	"kcompare/internal/report"
	"kcompare/internal/source"
)

// outcome is what became of a proof, or of all that are about a claim.
type outcome string

// The outcomes.
const (
	proven  outcome = "yes"
	refuted outcome = "no"
	unknown outcome = "not known" // a trial that was inconclusive, a count that nobody knows
)

// judged is a proof with what was found, in the words of the page.
type judged struct {
	outcome outcome
	text    string // markdown
}

// judge looks at a proof. The error is an *AttributeError or an *UncheckedError.
func (c Course) judge(p lang.Printer, proof Proof) (judged, error) {
	switch {
	case len(proof.Needs) > 0:
		return c.judgeTrials(p, proof)
	case proof.Ratio != nil:
		return c.judgeBench(p, proof)
	case proof.Option != nil:
		return judgeSetting(p, *proof.Option)
	case proof.Rule != "":
		return c.judgeLint(p, proof)
	case proof.File != "":
		return c.judgeSource(p, proof)
	}
	return c.judgeProgram(p, proof)
}

func yesOrNo(yes bool) outcome {
	if yes {
		return proven
	}
	return refuted
}

// worst is the outcome of several things that all have to be so.
func worst(all []outcome) outcome {
	for _, o := range []outcome{refuted, unknown} {
		if slices.Contains(all, o) {
			return o
		}
	}
	return proven
}

// seen is what one client did.
type seen struct {
	client  string
	outcome outcome
	text    string // markdown; "" where the claim says it already
}

func (c Course) judgeTrials(p lang.Printer, proof Proof) (judged, error) {
	doc, err := gather(c, proof.Needs)
	if err != nil {
		return judged{}, err
	}
	var all []seen
	for _, t := range doc.Trials {
		all = append(all, proof.see(p, t))
	}
	n := proof.Needs[0]
	where := report.Code(n.Scenario) + " " + report.Code(n.Variant)
	for _, flag := range flagsBeside(n) {
		where += " " + report.Code(flag)
	}
	var outcomes []outcome
	for _, s := range all {
		outcomes = append(outcomes, s.outcome)
	}
	text := fmt.Sprintf("%s %s (%s)", proof.asked(p), sayAll(all), where)
	return judged{worst(outcomes), text}, nil
}

// flagsBeside are those of `kcompare run` that a trial has beside the usual ones.
func flagsBeside(n Need) []string {
	var flags []string
	if n.Broker != brokerEmbedded {
		flags = append(flags, "--broker="+n.Broker)
	}
	usual := flagsOf(usualParameters(n.Broker))
	for i, flag := range flagsOf(n.Parameters) {
		if flag != usual[i] {
			flags = append(flags, "--"+flag)
		}
	}
	return flags
}

// asked is what the claim says of a trial.
func (proof Proof) asked(p lang.Printer) string {
	switch {
	case len(proof.Checks) > 0:
		var all []string
		for _, c := range proof.Checks {
			all = append(all, report.Code(c.left+" "+c.op+" "+c.right))
		}
		return strings.Join(all, ", ") + ":"
	case proof.Answer != nil:
		return report.Plain(said(p, proof.Answer.question)) + ":"
	case proof.Error != nil:
		return p.Say(fmt.Sprintf("`%s` is refused:", proof.Error.call))
	}
	return p.Say("verdict") + ":"
}

// sayAll puts clients together that did the same.
func sayAll(all []seen) string {
	var parts []string
	for _, text := range distinct(all, func(s seen) string { return s.text }) {
		var clients []string
		for _, s := range all {
			if s.text == text {
				clients = append(clients, s.client)
			}
		}
		parts = append(parts, strings.TrimSpace(text+" "+strings.Join(clients, ", ")))
	}
	return strings.Join(parts, "; ")
}

// see is what one trial has of a proof. One that is not complete shows nothing.
func (proof Proof) see(p lang.Printer, t evidence.Trial) seen {
	s := seen{client: t.Client}
	switch {
	case t.Verdict == evidence.Inconclusive || t.Verdict == evidence.NotSupported:
		s.outcome, s.text = unknown, p.Say(string(t.Verdict))
	case len(proof.Checks) > 0:
		s.outcome, s.text = compareCounts(p, proof.Checks, t)
	case proof.Answer != nil:
		s.outcome, s.text = proof.Answer.see(p, t)
	case proof.Error != nil:
		s.outcome, s.text = proof.Error.see(p, t)
	default:
		s.outcome, s.text = yesOrNo(string(t.Verdict) == proof.Judged), "**"+p.Say(string(t.Verdict))+"**"
	}
	return s
}

func compareCounts(p lang.Printer, checks []comparison, t evidence.Trial) (outcome, string) {
	var outcomes []outcome
	var figures []string
	for _, c := range checks {
		left, knownLeft := count(t, c.left)
		right, knownRight := count(t, c.right)
		if !knownLeft || !knownRight {
			outcomes = append(outcomes, unknown)
			figures = append(figures, p.Say("not known"))
			continue
		}
		outcomes = append(outcomes, yesOrNo(holds(left, c.op, right)))
		figure := strconv.FormatInt(left, 10)
		if _, isNumber := evidence.Counts(nil).Value(c.right); !isNumber {
			figure += " " + c.op + " " + strconv.FormatInt(right, 10)
			figure = strings.ReplaceAll(figure, " == "+strconv.FormatInt(left, 10), "")
		}
		figures = append(figures, report.Plain(figure))
	}
	return worst(outcomes), "**" + strings.Join(figures, ", ") + "**"
}

// count is what stands for an operand: a number, a metric, or requests of an API, of which
// none is 0.
func count(t evidence.Trial, operand string) (int64, bool) {
	if api, is := strings.CutPrefix(operand, requestsOf); is {
		return t.Requests[api], true
	}
	return t.Counts.Value(operand)
}

func holds(left int64, op string, right int64) bool {
	switch order := cmp.Compare(left, right); op {
	case "==":
		return order == 0
	case "!=":
		return order != 0
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	case "<":
		return order < 0
	default: // "<="; there is no other one (comparisonText)
		return order <= 0
	}
}

func (a answerProof) see(p lang.Printer, t evidence.Trial) (outcome, string) {
	i := slices.IndexFunc(t.Answers, func(other evidence.Answer) bool { return other.Question == a.question })
	if i < 0 || t.Answers[i].Answer == "" {
		return unknown, p.Say("not known")
	}
	got := t.Answers[i].Answer
	is := got == a.is
	if a.matches != nil {
		is = a.matches.MatchString(got)
	}
	return yesOrNo(is), "**" + report.Plain(said(p, got)) + "**"
}

func (e errorProof) see(p lang.Printer, t evidence.Trial) (outcome, string) {
	var told []string
	met := false
	for _, one := range t.Errors {
		if one.Call != e.call {
			continue
		}
		told = append(told, report.Code(one.Code)+" ("+report.Plain(p.Say(one.Class))+")")
		met = met || (e.code == "" || e.code == one.Code) && (e.class == "" || e.class == one.Class)
	}
	if len(told) == 0 {
		return refuted, "**" + p.Say("not at all") + "**"
	}
	return yesOrNo(met), strings.Join(once(told), ", ")
}

func judgeSetting(p lang.Printer, s settingProof) (judged, error) {
	all := libraries()
	l := all[slices.IndexFunc(all, func(l library) bool { return l.client == s.client })]
	if s.byDefault == "" {
		has := l.knows(s.key)
		text := fmt.Sprintf("there is a setting `%s`", s.key)
		if !has {
			text = fmt.Sprintf("there is no setting `%s`", s.key)
		}
		return judged{yesOrNo(has == s.known), report.Plain(l.title) + ": " + p.Say(text)}, nil
	}
	word, err := defaultIn(l, s.key)
	if err != nil {
		return judged{}, err
	}
	setting, _ := config.Lookup(s.key)
	text := fmt.Sprintf("the default of `%s` is `%s`", s.key, word)
	return judged{yesOrNo(convert.SameValue(setting, word, s.byDefault)), report.Plain(l.title) + ": " + p.Say(text)}, nil
}

// defaultIn is what a library does where the setting is not given, without remarks.
func defaultIn(l library, key string) (string, error) {
	setting, _ := config.Lookup(key)
	for _, d := range explain.Defaults([]string{l.client}) {
		if d.Key == setting.Name {
			word, _, _ := strings.Cut(d.Clients[l.client], " (")
			return word, nil
		}
	}
	return "", attributeError("file", "%s is a setting of Java that librdkafka refuses: it has no default to compare", key)
}

// knows reports whether the library takes a key of that very name.
func (l library) knows(key string) bool {
	v, there := config.Find(l.table, l.version)
	if !there {
		return false
	}
	_, has := v.Property(key)
	return has
}

func (c Course) judgeLint(p lang.Printer, proof Proof) (judged, error) {
	line, err := c.lintFinds(proof.Rule, proof.File)
	if err != nil {
		return judged{}, err
	}
	text := fmt.Sprintf("lint does not find `%s` in `%s`", proof.Rule, proof.File)
	if line > 0 {
		text = fmt.Sprintf("lint finds `%s` in line %d of `%s`", proof.Rule, line, proof.File)
	}
	return judged{yesOrNo((line == 0) == proof.Absent), p.Say(text)}, nil
}

// lintFinds is the first line of a file in which lint finds what a rule is about; 0 where
// there is none.
func (c Course) lintFinds(rule, file string) (line int, err error) {
	f, err := c.listing("file", file)
	if err != nil {
		return 0, err
	}
	if f.Unread != "" {
		return 0, attributeError("file", "%q cannot be read: %s", file, f.Unread)
	}
	for _, finding := range lint.Lint([]source.File{f}) {
		if finding.Rule == rule && (line == 0 || finding.Line < line) {
			line = finding.Line
		}
	}
	return line, nil
}

func (c Course) judgeSource(p lang.Printer, proof Proof) (judged, error) {
	if err := checkFile(c.Files, "file", proof.File); err != nil {
		return judged{}, err
	}
	content, err := fs.ReadFile(c.Files, proof.File)
	if err != nil {
		return judged{}, err
	}
	has := strings.Contains(string(content), proof.Has)
	text := fmt.Sprintf("`%s` has `%s`", proof.File, proof.Has)
	if !has {
		text = fmt.Sprintf("`%s` does not have `%s`", proof.File, proof.Has)
	}
	return judged{yesOrNo(has != proof.Absent), p.Say(text)}, nil
}

func (c Course) judgeProgram(p lang.Printer, proof Proof) (judged, error) {
	printed, ok := c.Evidence.Output(proof.Program)
	if !ok {
		return judged{}, errors.New("there is no output of " + proof.Program)
	}
	does := slices.Contains(printed, proof.Line)
	text := fmt.Sprintf("`%s` prints `%s`", proof.Program, proof.Line)
	if other := likeLine(printed, proof.Line); !does && other != "" {
		text = fmt.Sprintf("`%s` prints `%s`, not `%s`", proof.Program, other, proof.Line)
	} else if !does {
		text = fmt.Sprintf("`%s` does not print `%s`", proof.Program, proof.Line)
	}
	return judged{yesOrNo(does), p.Say(text)}, nil
}

// likeLine is the line that is about the same, as what stands before its colon says: "" where
// there is none that can stand as code.
func likeLine(printed []string, line string) string {
	about, _, has := strings.Cut(line, ": ")
	i := slices.IndexFunc(printed, func(other string) bool { return has && strings.HasPrefix(other, about+": ") })
	if i < 0 || strings.ContainsAny(printed[i], "`|\\") {
		return ""
	}
	return printed[i]
}
