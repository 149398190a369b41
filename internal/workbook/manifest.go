package workbook

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"kcompare/internal/config"
	"kcompare/internal/lang"
)

// ManifestFile is the name of the manifest; the folder that has it is the root of a course.
const ManifestFile = "kcompare.yaml"

// mostManifest bounds the file: the time that the YAML parser takes grows with the square
// of the nesting.
const mostManifest = 32 << 10

// DefaultManifest is that of a course without a file.
func DefaultManifest() Manifest {
	return Manifest{Clients: []string{"franz", "librdkafka"}, Evidence: "evidence", Language: lang.English}
}

// ReadManifest reads kcompare.yaml. known are the names of clients that there are. Unknown
// keys, values of a wrong type and names that nothing stands behind are errors of the form
// "file:line:column: ...", one line each, with the nearest valid name.
func ReadManifest(file string, content []byte, known []string) (Manifest, error) {
	m, err := readManifest(content, known)
	if err != nil {
		return Manifest{}, fmt.Errorf("%s:%w", file, err)
	}
	return m, nil
}

func readManifest(content []byte, known []string) (Manifest, error) {
	if len(content) > mostManifest {
		return Manifest{}, fmt.Errorf("1:1: %d bytes: expected at most %d", len(content), mostManifest)
	}
	var read manifestText
	if err := yaml.UnmarshalWithOptions(content, &read, yaml.Strict()); err != nil {
		return Manifest{}, placed(err, unknownKey)
	}
	m := DefaultManifest()
	var err error
	if read.Clients != nil {
		if m.Clients, err = manifestClients(read.Clients, known); err != nil {
			return Manifest{}, err
		}
	}
	if read.Evidence.at != nil {
		if m.Evidence, err = read.Evidence.below("evidence"); err != nil {
			return Manifest{}, err
		}
	}
	if read.Language.at != nil {
		if m.Language, err = lang.Parse(read.Language.text); err != nil {
			return Manifest{}, read.Language.wrong("language: %v", err)
		}
	}
	for _, p := range read.Programs {
		program, err := p.program(known)
		if err != nil {
			return Manifest{}, err
		}
		if slices.ContainsFunc(m.Programs, func(q Program) bool { return q.Name == program.Name }) {
			return Manifest{}, p.Name.wrong("name: %q is the name of another program already", program.Name)
		}
		m.Programs = append(m.Programs, program)
	}
	return m, nil
}

// manifestText is the file as it stands there.
type manifestText struct {
	Clients  []word        `yaml:"clients"`
	Evidence word          `yaml:"evidence"`
	Language word          `yaml:"language"`
	Programs []programText `yaml:"programs"`
}

type programText struct {
	Name    word   `yaml:"name"`
	Client  word   `yaml:"client"`
	File    word   `yaml:"file"`
	Topics  []word `yaml:"topics"`
	Sources []word `yaml:"sources"`
}

// word is a text and where it stands.
type word struct {
	text string
	at   *token.Token
}

// UnmarshalYAML takes text only, so that nobody has to know what YAML makes of 1.10 or no.
func (w *word) UnmarshalYAML(n ast.Node) error {
	s, ok := n.(*ast.StringNode)
	if !ok || s.Value == "" {
		return problemAt(n.GetToken(), "expected text, got %.60q", strings.TrimSpace(n.String()))
	}
	w.text, w.at = s.Value, n.GetToken()
	return nil
}

func (w word) wrong(format string, args ...any) error { return problemAt(w.at, format, args...) }

