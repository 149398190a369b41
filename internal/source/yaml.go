package source

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// readYAML reads YAML files, whatever they are for: settings of an application, of
// Spring, a compose file, resources of Strimzi.
func readYAML(_ context.Context, inputs []input) []File {
	files := make([]File, len(inputs))
	for i, in := range inputs {
		files[i] = readOneYAML(in)
	}
	return files
}

func readOneYAML(in input) File {
	f := File{Path: in.path, Language: YAML}
	tokens := lexer.Tokenize(string(in.text))
	y := yamlReader{anchors: map[string]ast.Node{}, firstLine: in.firstLine}
	f.Ignores = y.ignores(tokens, splitLines(string(in.text)))
	h := hints{path: in.path, remarks: remarks(tokens)}
	parsed, err := parser.Parse(tokens, 0)
	if err != nil {
		f.Unread = y.reason(err)
		return f
	}
	for _, doc := range parsed.Docs {
		if doc.Body != nil {
			f.Blocks = append(f.Blocks, y.tree(doc.Body, 0).blocks(h)...)
		}
	}
	return f
}

type yamlReader struct {
	anchors   map[string]ast.Node
	firstLine int
}

func (y *yamlReader) reason(err error) string {
	var at yaml.Error
	if errors.As(err, &at) && at.GetToken() != nil {
		return fmt.Sprintf("line %d: %s", at.GetToken().Position.Line+y.firstLine, at.GetMessage())
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}

func (y *yamlReader) at(t *token.Token) Pos {
	return Pos{Line: t.Position.Line + y.firstLine, Column: t.Position.Column}
}

// maxDepth ends what an alias within its own anchor would make endless.
const maxDepth = 100

func (y *yamlReader) tree(n ast.Node, depth int) tree {
	if depth > maxDepth {
		return tree{}
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		t := tree{at: y.at(n.GetToken())}
		for _, pair := range n.Values {
			t.fields = append(t.fields, y.fields(pair, depth)...)
		}
		return t
	case *ast.MappingValueNode:
		return tree{at: y.at(n.GetToken()), fields: y.fields(n, depth)}
	case *ast.SequenceNode:
		t := tree{at: y.at(n.GetToken()), items: []tree{}}
		for _, item := range n.Values {
			t.items = append(t.items, y.tree(item, depth+1))
		}
		return t
	case *ast.AnchorNode:
		y.anchors[n.Name.GetToken().Value] = n.Value
		return y.tree(n.Value, depth+1)
	case *ast.AliasNode:
		return y.tree(y.anchors[n.Value.GetToken().Value], depth+1)
	case *ast.TagNode:
		return y.tree(n.Value, depth+1)
	}
	return y.scalar(n)
}

// fields of a pair is that pair; of a merge (<<), those of the mapping behind it.
func (y *yamlReader) fields(pair *ast.MappingValueNode, depth int) []field {
	value := y.tree(pair.Value, depth+1)
	key := pair.Key.GetToken()
	if _, merge := pair.Key.(*ast.MergeKeyNode); merge {
		merged := value.fields
		for _, item := range value.items {
			merged = append(merged, item.fields...)
		}
		return merged
	}
	return []field{{key: key.Value, at: y.at(key), node: value}}
}

func (y *yamlReader) scalar(n ast.Node) tree {
	if n == nil {
		return tree{}
	}
	t := n.GetToken()
	v := scalar(t.Value, t.Value, y.at(t))
	switch n := n.(type) {
	case *ast.IntegerNode, *ast.FloatNode:
		v.Kind = Number
	case *ast.BoolNode:
		v.Kind = Truth
	case *ast.NullNode:
		v.Kind, v.Text = Null, ""
	case *ast.LiteralNode:
		v = scalar(n.Value.Value, n.Value.Value, y.at(t))
	}
	return tree{at: v.At, value: &v}
}

// ignores finds the comments that lint obeys.
func (y *yamlReader) ignores(tokens token.Tokens, lines []string) []Ignore {
	var all []Ignore
	for _, t := range tokens {
		if t.Type != token.CommentType {
			continue
		}
		ignore, ok := parseIgnore(t.Value, y.at(t))
		if !ok {
			continue
		}
		if line := t.Position.Line; line <= len(lines) && strings.HasPrefix(strings.TrimSpace(lines[line-1]), "#") {
			ignore.Line = nextLine(lines, line, func(s string) bool { return s[0] == '#' }) + y.firstLine
		}
		all = append(all, ignore)
	}
	return all
}

// remarks are the comments before the first setting.
func remarks(tokens token.Tokens) []string {
	var all []string
	for _, t := range tokens {
		if t.Type != token.CommentType {
			break
		}
		all = append(all, t.Value)
	}
	return all
}
