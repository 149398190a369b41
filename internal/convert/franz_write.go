package convert

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"

	"kcompare/internal/config"
	"kcompare/internal/source"
)

// This file writes a Go file: a function for each block that returns its options.

// goOption is one line of it.
type goOption struct {
	code   string
	keys   []string // the settings that make it
	notes  []string // what is only approximate
	silent bool     // no setting of the source makes it
	why    string   // in the place of keys, for what kgo alone has
}

// goBlock is one function.
type goBlock struct {
	block
	options []goOption
	asides  []string // defaults that no option makes equal
	anyway  []string // what was given and kgo does without an option
}

// goHarmless has the one value at which a setting without an equivalent asks for what
// kgo does anyway.
var goHarmless = map[string]string{
	"enable.partition.eof": "false", "queue.buffering.backpressure.threshold": "1", "queuing.strategy": "fifo",
	"socket.max.fails": "1", "statistics.interval.ms": "0", "topic.metadata.refresh.sparse": "true",
}

// producersAlone are settings that librdkafka gives to consumers too, and kgo does not.
var producersAlone = []string{"message.max.bytes", "max.in.flight.requests.per.connection", "topic.metadata.propagation.max.ms"}

func writeFranz(path string, all []block) ([]byte, []Lost, error) {
	var lost []Lost
	var body strings.Builder
	for i := range all {
		g := translate(all[i])
		lost = append(lost, g.lost...)
		function := "options"
		if len(all) > 1 {
			function = g.name + "Options"
		}
		g.write(&body, path, function)
	}
	text, err := goFile(body.String())
	return text, lost, err
}

// translate finds the options of one block.
func translate(b block) goBlock {
	g := goBlock{block: b}
	for _, key := range b.order {
		code, note, why := g.option(key)
		if why != "" {
			g.lost = append(g.lost, b.lostOf(key, why))
			continue
		}
		if len(code) == 0 {
			g.anyway = append(g.anyway, b.lostOf(key, "").pair())
		}
		g.merge(goOption{keys: []string{key}, notes: g.notes(key, note)}, code)
	}
	for _, key := range b.silent {
		s, _ := config.Lookup(key)
		code, _, why := g.option(key)
		if why != "" && s.Relation == config.DifferentDefault {
			g.asides = append(g.asides, Lost{Key: key, Value: b.text(key), Reason: why}.comment())
		}
		g.merge(goOption{keys: []string{key}, silent: true}, code)
	}
	if own[b.client] && b.role == source.Consumer {
		g.merge(goOption{silent: true, why: "librdkafka has none (KIP-227)"}, option0("DisableFetchSessions"))
	}
	return g
}

// option is what one setting becomes: code, what is approximate about it, or why it
// becomes nothing.
func (g *goBlock) option(key string) (code []string, note, why string) {
	s, _ := config.Lookup(key)
	rule, known := goRules[key]
	switch {
	case !g.has(s):
		return nil, "", meaningless(g.block)
	case !known && goHarmless[key] != "" && goHarmless[key] == g.text(key):
		return nil, "", ""
	case !known:
		return nil, "", unable(s)
	case g.role != source.Producer && slices.Contains(producersAlone, key):
		return nil, "", "kgo has it for producers alone"
	case rule.group && !g.set("group.id"):
		return nil, "", "kgo takes it from members of a group only; give group.id"
	}
	code, err := rule.code(g.given[key], g.block)
	if err != nil {
		return nil, "", err.Error()
	}
	switch {
	case rule.note != nil:
		note = rule.note(g.block)
	case s.Relation == config.Approximate:
		note = s.Gotcha
	}
	return code, note, ""
}

func meaningless(b block) string {
	return "means nothing to " + article(string(b.role)) + ", and is ignored there"
}

func article(noun string) string {
	if strings.HasPrefix(noun, "a") {
		return "an " + noun
	}
	return "a " + noun
}

// unable says why kgo has no such setting, and what is nearest.
func unable(s config.Setting) string {
	if s.Relation == config.NotApplicable {
		return "of librdkafka alone. " + s.Gotcha
	}
	if s.KgoOptions == "-" {
		return s.Gotcha
	}
	return s.Gotcha + " Nearest in kgo: " + s.KgoOptions
}

func (g *goBlock) notes(key, note string) []string {
	if note == "" {
		return nil
	}
	return []string{g.lostOf(key, "not quite the same. "+note).comment()}
}

// merge adds options, each once: one that several settings make names all of them.
func (g *goBlock) merge(o goOption, code []string) {
	for _, o.code = range code {
		i := slices.IndexFunc(g.options, func(old goOption) bool { return old.code == o.code })
		if i >= 0 {
			g.options[i].keys = append(g.options[i].keys, o.keys...)
			g.options[i].notes = append(g.options[i].notes, o.notes...)
			continue
		}
		g.options = append(g.options, o)
	}
}