// below is the word as a path below the root of the course.
func (w word) below(key string) (string, error) {
	clean := path.Clean(w.text)
	if !fs.ValidPath(clean) || clean == "." || strings.Contains(clean, `\`) {
		return "", w.wrong("%s: %q: expected a path below the folder of %s, with slashes", key, w.text, ManifestFile)
	}
	return clean, nil
}

func manifestClients(words []word, known []string) ([]string, error) {
	var names []string
	for _, w := range words {
		if err := knownClient(w, known); err != nil {
			return nil, err
		}
		if slices.Contains(names, w.text) {
			return nil, w.wrong("clients: %s is named twice", w.text)
		}
		names = append(names, w.text)
	}
	return names, nil
}

func knownClient(w word, known []string) error {
	switch near := config.Nearest(w.text, known); {
	case slices.Contains(known, w.text):
		return nil
	case near != "":
		return w.wrong("unknown client %q: did you mean %s?", w.text, near)
	}
	return w.wrong("unknown client %q: expected %s", w.text, strings.Join(known, ", "))
}

// programName becomes part of the name of a file.
var programName = regexp.MustCompile(`^[a-z0-9]+([-_][a-z0-9]+)*(/[a-z0-9]+([-_][a-z0-9]+)*)?$`)

func (p programText) program(known []string) (Program, error) {
	for i, w := range []word{p.Name, p.Client, p.File} {
		if w.at == nil {
			return Program{}, p.incomplete(keysOf[programText]()[i])
		}
	}
	if !programName.MatchString(p.Name.text) {
		return Program{}, p.Name.wrong("name: %q: expected small letters, digits and hyphens, as franz/transaction", p.Name.text)
	}
	if err := knownClient(p.Client, known); err != nil {
		return Program{}, err
	}
	file, err := p.File.below("file")
	if err != nil {
		return Program{}, err
	}
	program := Program{Name: p.Name.text, Client: p.Client.text, File: file}
	for _, w := range p.Topics {
		if err := checkTopic(w); err != nil {
			return Program{}, err
		}
		program.Topics = append(program.Topics, w.text)
	}
	for _, w := range p.Sources {
		pattern, err := w.below("sources")
		if _, bad := path.Match(pattern, ""); err == nil && bad != nil {
			err = w.wrong("sources: %q: not a pattern such as examples/franz/*.go", w.text)
		}
		if err != nil {
			return Program{}, err
		}
		program.Sources = append(program.Sources, pattern)
	}
	return program, nil
}

// incomplete stands at the first word that the program has; strict reading leaves no
// program without one but an empty one.
func (p programText) incomplete(key string) error {
	for _, w := range slices.Concat([]word{p.Name, p.Client, p.File}, p.Topics, p.Sources) {
		if w.at != nil {
			return w.wrong("a program: expected the key %s", key)
		}
	}
	return fmt.Errorf("1:1: programs: one of them is empty, expected name, client and file")
}

var topicText = regexp.MustCompile(`^[a-zA-Z0-9._-]{1,200}:([0-9]+)$`)

func checkTopic(w word) error {
	match := topicText.FindStringSubmatch(w.text)
	if match != nil {
		if n, err := strconv.Atoi(match[1]); err == nil && n >= 1 && n <= 100 {
			return nil
		}
	}
	return w.wrong("topics: %q: expected a name and how many partitions, 1 to 100, as orders:3", w.text)
}

// problem is what is wrong at one place of the manifest.
type problem struct {
	line, column int
	text         string
}

func (p *problem) Error() string { return fmt.Sprintf("%d:%d: %s", p.line, p.column, p.text) }

func problemAt(t *token.Token, format string, args ...any) error {
	p := &problem{1, 1, fmt.Sprintf(format, args...)}
	if t != nil && t.Position != nil {
		p.line, p.column = t.Position.Line, t.Position.Column
	}
	return p
}

// placed takes place and cause out of the parser's error, which would show the lines
// around it. unknownKey words the error of a key that there is not.
func placed(err error, unknownKey func(*token.Token) error) error {
	var ours *problem
	var unknown *yaml.UnknownFieldError
	var wrong yaml.Error
	switch {
	case errors.As(err, &ours):
		return ours
	case errors.As(err, &unknown):
		return unknownKey(unknown.Token)
	case errors.As(err, &wrong):
		message, _, _ := strings.Cut(wrong.GetMessage(), "\n")
		return problemAt(wrong.GetToken(), "%s", message)
	}
	message, _, _ := strings.Cut(err.Error(), "\n")
	return problemAt(nil, "not YAML: %s", message)
}

func unknownKey(t *token.Token) error {
	known, of := keysOf[manifestText](), ""
	if t.Position != nil && t.Position.Column > 1 { // only programs have keys of their own
		known, of = keysOf[programText](), " of a program"
	}
	if near := config.Nearest(t.Value, known); near != "" {
		return problemAt(t, "unknown key %q%s: did you mean %s?", t.Value, of, near)
	}
	return problemAt(t, "unknown key %q%s: expected %s", t.Value, of, strings.Join(known, ", "))
}

func keysOf[T any]() []string {
	var keys []string
	for f := range reflect.TypeFor[T]().Fields() {
		keys = append(keys, f.Tag.Get("yaml"))
	}
	return keys
}
