package workbook

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"kcompare/internal/evidence"
)

// Made is what evidence would be made of if it were made now: values, so that whoever
// reads evidence starts nothing and asks nobody.
type Made struct {
	Scenarios map[string]string                            // scenario.Digests
	Brokers   map[string]string                            // software, "kfake v1.2.3", by what blocks call the broker
	Client    func(name string) (library Library, ok bool) // ok is false where this build does not know the client
	Recheck   func(evidence.Bench) error                   // bench.Recheck, which judges a bench again
}

// Library is what stands behind a client.
type Library struct {
	Version string // "franz-go v1.22.3", "confluent-kafka 2.16.1"
	BuiltIn bool   // its trials call it the same; otherwise a program speaks for it
	Program string // fingerprint of the sources of that program (ProgramDigest); "" of a client that is built in
}

// Keys of evidence.Document.Inputs; of a bench library and program are followed by a blank and
// the client. Parameters stand in the document itself, and so does
// the schema.
const (
	inputLibrary  = "library"
	inputBroker   = "broker"
	inputScenario = "scenario" // fingerprint of its sources
	inputProgram  = "program"  // fingerprint of the sources of the client's program, or of a course's
	inputTopics   = "topics"   // of a course's program
)

// inputs is what a trial would be made of now. The error says that this build does not
// know the client.
func (m Made) inputs(n Need) (map[string]string, error) {
	all := map[string]string{inputBroker: m.Brokers[n.Broker], inputScenario: m.Scenarios[n.Scenario]}
	library, ok := m.Client(n.Client)
	if !ok {
		return nil, fmt.Errorf("client %s is not in this build", n.Client)
	}
	all[inputLibrary] = library.Version
	if library.Program != "" {
		all[inputProgram] = library.Program
	}
	return all, nil
}

// changedInputs says in words what differs, the most telling first. program is whose it is:
// "client python".
func changedInputs(old, now map[string]string, scenario, program string) []string {
	var all []string
	for _, key := range []string{inputLibrary, inputBroker, inputScenario, inputProgram, inputTopics} {
		o, n := old[key], now[key]
		switch {
		case o == n:
		case key == inputLibrary || key == inputBroker:
			all = append(all, upgrade(o, n))
		case key == inputScenario:
			all = append(all, "the sources of scenario "+scenario+" changed")
		case key == inputProgram:
			all = append(all, "the program of "+program+" changed")
		default:
			all = append(all, fmt.Sprintf("%s %s -> %s", key, orNothing(o), orNothing(n)))
		}
	}
	return all
}

// upgrade is "franz-go v1.22.3 -> v1.23.0": what both are called is said once.
func upgrade(old, now string) string {
	name, _, _ := strings.Cut(old, " ")
	if rest, same := strings.CutPrefix(now, name+" "); same && name != "" {
		return old + " -> " + rest
	}
	return orNothing(old) + " -> " + orNothing(now)
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

// ProgramDigest is a fingerprint of the files below a folder: their names and their
// content with \n as line ends. Whoever knows a client's program gives it to Library.
func ProgramDigest(files fs.FS, folder string) (string, error) {
	var names []string
	err := fs.WalkDir(files, folder, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return digestOf(files, names)
}

// digestOf is a fingerprint of the named files.
func digestOf(files fs.FS, names []string) (string, error) {
	h := sha256.New()
	for _, name := range slices.Sorted(slices.Values(names)) {
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return "", err
		}
		content = bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
		fmt.Fprintf(h, "%s %d\n%s\n", name, len(content), content)
	}
	return hex.EncodeToString(h.Sum(nil))[:16], nil
}

// outputInputs is what the output of a program would be made of now.
func (m Made) outputInputs(files fs.FS, p Program) (map[string]string, error) {
	library, ok := m.Client(p.Client)
	if !ok {
		return nil, fmt.Errorf("client %s is not in this build", p.Client)
	}
	names, err := sourcesOf(files, p)
	if err != nil {
		return nil, err
	}
	digest, err := digestOf(files, names)
	if err != nil {
		return nil, fmt.Errorf("program %s: %w", p.Name, err)
	}
	return map[string]string{
		inputLibrary: library.Version, inputBroker: m.Brokers[brokerEmbedded],
		inputProgram: digest, inputTopics: strings.Join(p.Topics, " "),
	}, nil
}

// sourcesOf lists the files that a program is made of, each once.
func sourcesOf(files fs.FS, p Program) ([]string, error) {
	info, err := fs.Stat(files, p.File)
	if err != nil {
		return nil, fmt.Errorf("program %s: %w: expected the file or folder that %s names", p.Name, err, ManifestFile)
	}
	names := []string{p.File}
	if info.IsDir() {
		names, err = plainFiles(files, p.File)
	}
	for _, pattern := range p.Sources {
		found, wrong := fs.Glob(files, pattern)
		if wrong == nil && len(found) == 0 {
			wrong = fmt.Errorf("program %s: no file is like %s", p.Name, pattern)
		}
		names, err = append(names, found...), errors.Join(err, wrong)
	}
	slices.Sort(names)
	return slices.Compact(names), err
}

// plainFiles are those of a folder, without tests.
func plainFiles(files fs.FS, folder string) ([]string, error) {
	entries, err := fs.ReadDir(files, folder)
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && !strings.HasSuffix(e.Name(), "_test.go") {
			names = append(names, path.Join(folder, e.Name()))
		}
	}
	return names, err
}
