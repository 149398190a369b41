// Package planfile reads fault plans that a person wrote as YAML, and says what is
// wrong with one by file, line and column.
//
// The keys are those of fault.Rule and fault.Selector; Example has them all.
package planfile

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"kcompare/internal/fault"
)

// mostBytes bounds a plan: the time that the YAML parser takes grows with the square
// of the nesting, and would be minutes for a megabyte of brackets.
const mostBytes = 16 << 10

//go:embed example.yaml
var example string

// Example is a plan with comments that has every action once. The rules that start
// with unmarked "#| " ask for what only a cluster or clients of kcompare's own
// have; they are part of the plan when these three characters are taken away.
func Example() string { return example }

// Parse reads a plan. Unknown keys, values of a wrong type, and whatever
// fault.Plan.Validate refuses are errors of the form "name:line:column: ...", one
// line each, where name is that of the file. So is a rule that one of the checks
// refuses; they say what else the caller asks of a rule.
func Parse(name string, content []byte, checks ...func(fault.Rule) error) (fault.Plan, error) {
	plan, err := parse(content, checks)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	return plan, nil
}

func parse(content []byte, checks []func(fault.Rule) error) (fault.Plan, error) {
	if len(content) > mostBytes {
		return nil, &problem{1, 1, fmt.Errorf("%d bytes: expected at most %d", len(content), mostBytes)}
	}
	file, err := parser.ParseBytes(content, 0)
	if err != nil {
		return nil, syntaxProblem(err)
	}
	var bodies []ast.Node
	for _, doc := range file.Docs {
		if doc.Body != nil {
			bodies = append(bodies, doc.Body)
		}
	}
	switch len(bodies) {
	case 0:
		return nil, &problem{1, 1, errors.New("expected the key rules, found nothing")}
	case 1:
		r := reader{checks: checks, named: map[string]int{}}
		return r.plan(bodies[0])
	}
	return nil, wrong(bodies[1], "expected one YAML document, this is the second part of the file")
}

// reader reads the rules of one file.
type reader struct {
	checks []func(fault.Rule) error
	named  map[string]int // lines of rules, by name
}

func (r *reader) plan(body ast.Node) (fault.Plan, error) {
	var plan fault.Plan
	err := mapping(body, "a fault plan", map[string]field{
		"rules": func(key string, value ast.Node) error {
			rules, ok := value.(*ast.SequenceNode)
			if !ok || len(rules.Values) == 0 {
				return wrong(value, "%s: expected a list of rules, got %s", key, kind(value))
			}
			for _, n := range rules.Values {
				rule, err := r.rule(n)
				if err != nil {
					return err
				}
				plan = append(plan, rule)
			}
			return nil
		},
	})
	if err == nil && plan == nil {
		err = wrong(body, "expected the key rules")
	}
	return plan, err
}

func (r *reader) rule(n ast.Node) (fault.Rule, error) {
	rule := fault.Rule{Select: fault.Selector{Probability: 1}} // what nobody made a matter of chance happens
	if err := mapping(n, "a rule", ruleFields(&rule)); err != nil {
		return rule, err
	}
	if line, taken := r.named[rule.Name]; taken {
		return rule, wrong(n, "fault rule %q: the rule in line %d has this name, and every rule needs one of its own", rule.Name, line)
	}
	r.named[rule.Name], _ = position(n)
	if err := (fault.Plan{rule}).Validate(); err != nil {
		return rule, wrong(n, "%w", err)
	}
	for _, check := range r.checks {
		if err := check(rule); err != nil {
			return rule, wrong(n, "%w", err)
		}
	}
	return rule, nil
}

func ruleFields(rule *fault.Rule) map[string]field {
	return map[string]field{
		"name":   text(&rule.Name),
		"action": text(&rule.Action),
		"code":   code(&rule.Code),
		"wait":   duration(&rule.Wait),
		"until":  text(&rule.Until),
		"bytes":  size(&rule.Bytes),
		"rate":   size(&rule.Rate),
		"select": func(_ string, value ast.Node) error {
			return mapping(value, "select", selectorFields(&rule.Select))
		},
	}
}

// selectorFields calls a role a topic: who stands in front of a cluster knows
// topics by their names, and a story's topics by what they are for.
func selectorFields(s *fault.Selector) map[string]field {
	return map[string]field{
		"api":              text(&s.API),
		"client":           text(&s.Client),
		"node":             optional(&s.Node),
		"topic":            text(&s.Role),
		"partition":        optional(&s.Partition),
		"record":           text(&s.Record),
		"producer-id":      optional(&s.ProducerID),
		"epoch":            optional(&s.Epoch),
		"sequence":         optional(&s.Sequence),
		"end":              text(&s.End),
		"transactional-id": text(&s.TransactionalID),
		"warmup":           whole(&s.Warmup),
		"attempts":         whole(&s.Attempts),
		"nth":              whole(&s.Nth),
		"first":            whole(&s.First),
		"probability":      chance(&s.Probability),
	}
}

// problem is what is wrong at one place of the file.
type problem struct {
	line, column int
	err          error
}

// Error has no name of a file, which the caller of Parse knows.
func (p *problem) Error() string { return fmt.Sprintf("%d:%d: %v", p.line, p.column, p.err) }

// Unwrap is what is wrong, without the place.
func (p *problem) Unwrap() error { return p.err }

// wrong is a problem at a node.
func wrong(n ast.Node, format string, args ...any) error {
	line, column := position(n)
	return &problem{line, column, fmt.Errorf(format, args...)}
}

// position of a node is that of its first letter; a mapping begins with its first
// key.
func position(n ast.Node) (line, column int) {
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		n = m.Values[0].Key
	}
	if n == nil {
		return 1, 1
	}
	return tokenPosition(n.GetToken())
}

func tokenPosition(t *token.Token) (line, column int) {
	if t == nil || t.Position == nil {
		return 1, 1
	}
	return t.Position.Line, t.Position.Column
}

// syntaxProblem takes place and cause out of the parser's error, which would show
// the lines around it.
func syntaxProblem(err error) error {
	var syntax *yaml.SyntaxError
	if !errors.As(err, &syntax) {
		return &problem{1, 1, fmt.Errorf("not YAML: %s", firstLine(err.Error()))}
	}
	line, column := tokenPosition(syntax.Token)
	return &problem{line, column, fmt.Errorf("not YAML: %s", firstLine(syntax.Message))}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
