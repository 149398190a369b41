package lang_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
	"kcompare/internal/scenario"
)

// untranslated lists what has no Russian translation, each once.
type untranslated struct {
	in   lang.Printer
	seen map[string]bool
	all  []string
}

func (u *untranslated) ask(where, english string) {
	if english == "" || u.seen[english] {
		return
	}
	u.seen[english] = true
	if !u.in.Knows(english) {
		u.all = append(u.all, where+"\t"+english)
	}
}

func (u *untranslated) report(t *testing.T) {
	t.Helper()
	if len(u.all) > 0 {
		t.Errorf("%d texts have no Russian translation in internal/lang/ru:\n%s", len(u.all), strings.Join(u.all, "\n"))
	}
}

func missing() *untranslated {
	return &untranslated{in: lang.In(lang.Russian), seen: map[string]bool{}}
}

// TestScenarios: every text of every variant, with the parameters that change it.
func TestScenarios(t *testing.T) {
	u := missing()
	one := scenario.DefaultParameters()
	one.Messages, one.DropRate, one.Retries, one.Warmup, one.DeliveryTimeout = 1, 0.125, 1, 1, 2500*time.Millisecond
	none := scenario.DefaultParameters()
	none.Messages, none.Retries, none.Warmup = 22, 0, 0
	for _, s := range scenario.All() {
		u.ask(s.Name, s.Summary)
		for _, v := range s.Variants {
			for _, p := range []scenario.Parameters{scenario.DefaultParameters(), one, none} {
				played := v.With(p)
				where := s.Name + " " + v.Name
				for _, text := range []string{played.About(p), played.Claim, string(played.Kind), played.NeedsKafka} {
					u.ask(where, text)
				}
				for _, rule := range played.Plan(p) {
					u.ask(where, rule.Unplanned())
				}
			}
		}
	}
	u.report(t)
}

// TestNames: metrics, which reasons name as evidence has them.
func TestNames(t *testing.T) {
	u := missing()
	for _, m := range evidence.Metrics() {
		u.ask("evidence", string(m))
	}
	u.report(t)
}

// TestEvidence: every text of the evidence that the workbook's pages tell of.
func TestEvidence(t *testing.T) {
	u := missing()
	files, err := filepath.Glob("../../docs/evidence/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, extra()...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var doc evidence.Document
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, trial := range doc.Trials {
			askTrial(u, trial)
		}
	}
	u.report(t)
}

// extra is evidence that somebody wants to be asked of, too: KCOMPARE_EVIDENCE=FILE.
func extra() []string {
	if file := os.Getenv("KCOMPARE_EVIDENCE"); file != "" {
		return []string{file}
	}
	return nil
}

func askTrial(u *untranslated, t evidence.Trial) {
	where := t.Scenario + " " + t.Variant + " " + t.Client
	for _, text := range slices.Concat([]string{t.About, t.Claim, t.Conditions.Unsupported, t.Conditions.Unchecked}, t.Differences, t.Reasons, t.Notes) {
		u.ask(where, text)
	}
	for _, a := range t.Anomalies {
		u.ask(where, a.Cause)
	}
	for _, a := range t.Answers {
		u.ask(where, a.Question)
		u.ask(where, a.Answer)
	}
	for _, e := range t.Errors {
		u.ask(where, e.Who)
		u.ask(where, e.Call)
	}
	for _, f := range t.Faults {
		u.ask(where, f.Kind)
		u.ask(where, f.NotApplicable)
		u.ask(where, f.Unplanned)
	}
}

// TestLiterals: every sentence in the sources of what writes evidence and reports. The
// places of a format are filled, so that it reads as a text does.
func TestLiterals(t *testing.T) {
	u := missing()
	for _, folder := range []string{
		"internal/scenario", "internal/audit", "internal/verdict", "internal/fault", "internal/trial", "internal/diff",
		"internal/report", "internal/bench", "drivers", "franz", "sarama",
	} {
		for _, l := range literals(t, "../../"+folder) {
			if !slices.Contains(unsaid[folder], l.text) && !slices.Contains(unsaid[l.file], "") {
				u.ask(l.file, filled(l.text))
			}
		}
	}
	u.report(t)
}

// TestSaid: every literal that blocks, diagrams and charts hand to a printer. Where they say
// a variable, every literal of the function that does.
func TestSaid(t *testing.T) {
	u := missing()
	for _, folder := range []string{"internal/workbook", "internal/sequence", "internal/plot", "internal/report"} {
		eachFile(t, "../../"+folder, func(file string, tree *ast.File) {
			for _, text := range handedOver(tree) {
				u.ask(file, filled(text))
			}
		})
	}
	u.report(t)
}

