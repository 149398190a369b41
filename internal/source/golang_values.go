package source

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"time"
)

// goDepth is how far names are followed: a constant that is another constant, a function
// that calls a function.
const goDepth = 8

// goValue is what an expression is, as far as can be known without running it.
type goValue struct {
	Value
	goType string   // of the library's view: "int64", "float64"; "" where unknown
	words  []string // of a list of strings; nil for anything else
	millis string   // of a duration, in milliseconds
}

// value folds an expression.
func (f *goFile) value(e ast.Expr) goValue {
	v := f.fold(e, 0)
	v.Source, v.At = f.source(e), f.at(e.Pos())
	if v.Kind == Computed {
		v.Changing = f.changing(e, 0)
	}
	return v
}

func (f *goFile) fold(e ast.Expr, depth int) goValue {
	e = ast.Unparen(e)
	known := f.info.Types[e]
	if known.IsNil() {
		return goValue{Value: Value{Kind: Null}}
	}
	if known.Value != nil && known.Value.Kind() != constant.Unknown {
		return ofConstant(known)
	}
	if depth > goDepth {
		return goComputed()
	}
	switch e := e.(type) {
	case *ast.Ident:
		if in, value, ok := f.definition(e); ok {
			return in.fold(value, depth+1).as(f.info.Types[e].Type)
		}
		if _, isFunc := f.object(e).(*types.Func); isFunc {
			return goCode()
		}
	case *ast.SelectorExpr:
		if c := standardConstant(f.member(e)); c != nil {
			return ofConstant(types.TypeAndValue{Value: c.Val(), Type: c.Type()})
		}
	case *ast.FuncLit:
		return goCode()
	case *ast.UnaryExpr:
		if _, isLiteral := e.X.(*ast.CompositeLit); isLiteral {
			return goCode()
		}
	case *ast.CompositeLit:
		return f.foldList(e, depth)
	case *ast.BasicLit:
		return ofBasic(e)
	case *ast.BinaryExpr:
		return f.foldBinary(e, depth)
	case *ast.CallExpr:
		return f.foldCall(e, depth)
	}
	return goComputed()
}

func goComputed() goValue { return goValue{Value: Value{Kind: Computed}} }
func goCode() goValue     { return goValue{Value: Value{Kind: Code}} }

func goText(s string) goValue {
	return goValue{Value: Value{Kind: Text, Text: s}, goType: "string"}
}

// as says what type the value has where it is used: a variable of type int64 is not what
// its literal is.
func (v goValue) as(t types.Type) goValue {
	if b, ok := t.(*types.Basic); ok && b.Kind() != types.Invalid && v.goType != "" {
		v.goType = types.Default(b).String()
	}
	return v
}

// ofBasic is a literal that the type checker did not reach: an argument of a call it knows
// nothing of.
func ofBasic(lit *ast.BasicLit) goValue {
	c := constant.MakeFromLiteral(lit.Value, lit.Kind, 0)
	kinds := map[token.Token]types.BasicKind{token.INT: types.Int, token.FLOAT: types.Float64, token.STRING: types.String, token.CHAR: types.Int32}
	return ofConstant(types.TypeAndValue{Value: c, Type: types.Typ[kinds[lit.Kind]]})
}

func ofConstant(known types.TypeAndValue) goValue {
	v := goValue{goType: types.Default(known.Type).String()}
	switch c := known.Value; c.Kind() {
	case constant.String:
		v.Kind, v.Text = Text, constant.StringVal(c)
	case constant.Bool:
		v.Kind, v.Text = Truth, c.String()
	case constant.Int, constant.Float:
		v.Kind, v.Text = Number, goNumber(c)
	default:
		return goComputed()
	}
	if v.goType == "time.Duration" {
		return ofDuration(known.Value)
	}
	return v
}

// goNumber is the shortest form of a number.
func goNumber(c constant.Value) string {
	if i := constant.ToInt(c); i.Kind() == constant.Int {
		return i.ExactString()
	}
	float, _ := constant.Float64Val(c)
	return strconv.FormatFloat(float, 'g', -1, 64)
}

// ofDuration has both the text that a duration prints as, which is what a ConfigMap hands
// on, and its milliseconds.
func ofDuration(c constant.Value) goValue {
	nanos, exact := constant.Int64Val(constant.ToInt(c))
	if !exact {
		return goComputed()
	}
	v := goText(time.Duration(nanos).String())
	v.goType = "time.Duration"
	v.millis = strconv.FormatFloat(float64(nanos)/float64(time.Millisecond), 'f', -1, 64)
	return v
}

// foldList joins a list of strings with commas, which is how libraries take lists.
func (f *goFile) foldList(lit *ast.CompositeLit, depth int) goValue {
	list, isList := lit.Type.(*ast.ArrayType)
	if !isList {
		return goCode()
	}
	if elem, ok := list.Elt.(*ast.Ident); !ok || elem.Name != "string" {
		return goCode()
	}
	words := []string{}
	for _, e := range lit.Elts {
		v := f.fold(e, depth+1)
		if v.Kind != Text {
			return goComputed()
		}
		words = append(words, v.Text)
	}
	v := goText(strings.Join(words, ","))
	v.goType, v.words = "[]string", words
	return v
}

