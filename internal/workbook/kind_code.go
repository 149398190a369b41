package workbook

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"kcompare/internal/config"
	"kcompare/internal/lang"
)

// codeKind shows the same region of programs in several languages, one below the other:
// each with its language, its library and a link to the whole program. A table of fences
// would need HTML, and lines of code are too wide for two columns anyway.
func codeKind() Kind {
	return Kind{
		Name:  "code",
		About: "Sources, language by language: a named region, cut out of the files that are compiled and run.",
		Attributes: []Attribute{
			{Name: "files", About: "paths of sources, with commas between, in the order of the page", Required: true},
			{Name: "region", About: "what stands between comments `kcompare:region NAME` and `kcompare:end` in these files (default: whole files)"},
		},
		Render: renderCode,
	}
}

func renderCode(c Course, b Block) (Content, error) {
	parts, err := codeParts(c, b)
	if err != nil {
		return Content{}, err
	}
	p := lang.In(b.Lang)
	var sections []string
	for _, part := range parts {
		head := fmt.Sprintf("**%s** · [%s](%s)", part.label, path.Base(part.file), linkTo(b.Page, part.file))
		body := p.Say("This program has no such step.")
		if part.found {
			body = fenced(fenceOf(part.file), part.region.text())
		}
		sections = append(sections, head+"\n\n"+body)
	}
	return Content{Markdown: strings.Join(sections, "\n\n")}, nil
}

// codePart is one file of a block.
type codePart struct {
	file, label string
	region      region
	found       bool
}

// codeParts reads the files. One that has no region of that name is shown without, as long
// as another one has it.
func codeParts(c Course, b Block) ([]codePart, error) {
	var parts []codePart
	all := map[string][]string{} // names of regions by file
	name := b.Get("region")
	for _, file := range listOf(b, "files", ",") {
		if all[file] != nil {
			return nil, attributeError("files", "%s stands there twice", file)
		}
		found, err := regionsOf(c.Files, file)
		if err != nil {
			return nil, err
		}
		part := codePart{file: file, label: codeLabel(c.Manifest, file)}
		all[file] = []string{}
		for _, r := range found {
			all[file] = append(all[file], r.name)
			if r.name == name {
				part.region, part.found = r, true
			}
		}
		parts = append(parts, part)
	}
	return parts, checkRegion(name, parts, all)
}

// regionsOf are the regions of a file, and the whole of it under the name "".
func regionsOf(files fs.FS, file string) ([]region, error) {
	if err := checkFile(files, "files", file); err != nil {
		return nil, err
	}
	text, err := fs.ReadFile(files, file)
	if err != nil {
		return nil, attributeError("files", "%q cannot be read: %w", file, err)
	}
	found, err := regions(string(text))
	if err != nil {
		return nil, broken("region", "%s: %w", file, err)
	}
	return append(found, region{lines: slices.DeleteFunc(sourceLines(string(text)), func(line string) bool {
		_, _, is := regionComment(line)
		return is
	})}), nil
}

// checkRegion refuses a region that no file has, or that is nearly one which only the file
// that lacks it has: there it was misspelt.
func checkRegion(name string, parts []codePart, all map[string][]string) error {
	if len(parts) == 0 {
		return attributeError("files", "is missing: expected paths of sources, with commas between")
	}
	var everywhere []string
	for _, part := range parts {
		everywhere = append(everywhere, all[part.file]...)
	}
	everywhere = slices.Compact(slices.Sorted(slices.Values(everywhere)))
	if !slices.Contains(everywhere, name) {
		return noRegion(name, parts, everywhere)
	}
	for _, part := range parts {
		near := config.Nearest(name, all[part.file])
		if !part.found && near != "" && !inOther(near, part, parts, all) {
			return broken("region", "%s has no region %q: did you mean %s?", part.file, name, near)
		}
	}
	return nil
}

func inOther(name string, part codePart, parts []codePart, all map[string][]string) bool {
	return slices.ContainsFunc(parts, func(other codePart) bool {
		return other.file != part.file && slices.Contains(all[other.file], name)
	})
}