// handedOver is the literals in calls of Say.
func handedOver(tree *ast.File) []string {
	var all []string
	for _, d := range tree.Decls {
		ast.Inspect(d, func(n ast.Node) bool {
			call, is := n.(*ast.CallExpr)
			if !is || !isSay(call) {
				return true
			}
			text, whole := joined(call.Args[0])
			switch {
			case whole && strings.Trim(text, "%s ") != "":
				all = append(all, text)
			case isFormat(call.Args[0]):
				format, _ := joined(call.Args[0].(*ast.CallExpr).Args[0])
				all = append(all, format)
			default:
				all = append(all, proseIn(d)...)
			}
			return false
		})
	}
	return all
}

func isSay(call *ast.CallExpr) bool {
	f, is := call.Fun.(*ast.SelectorExpr)
	return is && f.Sel.Name == "Say" && len(call.Args) == 1
}

// isFormat says whether it is a call of fmt.Sprintf.
func isFormat(e ast.Expr) bool {
	call, is := e.(*ast.CallExpr)
	if !is {
		return false
	}
	f, is := call.Fun.(*ast.SelectorExpr)
	return is && f.Sel.Name == "Sprintf"
}

func proseIn(n ast.Node) []string {
	var all []string
	ast.Inspect(n, func(n ast.Node) bool {
		if notSaid(n) {
			return false
		}
		e, is := n.(ast.Expr)
		if !is {
			return true
		}
		text, is := joined(e)
		if is && prose.MatchString(text) {
			all = append(all, text)
		}
		return !is
	})
	return all
}

type literal struct{ file, text string }

// literals are the texts of a folder that read like language: constants, and what is
// joined with others by +, with %s for each other.
func literals(t *testing.T, folder string) []literal {
	t.Helper()
	var all []literal
	eachFile(t, folder, func(file string, tree *ast.File) {
		for _, text := range proseIn(tree) {
			all = append(all, literal{file, text})
		}
	})
	return all
}

// eachFile parses the files of a folder that are no tests.
func eachFile(t *testing.T, folder string, look func(file string, tree *ast.File)) {
	t.Helper()
	names, err := fs.Glob(os.DirFS(folder), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		look(strings.TrimPrefix(folder, "../../")+"/"+name, tree)
	}
}

// prose is two words or more. A text of several lines is for `kcompare scenarios` alone.
var prose = regexp.MustCompile(`^[^\n]*[a-z]{2,}[,;:]? [a-z(%"][^\n]*$|^[^\n]*[a-z%][a-z]* [a-z]{2,}[^\n]*$`)

// notSaid are errors, which are written to stderr in English, tags and imports.
func notSaid(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec, *ast.Field:
		return true
	case *ast.CallExpr:
		f, is := n.Fun.(*ast.SelectorExpr)
		return is && slices.Contains([]string{"Errorf", "New", "MustCompile"}, f.Sel.Name)
	}
	return false
}

func joined(e ast.Expr) (text string, is bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, err := strconv.Unquote(e.Value)
			return text, err == nil
		}
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			left, a := joined(e.X)
			right, b := joined(e.Y)
			return left + right, a || b
		}
	case *ast.ParenExpr:
		return joined(e.X)
	}
	return "%s", false
}

var verb = regexp.MustCompile(`%(?:\[\d+\])?[.0-9]*([a-z%])`)

// filled has a name for each text and a number for each figure. A piece that begins or ends
// in the middle of a sentence gets a name there.
func filled(format string) string {
	text := verb.ReplaceAllStringFunc(format, func(v string) string {
		switch v[len(v)-1] {
		case 'd':
			return "2"
		case 'f', 'g':
			return "0.5"
		case 'q':
			return `"x"`
		case '%':
			return "%"
		}
		return "X"
	})
	if strings.ContainsAny(text[:1], " ,;:") {
		text = "X" + text
	}
	if strings.HasSuffix(text, " ") || strings.HasSuffix(text, "(") {
		text += "X"
	}
	return text
}

// unsaid are literals that no reader of a report or a page sees, by folder, and whole
// files ("").
var unsaid = map[string][]string{
	"internal/verdict/contradictions.go": {""},           // errors
	"internal/bench/check.go":            {""},           // errors
	"internal/bench/faults.go":           {""},           // errors
	"internal/bench/judge.go":            {""},           // TestBench of package report says what is said of it
	"internal/bench":                     {"late fetch"}, // a rule's name
	"internal/report/anomaly.go":         {""},           // a noun and what is wrong with it: TestAnomaliesAreSaid of package report
	"internal/audit": {
		"audit: a send that was met has no first copy", "partitions of %s: %v", "partitions of %s: %d declared, expected at least 1",
	},
	"internal/verdict": {"to equal", "at least", "more than"}, // within a sentence
	"internal/report": {
		"kcompare report --diff", "light dark", "unknown row %q: expected some of %s", "%s of %s acknowledged records %s not in the log", "%s %s there once too often", // with figures
	},
}

func TestFilled(t *testing.T) {
	for format, want := range map[string]string{
		"%d of %s, %.1f %% of %q": `2 of X, 0.5 % of "x"`,
		", the first %s":          "X, the first X",
		"cause: ":                 "cause: X",
	} {
		if got := filled(format); got != want {
			t.Errorf("%s: got %s, want %s", format, got, want)
		}
	}
}
