package lang_test

import (
	"context"
	"go/ast"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kcompare/internal/config"
	"kcompare/internal/explain"
	"kcompare/internal/lint"
	"kcompare/internal/source"
)

// TestSettings: what the table says of each setting.
func TestSettings(t *testing.T) {
	u := missing()
	for _, s := range config.Settings() {
		u.ask(s.Name, s.Does)
		u.ask(s.Name, "Not the same: "+s.Gotcha)
	}
	u.report(t)
}

// TestExplained: what is said of values of each setting to each client: good ones, wrong
// ones, and those that contradict another.
func TestExplained(t *testing.T) {
	u := missing()
	for _, s := range config.Settings() {
		for _, value := range tried(s) {
			explained(t, u, s.Name, value)
		}
	}
	for _, r := range config.Rules() {
		u.ask(strings.Join(r.Keys, " and "), r.Reason)
	}
	for _, library := range []string{"franz-go", "kafka-clients", "librdkafka"} {
		for _, p := range config.Newest(library).Properties() {
			explained(t, u, p.Name, "")
		}
	}
	for _, wrong := range []string{"acknowledgements", "min.insync.replicas", "num.partitions", "xyz", "timeout.ms"} {
		explained(t, u, wrong, "")
	}
	u.report(t)
}

// tried are the words of a setting, the ends of its range and beyond, and nonsense near a
// word.
func tried(s config.Setting) []string {
	all := append([]string{"", "0", "1", "-5", "5000", "99999999999", "true", "false", "fals", "transaction"}, s.Words...)
	for _, w := range s.Words {
		all = append(all, w+"x")
	}
	return all
}

func explained(t *testing.T, u *untranslated, name, value string) {
	a := explain.Asked{Name: name}
	if value != "" {
		a.Value = &value
	}
	told, err := explain.Explain([]explain.Asked{a}, explain.Clients())
	if err != nil {
		wrong, is := err.(*config.Error)
		if !is {
			t.Fatalf("%s=%s: %v", name, value, err)
		}
		u.ask(name, wrong.Reason)
		return
	}
	for _, e := range told {
		where := e.Key + "=" + value
		u.ask(where, e.Note)
		u.ask(where, e.Wrong)
		for _, c := range e.Clients {
			u.ask(where+" "+c.Client, c.Lost)
		}
	}
}

// TestDefaults: remarks beside the defaults of every client.
func TestDefaults(t *testing.T) {
	u := missing()
	for _, d := range explain.Defaults([]string{"franz", "librdkafka", "python", "java", "kafka-python", "aiokafka"}) {
		for client, text := range d.Clients {
			word, remark, _ := strings.Cut(text, " (")
			switch {
			case strings.HasPrefix(text, "(") && strings.Count(text, "(") == 1:
				u.ask(d.Key+" "+client, strings.Trim(text, "()"))
			case strings.HasPrefix(text, "("), strings.Contains(word, " "):
				u.ask(d.Key+" "+client, text)
			default:
				u.ask(d.Key+" "+client, strings.TrimSuffix(remark, ")"))
			}
		}
	}
	u.report(t)
}

// TestReasons: the reasons why a setting cannot be carried over, which are errors in the
// sources, and those of lint.
func TestReasons(t *testing.T) {
	u := missing()
	for _, folder := range []string{"internal/convert", "internal/lint"} {
		eachFile(t, "../../"+folder, func(file string, tree *ast.File) {
			name := filepath.Base(file)
			if !slices.ContainsFunc([]string{"franz_combined", "franz_rules", "java_write", "rules_", "facts_"}, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
				return
			}
			for _, text := range append(proseIn(withoutRules(tree)), reasonsIn(tree)...) {
				if !slices.Contains(written, text) {
					u.ask(file, filled(text))
				}
			}
		})
	}
	u.report(t)
}

// written are comments and code in what convert writes, and pieces of sentences: that a
// name and a name are one setting stands in TestFindings.
var written = []string{
	"kgo closes connections after 15 minutes at the latest", "kgo never gives up a record in flight of a transaction",
	"kgo changes the partition of records without a key by batch, librdkafka by time",
	"kgo waits request.timeout.ms (of a fetch: fetch.wait.max.ms) and at least 100 ms more",
	"kgo counts consecutive failures of a broker, so that an answer with an error is retried after the first backoff",
	"%s=%s, lowered: Java refuses a delivery.timeout.ms below linger.ms and request.timeout.ms together.",
	"Java takes both from one file: cat %s %s > FILE, and name that here.", `%s required username="%s" password="${env:%s}";`,
	"topic or broker", "%s and %s are one setting%s",
}

// withoutRules has no sentences about what rules of lint find: no block shows them.
func withoutRules(tree *ast.File) *ast.File {
	ast.Inspect(tree, func(n ast.Node) bool {
		c, is := n.(*ast.CompositeLit)
		if name, named := ident(c, is); named && name == "Rule" {
			c.Elts = nil
		}
		return true
	})
	return tree
}

func ident(c *ast.CompositeLit, is bool) (string, bool) {
	if !is {
		return "", false
	}
	id, named := c.Type.(*ast.Ident)
	if !named {
		return "", false
	}
	return id.Name, true
}

// reasonsIn are the texts of errors, which proseIn leaves out.
func reasonsIn(tree *ast.File) []string {
	var all []string
	ast.Inspect(tree, func(n ast.Node) bool {
		call, is := n.(*ast.CallExpr)
		if !is || !notSaid(call) || len(call.Args) == 0 {
			return true
		}
		if text, is := joined(call.Args[0]); is && prose.MatchString(text) {
			all = append(all, text)
		}
		return true
	})
	return all
}

// TestFindings: what lint says of the files that its own tests have. Those in Java and in
// Python are not read: that takes another program, and TestReasons has the sentences.
func TestFindings(t *testing.T) {
	u := missing()
	files, err := source.Read(context.Background(), source.Options{}, readable(t)...)
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string]bool{}
	for _, f := range lint.Lint(files) {
		rules[f.Rule] = true
		u.ask(f.File+" "+f.Rule, f.Message)
		u.ask(f.File+" "+f.Rule, f.Fix)
	}
	if len(rules) < 20 {
		t.Errorf("findings of %d rules, expected 20 or more: %v", len(rules), slices.Sorted(maps.Keys(rules)))
	}
	u.report(t)
}

func readable(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"*.go", "*.properties"} {
		names, err := filepath.Glob("../lint/testdata/*/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, names...)
	}
	return all
}