func noRegion(name string, parts []codePart, known []string) error {
	known = slices.DeleteFunc(known, func(name string) bool { return name == "" }) // a whole file
	files := strings.Join(distinct(parts, func(p codePart) string { return p.file }), ", ")
	near := config.Nearest(name, known)
	switch {
	case near != "":
		return broken("region", "no region %q in %s: did you mean %s?", name, files, near)
	case len(known) == 0:
		return broken("region", "no region %q in %s: expected a comment kcompare:region %s, and kcompare:end behind what is shown", name, files, name)
	}
	return broken("region", "no region %q in %s: expected one of %s", name, files, strings.Join(known, ", "))
}

func broken(name, format string, args ...any) error {
	return &AttributeError{Name: name, Message: fmt.Errorf(format, args...).Error(), Broken: true}
}

// codeLabel is the language of a file and the library that it is written for.
func codeLabel(m Manifest, file string) string {
	words := []string{languageName(file)}
	if client := clientOf(m, file); client != "" {
		words = append(words, packageName(client))
	}
	return strings.Join(words, ", ")
}

// clientOf is the client that a file is written for: that of the manifest's program which
// it is part of, else one that a folder or the file itself is named after.
func clientOf(m Manifest, file string) string {
	for _, p := range m.Programs {
		if p.has(file) {
			return p.Client
		}
	}
	whole := strings.TrimSuffix(file, path.Ext(file))
	for _, segment := range slices.Backward(strings.Split(whole, "/")) {
		if slices.Contains(Clients(), segment) {
			return segment
		}
	}
	return ""
}

// has reports whether a program is made of a file.
func (p Program) has(file string) bool {
	if file == p.File || path.Dir(file) == p.File {
		return true
	}
	return slices.ContainsFunc(p.Sources, func(pattern string) bool {
		is, err := path.Match(pattern, file)
		return is && err == nil
	})
}

// packageName is what a client is imported or installed as.
func packageName(client string) string {
	name := map[string]string{
		"franz": "franz-go", "librdkafka": "confluent-kafka-go", "python": "confluent-kafka", "java": "kafka-clients",
		"platformatic": "@platformatic/kafka",
	}[client]
	if name == "" {
		return client
	}
	return name
}

// sourceLanguages is how a language is called, and how fences call it, by the end of a
// file's name.
var sourceLanguages = map[string][2]string{
	".go": {"Go", "go"}, ".py": {"Python", "python"}, ".java": {"Java", "java"},
	".js": {"JavaScript", "javascript"}, ".mjs": {"JavaScript", "javascript"}, ".ts": {"TypeScript", "typescript"},
	".properties": {"Properties", "properties"}, ".yaml": {"YAML", "yaml"}, ".yml": {"YAML", "yaml"}, ".json": {"JSON", "json"},
	".sh": {"Shell", "sh"}, ".rs": {"Rust", "rust"},
}

func languageName(file string) string {
	if name := sourceLanguages[path.Ext(file)][0]; name != "" {
		return name
	}
	return path.Base(file)
}

func fenceOf(file string) string { return sourceLanguages[path.Ext(file)][1] }

// fenced is a text as a fence that is longer than any run of backticks in it.
func fenced(language, text string) string {
	ticks := "```"
	for strings.Contains(text, ticks) {
		ticks += "`"
	}
	return ticks + language + "\n" + text + "\n" + ticks
}

// linkTo is the way from a page to a file, both from the root of the course.
func linkTo(page, file string) string {
	from, to := strings.Split(path.Dir(page), "/"), strings.Split(file, "/")
	if from[0] == "." {
		from = nil
	}
	for len(from) > 0 && len(to) > 1 && from[0] == to[0] {
		from, to = from[1:], to[1:]
	}
	link := strings.Repeat("../", len(from)) + strings.Join(to, "/")
	return strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29").Replace(link)
}
