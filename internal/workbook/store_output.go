package workbook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// OutputSchema is the version of the JSON of what programs printed.
const OutputSchema = "kcompare/output/v1"

// output is what a program of the manifest printed.
type output struct {
	Schema  string            `json:"schema"`
	Program string            `json:"program"`
	Client  string            `json:"client"`
	Lines   []string          `json:"lines"` // normalised
	Inputs  map[string]string `json:"inputs"`
}

// outputFile is one file of output.
type outputFile struct {
	path    string
	there   []byte
	output  output
	err     error
	touched bool
}

// OutputFileOf is where the output of a program is or would be.
func (s *Store) OutputFileOf(program string) string {
	return path.Join(s.manifest.Evidence, "output-"+strings.ReplaceAll(program, "/", "-")+".json")
}

// Output is what a program printed, one line an element.
func (s *Store) Output(program string) ([]string, bool) {
	f := s.output(program)
	return f.output.Lines, f.err == nil && f.output.Schema != ""
}

// OutputState compares what the output of a program was made of with what is there now.
func (s *Store) OutputState(program string) (State, []string) {
	if _, ok := s.Output(program); !ok {
		return Missing, nil
	}
	p, ok := s.manifest.program(program)
	if !ok {
		return Stale, []string{fmt.Sprintf("%s has no program %s", ManifestFile, program)}
	}
	now, err := s.made.outputInputs(s.files, p)
	if err != nil {
		return Stale, []string{err.Error()}
	}
	if reasons := changedInputs(s.output(program).output.Inputs, now, "", program); len(reasons) > 0 {
		return Stale, reasons
	}
	return Fresh, nil
}

func (m Manifest) program(name string) (Program, bool) {
	for _, p := range m.Programs {
		if p.Name == name {
			return p, true
		}
	}
	return Program{}, false
}

// OutputPlays lists the programs that have to be played before all are fresh, and those
// that again asks for. The error is about a name that the manifest does not have.
func (s *Store) OutputPlays(names []string, again func(string) bool) ([]Program, error) {
	var plays []Program
	for _, name := range names {
		p, ok := s.manifest.program(name)
		if !ok {
			return nil, fmt.Errorf("%s has no program %s", ManifestFile, name)
		}
		if state, _ := s.OutputState(name); state != Fresh || again(name) {
			plays = append(plays, p)
		}
	}
	return plays, nil
}

// PutOutput stores what a program printed, with numbers in place of addresses and ids. The
// error names a line that holds something that no rule knows.
func (s *Store) PutOutput(program string, lines []string) error {
	f := s.output(program)
	if f.err != nil {
		return f.err
	}
	p, ok := s.manifest.program(program)
	if !ok {
		return fmt.Errorf("%s has no program %s", ManifestFile, program)
	}
	inputs, err := s.made.outputInputs(s.files, p)
	if err != nil {
		return err
	}
	words, clean := newNumbering(), make([]string, 0, len(lines))
	for _, line := range lines {
		clean = append(clean, words.text(strings.TrimRight(line, " \t\r")))
	}
	o := output{Schema: OutputSchema, Program: program, Client: p.Client, Lines: clean, Inputs: inputs}
	if err := o.plausible(); err != nil {
		return fmt.Errorf("output of %s: %w", program, err)
	}
	f.output, f.touched = o, true
	return nil
}

func (o output) plausible() error {
	for i, line := range o.Lines {
		if found := foreign.FindString(line); found != "" {
			return fmt.Errorf("line %d has %q, expected no address, path or time of one machine", i+1, found)
		}
	}
	return nil
}

// SameOutput says whether lines, normalised, are what is stored of a program; where they are
// not, which line differs first, counted from 1.
func (s *Store) SameOutput(program string, lines []string) (same bool, line int) {
	stored, _ := s.Output(program)
	words := newNumbering()
	for i, l := range lines {
		if clean := words.text(strings.TrimRight(l, " \t\r")); i >= len(stored) || clean != stored[i] {
			return false, i + 1
		}
	}
	return len(lines) == len(stored), len(lines) + 1
}

// output reads the file of a program, once.
func (s *Store) output(program string) *outputFile {
	name := s.OutputFileOf(program)
	f, known := s.outputs[name]
	if !known {
		f = readOutput(s.files, name, program)
		s.outputs[name] = f
	}
	return f
}

func readOutput(files fs.FS, name, program string) *outputFile {
	f := &outputFile{path: name}
	var err error
	if f.there, err = readBytes(files, name); err != nil || f.there == nil {
		f.err = err
		return f
	}
	dec := json.NewDecoder(bytes.NewReader(f.there))
	dec.DisallowUnknownFields()
	var o output
	switch err := dec.Decode(&o); {
	case err != nil:
		f.err = spoilt(name, fmt.Errorf("expected one JSON document of schema %s: %w", OutputSchema, err))
	case o.Schema != OutputSchema || o.Program != program:
		f.err = spoilt(name, fmt.Errorf("it is of schema %q and program %q, expected %s and %s", o.Schema, o.Program, OutputSchema, program))
	case slices.ContainsFunc(o.Lines, func(l string) bool { return strings.ContainsAny(l, "\n\r") }):
		f.err = spoilt(name, errors.New("a line of it has a line end"))
	default:
		if err := o.plausible(); err != nil {
			f.err = spoilt(name, err)
			return f
		}
		o.Inputs = maps.Clone(o.Inputs)
		f.output = o
	}
	return f
}

// encode is the one way to write it.
func (f *outputFile) encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	err := enc.Encode(f.output)
	return b.Bytes(), err
}
