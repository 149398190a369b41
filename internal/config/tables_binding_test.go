//go:build cgo

package config

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"

	"kcompare/internal/pagetest"
)

// TestTableOfTheGoBinding makes the table of the keys that confluent-kafka-go takes out of
// a ConfigMap before librdkafka sees it: in its source they are calls of extract.
func TestTableOfTheGoBinding(t *testing.T) {
	var rows []string
	for file, applies := range map[string]string{"config.go": "*", "producer.go": "P", "consumer.go": "C"} {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(sourceOf(t, kafka.NewProducer), file), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if name, value, ok := extracted(n); ok && strings.HasPrefix(name, "go.") {
				rows = append(rows, bindingRow(name, applies, value))
			}
			return true
		})
	}
	slices.Sort(rows)
	version := pagetest.ModuleVersion(t, "github.com/confluentinc/confluent-kafka-go/v2")
	expectTable(t, "librdkafka-"+strings.TrimPrefix(version, "v")+"-go.tsv", rows)
}

// extracted reads `m.extract("go.batch.producer", false)`.
func extracted(n ast.Node) (name, value string, ok bool) {
	call, is := n.(*ast.CallExpr)
	if !is || len(call.Args) != 2 {
		return "", "", false
	}
	method, is := call.Fun.(*ast.SelectorExpr)
	if !is || method.Sel.Name != "extract" {
		return "", "", false
	}
	name, _ = source(call.Args[0])
	value, ok = source(call.Args[1])
	return name, value, ok
}

// source is a literal's value, or the name that stands there.
func source(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name, true
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil {
			return text, true
		}
		return e.Value, true
	}
	return "", false
}

func bindingRow(name, applies, value string) string {
	kind, limits, code := String, "-", "-"
	_, err := strconv.Atoi(value)
	switch {
	case value == "nil":
		kind, value, code = Code, "-", "yes"
	case value == "true" || value == "false":
		kind, limits = Boolean, "true, false"
	case err == nil:
		kind, limits = Integer, "0 .. 2147483647"
	}
	return strings.Join([]string{name, "-", applies, string(kind), limits, value, code, "go", "-"}, "\t")
}
