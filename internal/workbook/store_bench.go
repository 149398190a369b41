package workbook

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"kcompare/internal/evidence"
)

// benchFile is one file of a bench.
type benchFile struct {
	path    string
	there   []byte
	bench   evidence.Bench
	schema  string // of a file whose schema is another one; there is no bench then
	err     error
	touched bool
}

// BenchFileOf is where the evidence of a bench is or would be.
func (s *Store) BenchFileOf(n BenchNeed) string {
	return path.Join(s.manifest.Evidence, n.file()+".json")
}

// Bench is the evidence of a bench; ok is false where there is none.
func (s *Store) Bench(n BenchNeed) (evidence.Bench, bool) {
	f := s.benchFile(n)
	return f.bench, f.err == nil && f.bench.Schema != ""
}

// BenchState compares what the evidence of a bench was made of with what is there now: the
// libraries and programs of its clients, and the broker. What it measured is never compared.
func (s *Store) BenchState(n BenchNeed) (State, []string) {
	b, ok := s.Bench(n)
	if !ok {
		if f := s.benchFile(n); f.schema != "" {
			return Missing, []string{fmt.Sprintf("%s is of schema %s -> %s", f.path, f.schema, evidence.BenchSchema)}
		}
		return Missing, nil
	}
	reasons := changedBenchInputs(b.Inputs, s.made.benchInputs(n, b.Inputs))
	for _, c := range b.Contestants {
		if library, _ := s.made.Client(c.Client); library.BuiltIn && len(reasons) == 0 && c.Library != library.Version {
			reasons = append(reasons, upgrade(c.Library, library.Version))
		}
	}
	if len(reasons) > 0 {
		return Stale, reasons
	}
	return Fresh, nil
}

// benchInputs is what a bench would be made of now. What this build cannot know of a client is
// as it was.
func (m Made) benchInputs(n BenchNeed, was map[string]string) map[string]string {
	all := map[string]string{inputBroker: m.Brokers[n.Broker]}
	for _, client := range n.ClientNames() {
		library, ok := m.Client(client)
		if !ok {
			library = Library{Version: was[inputLibrary+" "+client], Program: was[inputProgram+" "+client]}
		}
		all[inputLibrary+" "+client] = library.Version
		if library.Program != "" {
			all[inputProgram+" "+client] = library.Program
		}
	}
	return all
}

// changedBenchInputs says in words what differs.
func changedBenchInputs(old, now map[string]string) []string {
	keys := maps.Clone(old)
	if keys == nil {
		keys = map[string]string{}
	}
	maps.Copy(keys, now)
	var all []string
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		client, ofProgram := strings.CutPrefix(key, inputProgram+" ")
		switch {
		case old[key] == now[key]:
		case ofProgram:
			all = append(all, "the program of client "+client+" changed")
		default:
			all = append(all, upgrade(old[key], now[key]))
		}
	}
	return all
}

// BenchPlay is a bench that is to be played.
type BenchPlay struct {
	BenchNeed
	Why []string // what changed; none: it is missing or was asked for
}

// BenchPlays lists the benches that have to be played before all are fresh, and those that
// again asks for.
func (s *Store) BenchPlays(needs []BenchNeed, again func(BenchNeed) bool) []BenchPlay {
	var plays []BenchPlay
	for _, n := range needs {
		if state, why := s.BenchState(n); state != Fresh || again(n) {
			plays = append(plays, BenchPlay{n, why})
		}
	}
	return plays
}

// PutBench stores a bench that was played for a need. The error says that it is not of the
// need, or was not finished.
func (s *Store) PutBench(n BenchNeed, b evidence.Bench) error {
	f := s.benchFile(n)
	if f.err != nil {
		return f.err
	}
	b.Kcompare, b.Again = "", strings.Join(append([]string{"kcompare bench"}, n.Words()...), " ")
	b.Inputs = s.made.benchInputs(n, nil)
	if err := s.made.honestBench(b, n); err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	f.bench, f.schema, f.touched = b, "", true
	return nil
}

// honestBench looks for what evidence cannot have if it was made by PutBench.
func (m Made) honestBench(b evidence.Bench, n BenchNeed) error {
	clients := strings.Join(distinct(b.Contestants, func(c evidence.BenchContestant) string { return c.Client }), ",")
	switch {
	case b.Unfinished > 0:
		return fmt.Errorf("it was not finished: turns that are missing: %d", b.Unfinished)
	case b.Work != n.Work || b.Broker.Kind != n.Broker || strings.Join(b.Faults, " ") != n.Faults || b.Load != n.Load:
		return errors.New("work, load, faults or broker in it are not those of its name")
	case b.Compare != n.key() || n.Compare != "" && !slices.Equal(valuesOf(b), n.values()):
		return fmt.Errorf("it compares %s=%s, expected %s", b.Compare, strings.Join(valuesOf(b), ","), n.Compare)
	case clients != n.Clients:
		return fmt.Errorf("it is of %s, expected %s", clients, n.Clients)
	case b.Inputs[inputBroker] != b.Broker.Software:
		return fmt.Errorf("its broker is %q, and it was made of %q", b.Broker.Software, b.Inputs[inputBroker])
	}
	for _, pair := range strings.Fields(n.Settings) {
		key, value, _ := strings.Cut(pair, "=")
		if b.Config[canonicalKey(key)] != value {
			return fmt.Errorf("%s in it is %q, expected %s", key, b.Config[canonicalKey(key)], value)
		}
	}
	return m.Recheck(b)
}

func valuesOf(b evidence.Bench) []string {
	return namesOf(b.Contestants, func(c evidence.BenchContestant) string { return c.Value })
}

// benchFile reads the file of a bench, once.
func (s *Store) benchFile(n BenchNeed) *benchFile {
	name := s.BenchFileOf(n)
	f, known := s.benches[name]
	if !known {
		f = readBench(s.files, name, n, s.made)
		s.benches[name] = f
	}
	return f
}

func readBench(files fs.FS, name string, n BenchNeed, made Made) *benchFile {
	f := &benchFile{path: name}
	var err error
	if f.there, err = readBytes(files, name); err != nil || f.there == nil {
		f.err = err
		return f
	}
	if schema := schemaOf(f.there); schema != "" && schema != evidence.BenchSchema {
		f.schema = schema
		return f
	}
	b, err := evidence.DecodeBench(bytes.NewReader(f.there))
	if err == nil {
		err = made.honestBench(b, n)
	}
	if err != nil {
		f.err = spoilt(name, err)
		return f
	}
	f.bench = b
	return f
}

// encode is the one way to write it.
func (f *benchFile) encode() ([]byte, error) {
	var b bytes.Buffer
	err := evidence.EncodeBench(&b, f.bench)
	return b.Bytes(), err
}