// foldBinary computes what the type checker left open because a name of another file or a
// variable takes part.
func (f *goFile) foldBinary(e *ast.BinaryExpr, depth int) goValue {
	x, y := f.fold(e.X, depth+1), f.fold(e.Y, depth+1)
	if x.Kind == Text && y.Kind == Text && e.Op == token.ADD && x.millis+y.millis == "" {
		return goText(x.Text + y.Text)
	}
	a, okA := x.nanos()
	b, okB := y.nanos()
	duration := x.millis != "" || y.millis != ""
	switch e.Op {
	case token.MUL, token.ADD, token.SUB:
	default:
		return goComputed()
	}
	if !okA || !okB {
		return goComputed()
	}
	c := constant.BinaryOp(a, e.Op, b)
	if duration {
		return ofDuration(c)
	}
	v := goValue{Value: Value{Kind: Number, Text: goNumber(c)}, goType: x.goType}
	return v
}

// nanos is a number, or a duration in its own unit.
func (v goValue) nanos() (constant.Value, bool) {
	if v.millis != "" {
		ms := constant.MakeFromLiteral(v.millis, token.FLOAT, 0)
		return constant.ToInt(constant.BinaryOp(ms, token.MUL, constant.MakeInt64(int64(time.Millisecond)))), true
	}
	if v.Kind != Number {
		return nil, false
	}
	return constant.MakeFromLiteral(v.Text, token.FLOAT, 0), true
}

// foldCall knows conversions and the few functions that settings are put together with.
func (f *goFile) foldCall(call *ast.CallExpr, depth int) goValue {
	if len(call.Args) == 0 {
		return goComputed()
	}
	first := f.fold(call.Args[0], depth+1)
	if tv := f.info.Types[call.Fun]; tv.IsType() && len(call.Args) == 1 {
		if tv.Type.String() == "time.Duration" {
			if n, ok := first.nanos(); ok {
				return ofDuration(n)
			}
		}
		return first.as(tv.Type)
	}
	pack, name := f.member(call.Fun)
	switch pack + "." + name {
	case "strconv.Itoa", "strconv.FormatBool", "strconv.FormatInt":
		if first.Kind == Number || first.Kind == Truth {
			return goText(first.Text)
		}
	case "fmt.Sprint":
		if len(call.Args) == 1 && first.Kind != Computed && first.Kind != Code {
			return goText(first.Text)
		}
	case "strings.Join":
		if sep := f.fold(call.Args[len(call.Args)-1], depth+1); first.words != nil && sep.Kind == Text {
			return goText(strings.Join(first.words, sep.Text))
		}
	case "strings.Split":
		if sep := f.fold(call.Args[len(call.Args)-1], depth+1); first.Kind == Text && sep.Kind == Text && sep.Text != "" {
			v := goText(first.Text)
			v.words = strings.Split(first.Text, sep.Text)
			v.Text, v.goType = strings.Join(v.words, ","), "[]string"
			return v
		}
	}
	return goComputed()
}

// goChangers are functions whose result is another one at each start of a program.
var goChangers = map[string][]string{
	"github.com/google/uuid":       {"New", "NewString", "NewRandom", "NewUUID", "NewV6", "NewV7", "Must"},
	"github.com/gofrs/uuid":        {"NewV1", "NewV4", "NewV6", "NewV7"},
	"github.com/satori/go.uuid":    {"NewV1", "NewV4"},
	"github.com/rs/xid":            {"New"},
	"github.com/segmentio/ksuid":   {"New"},
	"github.com/oklog/ulid":        {"Make", "MustNew", "New"},
	"github.com/hashicorp/go-uuid": {"GenerateUUID"},
	"os":                           {"Getpid", "Getppid"},
	"time":                         {"Now"},
	"math/rand":                    {"Int", "Intn", "IntN", "N", "Int31", "Int31n", "Int32", "Int32N", "Int63", "Int63n", "Int64", "Int64N", "Uint32", "Uint64", "Float64", "Perm", "Read"},
	"crypto/rand":                  {"Int", "Read", "Text"},
}

// changing are the calls within an expression that are goChangers, through variables that
// are set once and functions of the package.
func (f *goFile) changing(e ast.Expr, depth int) []string {
	var names []string
	add := func(more ...string) {
		for _, name := range more {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.SelectorExpr:
			add(f.changing(n.X, depth+1)...) // its name is that of a member
			return false
		case *ast.Ident:
			if in, value, ok := f.definition(n); ok && depth < goDepth {
				add(in.changing(value, depth+1)...)
			}
		case *ast.CallExpr:
			if pack, name := f.member(n.Fun); slices.Contains(goChangers[pack], name) {
				add(goPackageName(pack) + "." + name)
			}
			if in, value, ok := f.result(n); ok && depth < goDepth {
				add(in.changing(value, depth+1)...)
			}
		}
		return true
	})
	return names
}

// goPackageName is what a program calls a package.
func goPackageName(path string) string {
	name := path[strings.LastIndex(path, "/")+1:]
	name = strings.TrimPrefix(name, "go-")
	return strings.TrimPrefix(name, "go.")
}

// result is the expression that a function of the package returns, where it has only one
// return.
func (f *goFile) result(call *ast.CallExpr) (*goFile, ast.Expr, bool) {
	in, fn := f.function(call)
	if fn == nil || fn.Body == nil {
		return nil, nil, false
	}
	var found []ast.Expr
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if _, inner := n.(*ast.FuncLit); inner {
			return false
		}
		if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) > 0 {
			found = append(found, r.Results[0])
		}
		return true
	})
	if len(found) != 1 {
		return nil, nil, false
	}
	return in, found[0], true
}
