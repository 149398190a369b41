package planfile_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/fault"
	"kcompare/internal/planfile"
)

func ptr[T any](v T) *T { return &v }

func TestParse(t *testing.T) {
	got, err := planfile.Parse("plan.yaml", []byte(`
rules:
  - name: lost-answer
    action: drop-response
    select:
      api: Produce
      topic: orders
      partition: 0
      first: 10
      probability: 0.35
  - {name: slow, action: delay, wait: 1.5s, select: {api: Fetch, client: "7", node: 2}}
  - {name: "no", action: answer-instead, code: NOT_LEADER_OR_FOLLOWER, select: {api: EndTxn, end: abort, transactional-id: shop-1, nth: 3}}
  - {name: number, action: replace-response, code: 51, select: {api: Produce, producer-id: 4000, epoch: 0, sequence: 1, nth: 1}}
  - {name: warm, action: drop-response, select: {api: FindCoordinator, warmup: 4}}
  - {name: old-name, action: replace-response, code: NOT_LEADER_FOR_PARTITION, select: {api: Produce, record: orders/42, nth: 1}}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := fault.Plan{
		{Name: "lost-answer", Action: fault.DropResponse, Select: fault.Selector{
			API: "Produce", Role: "orders", Partition: ptr[int32](0), First: 10, Probability: 0.35}},
		{Name: "slow", Action: fault.Delay, Wait: 1500 * time.Millisecond, Select: fault.Selector{
			API: "Fetch", Client: "7", Node: ptr[int32](2), Probability: 1}},
		{Name: "no", Action: fault.AnswerInstead, Code: 6, Select: fault.Selector{
			API: "EndTxn", End: "abort", TransactionalID: "shop-1", Nth: 3, Probability: 1}},
		{Name: "number", Action: fault.ReplaceResponse, Code: 51, Select: fault.Selector{
			API: "Produce", ProducerID: ptr[int64](4000), Epoch: ptr[int16](0), Sequence: ptr[int32](1), Nth: 1, Probability: 1}},
		{Name: "warm", Action: fault.DropResponse, Select: fault.Selector{
			API: "FindCoordinator", Warmup: 4, Probability: 1}},
		{Name: "old-name", Action: fault.ReplaceResponse, Code: 6, Select: fault.Selector{
			API: "Produce", Record: "orders/42", Nth: 1, Probability: 1}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSizes(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int
	}{
		{"512", 512}, {"64KiB", 64 << 10}, {"1 MiB", 1 << 20},
	} {
		plan, err := planfile.Parse("p", []byte("rules: [{name: r, action: truncate, bytes: "+tt.text+", select: {api: Fetch, nth: 1}}]"))
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
		} else if plan[0].Bytes != tt.want {
			t.Errorf("%s: %d bytes, want %d", tt.text, plan[0].Bytes, tt.want)
		}
	}
}

// TestMistakes: each is one line that begins with where it is.
func TestMistakes(t *testing.T) {
	const rule = "rules:\n- name: r\n  action: drop-response\n"
	for _, tt := range []struct{ name, yaml, want string }{
		{"empty", "", "1:1: expected the key rules, found nothing"},
		{"comment alone", "# nothing\n", "1:1: expected the key rules, found nothing"},
		{"no rules", "rules: []\n", "1:8: rules: expected a list of rules, got an empty list"},
		{"rules without value", "rules:\n", "rules: expected a list of rules, got nothing"},
		{"a list at the top", "- name: r\n", "1:1: a fault plan: expected keys and values, got a list"},
		{"top key", "rule: []\n", `1:1: unknown key "rule" in a fault plan: did you mean rules?`},
		{"rule key", "rules:\n- name: r\n  actoin: delay\n", `3:3: unknown key "actoin" in a rule: did you mean action?`},
		{"far from any key", "rules:\n- zzzzzzz: 1\n", `2:3: unknown key "zzzzzzz" in a rule: expected action, bytes, code, name, rate, select, until, wait`},
		{"selector key", rule + "  select: {api: Produce, nht: 1}\n", `4:26: unknown key "nht" in select: did you mean nth?`},
		{"a rule that is text", "rules:\n- drop\n", `2:3: a rule: expected keys and values, got "drop"`},
		{"select that is text", rule + "  select: Produce\n", `4:11: select: expected keys and values, got "Produce"`},
		{"key twice", rule + "  name: s\n", `4:3: not YAML: mapping key "name" already defined at [2:3]`},
		{"not closed", "rules: [\n", "1:8: not YAML: sequence end token ']' not found"},
		{"two documents", rule + "  select: {api: Fetch, nth: 1}\n---\nrules: []\n", "6:1: expected one YAML document"},
		{"anchor", rule + "  select: &s {api: Fetch}\n", "4:11: select: expected keys and values, got anchor"},
		{"merge key", rule + "  <<: {name: r}\n", "4:3: a rule: expected a plain key, got merge key"},
		{"number as name", "rules:\n- name: 7\n", `2:9: name: expected text, got 7`},
		{"text as number", rule + "  select: {api: Fetch, nth: one}\n", `4:29: nth: expected a whole number, got "one"`},
		{"quoted number", rule + "  select: {api: Fetch, nth: \"1\"}\n", `4:29: nth: expected a whole number, got "1"`},
		{"fraction", rule + "  select: {api: Fetch, nth: 1.5}\n", "4:29: nth: expected a whole number, got 1.5"},
		{"too large", rule + "  select: {api: Fetch, partition: 3000000000, nth: 1}\n", "4:35: partition: expected a whole number, got 3000000000"},
		{"probability in percent", rule + "  select: {api: Fetch, nth: 1, probability: 35%}\n", `4:45: probability: expected a number from 0 to 1, got "35%"`},
		{"duration without unit", "rules:\n- name: r\n  wait: 250\n", "3:9: wait: expected a duration such as 250ms or 2s, got 250"},
		{"duration of words", "rules:\n- name: r\n  wait: long\n", `3:9: wait: expected a duration such as 250ms or 2s, got "long"`},
		{"size", "rules:\n- name: r\n  bytes: 1GB\n", `3:10: bytes: expected bytes such as 512, 64KiB or 1MiB, got "1GB"`},
		{"size beyond an int", "rules:\n- name: r\n  bytes: 3000MiB\n", `3:10: bytes: expected bytes such as`},
		{"code", "rules:\n- name: r\n  code: NOT_LEADER_OR_FOLOWER\n", `3:9: code: unknown error code "NOT_LEADER_OR_FOLOWER": did you mean NOT_LEADER_OR_FOLLOWER?`},
		{"code far from any", "rules:\n- name: r\n  code: oops\n", `3:9: code: unknown error code "oops": expected a name such as`},
		{"code out of range", "rules:\n- name: r\n  code: 70000\n", "3:9: code: expected a whole number, got 70000"},
		{"name missing", "rules:\n- action: delay\n", `2:3: fault rule "": every rule needs a name`},
		{"name twice", rule + "  select: {api: Fetch, nth: 1}\n- name: r\n", `5:3: fault rule "r": the rule in line 2 has this name`},
		{"validation", rule + "  select: {api: Fetch, nth: 1, first: 2}\n", `2:3: fault rule "r": nth 1 and first 2: set one of them`},
		{"action", "rules:\n- {name: r, action: explode, select: {api: Fetch}}\n", `2:3: fault rule "r": action "explode": expected one of drop-response`},
		{"size of the file", strings.Repeat("#", 1<<20), "1:1: 1048576 bytes: expected at most 16384"},
	} {
		plan, err := planfile.Parse("plan.yaml", []byte(tt.yaml))
		switch {
		case err == nil:
			t.Errorf("%s: parsed as %+v, want an error with %q", tt.name, plan, tt.want)
		case !strings.HasPrefix(err.Error(), "plan.yaml:") || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n"):
			t.Errorf("%s: %v\nwant one line with plan.yaml: and %s", tt.name, err, tt.want)
		}
	}
}

// TestChecks: what a caller refuses is refused where the rule stands.
func TestChecks(t *testing.T) {
	refused := errors.New("not here")
	check := func(r fault.Rule) error {
		if r.Name == "second" {
			return refused
		}
		return nil
	}
	const plan = "rules:\n" +
		"- {name: first, action: delay, wait: 1s, select: {api: Fetch}}\n" +
		"- {name: second, action: delay, wait: 1s, select: {api: Fetch}}\n"
	_, err := planfile.Parse("plan.yaml", []byte(plan), check)
	if !errors.Is(err, refused) || !strings.HasPrefix(err.Error(), "plan.yaml:3:3: ") {
		t.Errorf("error %v, want %q at plan.yaml:3:3", err, refused)
	}
}

// whole is the example with the rules that are marked as refused by the proxy.
func whole() string { return strings.ReplaceAll(planfile.Example(), "#|", "") }

// TestExample: it is a plan as it stands, and with the marked rules it has every
// action and every key.
func TestExample(t *testing.T) {
	if _, err := planfile.Parse("example.yaml", []byte(planfile.Example())); err != nil {
		t.Error(err)
	}
	plan, err := planfile.Parse("example.yaml", []byte(whole()))
	if err != nil {
		t.Fatal(err)
	}
	used := map[fault.Action]int{}
	for _, r := range plan {
		used[r.Action]++
	}
	for _, action := range declaredActions(t) {
		if used[action] == 0 {
			t.Errorf("no rule with action %s", action)
		}
	}
	judgedOnly := []string{"Certain", "NotSent"} // for a verdict, nothing that a fault needs
	for _, field := range append(unset(plan, rulesOf), unset(plan, selectorsOf)...) {
		if !slices.Contains(judgedOnly, field) {
			t.Errorf("no rule sets %s", field)
		}
	}
}

func rulesOf(r fault.Rule) reflect.Value     { return reflect.ValueOf(r) }
func selectorsOf(r fault.Rule) reflect.Value { return reflect.ValueOf(r.Select) }

// unset lists the fields of a struct that no rule of the plan sets.
func unset(plan fault.Plan, of func(fault.Rule) reflect.Value) []string {
	var names []string
	for i := range of(fault.Rule{}).NumField() {
		set := slices.ContainsFunc(plan, func(r fault.Rule) bool { return !of(r).Field(i).IsZero() })
		if !set {
			names = append(names, of(fault.Rule{}).Type().Field(i).Name)
		}
	}
	return names
}

// declaredActions are the constants of type Action in package fault.
func declaredActions(t *testing.T) []fault.Action {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../fault/fault.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var actions []fault.Action
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); ok && name.Name == "Action" {
			text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			actions = append(actions, fault.Action(text))
		}
		return true
	})
	if len(actions) < 7 {
		t.Fatalf("found %d actions in fault.go", len(actions))
	}
	return actions
}

// FuzzParse: whatever stands in a file, a plan is valid or there is one line that
// says where it is not.
func FuzzParse(f *testing.F) {
	f.Add([]byte(planfile.Example()))
	if page, err := os.ReadFile("example.yaml"); err == nil {
		f.Add(page[:len(page)/2])
	}
	for _, seed := range []string{whole(), "rules: [{name: r}]", "? a\n: b", "rules: &a [*a]", "%YAML 1.2\n---\n", "a: |\n b", "- - - -", "\"\\x"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		plan, err := planfile.Parse("plan.yaml", content)
		if err == nil {
			if err := plan.Validate(); err != nil {
				t.Errorf("parsed, and not valid: %v", err)
			}
			return
		}
		if strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "plan.yaml:") {
			t.Errorf("expected one line with the place, got %q", err)
		}
	})
}