// write is one function, and what it calls.
func (g *goBlock) write(text *strings.Builder, path, function string) {
	g.writeDoc(text, path, function)
	secure := g.tlsFunction(function + "TLS")
	result, last := "[]kgo.Opt", "}"
	if secure != "" {
		result, last = "([]kgo.Opt, error)", "}, nil"
	}
	fmt.Fprintf(text, "func %s() %s {\n", function, result)
	if secure != "" {
		fmt.Fprintf(text, "secure, err := %sTLS()\nif err != nil {\nreturn nil, err\n}\n", function)
	}
	text.WriteString("return []kgo.Opt{\n")
	g.writeOptions(text)
	fmt.Fprintf(text, "%s\n}\n%s", last, secure)
}

// writeDoc says where the options come from, what was lost, and what no option does.
func (g *goBlock) writeDoc(text *strings.Builder, path, function string) {
	fmt.Fprintf(text, "\n// %s are the settings of %s.\n", function, g.origin(path))
	g.writeList(text, "Not carried over:", comments(g.lost))
	g.writeList(text, "What kgo does without an option:", g.anyway)
	g.writeList(text, "Defaults of "+library(g.client)+" that kgo cannot be given:", g.asides)
	if g.set("transactional.id") && g.client != "franz" {
		g.writeList(text, "No option makes kgo's transactions as safe as the source's:", []string{
			"call Flush before EndTransaction, which does not wait for records;",
			"commit only if every promise of the transaction was called without an error (kgo.AbortingFirstErrPromise), for kgo commits the rest.",
		})
	}
	g.writeList(text, "Secrets, and what the source computes, come from the environment:", g.environment(function))
}

// environment is the variables that the code looks up, with the settings.
func (g *goBlock) environment(function string) []string {
	code := g.tlsFunction(function)
	for _, o := range g.options {
		code += o.code
	}
	var lines []string
	for _, key := range g.order {
		if v := g.given[key]; v.env != "" && strings.Contains(code, v.quoted()) {
			lines = append(lines, v.env+": "+v.key)
		}
	}
	return lines
}

func (g *goBlock) writeList(text *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(text, "//\n// %s\n", title)
	for _, line := range lines {
		fmt.Fprintf(text, "//   - %s\n", line)
	}
}

func (g *goBlock) writeOptions(text *strings.Builder) {
	for _, o := range g.options {
		if !o.silent {
			o.write(text)
		}
	}
	first := true
	for _, o := range g.options {
		if o.silent && first {
			fmt.Fprintf(text, "\n// What %s does where nothing is set, and kgo would do otherwise.\n", library(g.client))
			first = false
		}
		if o.silent {
			o.write(text)
		}
	}
}

func (o goOption) write(text *strings.Builder) {
	for _, note := range o.notes {
		fmt.Fprintf(text, "// %s\n", note)
	}
	why := o.why
	if why == "" {
		why = strings.Join(o.keys, ", ")
	}
	fmt.Fprintf(text, "%s, // %s\n", o.code, why)
}

// packages are those that generated code may use, by the name in front of the dot.
var packages = map[string]string{
	"crc32": "hash/crc32", "errors": "errors", "fmt": "fmt", "fnv": "hash/fnv", "os": "os", "strings": "strings",
	"time": "time", "tls": "crypto/tls", "x509": "crypto/x509",
	"kgo": "github.com/twmb/franz-go/pkg/kgo", "plain": "github.com/twmb/franz-go/pkg/sasl/plain",
	"scram": "github.com/twmb/franz-go/pkg/sasl/scram",
}

// goFile adds what the functions use and formats the whole.
func goFile(body string) ([]byte, error) {
	for _, s := range snippets {
		if used, err := names(body); err != nil {
			return nil, err
		} else if used[s.name] {
			body += s.code
		}
	}
	used, err := names(body)
	if err != nil {
		return nil, err
	}
	var imports []string
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		if used[name+"."] {
			imports = append(imports, fmt.Sprintf("%q", packages[name]))
		}
	}
	slices.SortStableFunc(imports, func(a, b string) int { return dots(a) - dots(b) })
	text := "// Written by kcompare config convert. Give the package the name of yours.\n\npackage clients\n\nimport (\n" +
		strings.Join(imports, "\n") + "\n)\n" + body
	return format.Source([]byte(strings.Replace(text, "\n\"github.com", "\n\n\"github.com", 1)))
}

// dots puts the standard library first.
func dots(path string) int { return min(strings.Count(path, "."), 1) }

// names is what the code uses: identifiers, and with a dot those in front of one.
func names(body string) (map[string]bool, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package clients\n"+body, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("write Go: %w", err)
	}
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				used[x.Name+"."] = true
			}
		case *ast.Ident:
			used[n.Name] = true
		}
		return true
	})
	return used, nil
}
