package workbook

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"kcompare/internal/evidence"
)

// Store is the evidence of a course: what stands in its folder, read when it is asked for,
// and what was put since. It writes nothing itself: Changed says what is to be written. It
// is a Source; it must not be used concurrently.
type Store struct {
	files    fs.FS // of the course, from its root
	manifest Manifest
	made     Made
	trials   map[string]*trialFile  // that were asked for, by path
	benches  map[string]*benchFile  // the same
	outputs  map[string]*outputFile // the same
}

// NewStore is the evidence of a course. Nothing is read yet.
func NewStore(files fs.FS, m Manifest, made Made) *Store {
	return &Store{files: files, manifest: m, made: made, trials: map[string]*trialFile{}, benches: map[string]*benchFile{}, outputs: map[string]*outputFile{}}
}

// FileOf is where the evidence of a need is or would be: SCENARIO-CLIENT, the broker where
// it is not the embedded one, and the parameters that are not those of kcompare run.
func (s *Store) FileOf(n Need) string {
	return path.Join(s.manifest.Evidence, n.Scenario+"-"+n.Client+suffix(n)+".json")
}

// suffix is "-kafka-messages=50".
func suffix(n Need) string {
	text := ""
	if n.Broker != brokerEmbedded {
		text += "-" + n.Broker
	}
	usual := flagsOf(usualParameters(n.Broker))
	for i, flag := range flagsOf(n.Parameters) {
		if flag != usual[i] {
			text += "-" + flag
		}
	}
	return text
}

// flagsOf is the parameters as `kcompare run` takes them, without the hyphens.
func flagsOf(p Parameters) []string {
	return []string{
		fmt.Sprintf("seed=%d", p.Seed), fmt.Sprintf("messages=%d", p.Messages), "drop-rate=" + rateText(p.DropRate),
		fmt.Sprintf("retries=%d", p.Retries), fmt.Sprintf("warmup=%d", p.Warmup), "delivery-timeout=" + p.DeliveryTimeout,
		fmt.Sprintf("nodes=%d", p.Nodes),
	}
}

// usualParameters are those of a block that says nothing of them.
func usualParameters(broker string) Parameters {
	p, _ := parametersOf(Block{}, broker) // nothing in it can be wrong
	return p
}

func rateText(rate float64) string { return strconv.FormatFloat(rate, 'g', -1, 64) }

// Stored lists the files of evidence that there are, as FileOf names them.
func (s *Store) Stored() []string {
	found, err := fs.Glob(s.files, path.Join(s.manifest.Evidence, "*.json"))
	if err != nil {
		return nil // the folder's name is not a pattern: ReadManifest sees to that
	}
	return found
}

// Read looks at all evidence that is wanted, as far as there is some. The error names a
// file that is damaged, is not what its name says or contradicts itself, and what to do.
func (s *Store) Read(w Wants) error {
	for _, n := range w.Needs {
		if f := s.file(n); f.err != nil {
			return f.err
		}
	}
	for _, n := range w.Benches {
		if f := s.benchFile(n); f.err != nil {
			return f.err
		}
	}
	for _, p := range w.Programs {
		if f := s.output(p); f.err != nil {
			return f.err
		}
	}
	return nil
}

// Trial is the evidence of a need and the document that it came from, without its other
// trials.
func (s *Store) Trial(n Need) (evidence.Trial, evidence.Document, bool) {
	f := s.file(n)
	t, ok := f.trial(n.Variant)
	if !ok || n.Scene != "" && !hasScene(t, n.Scene) {
		return evidence.Trial{}, evidence.Document{}, false
	}
	doc := f.doc
	doc.Trials, doc.Inputs = []evidence.Trial{t}, nil
	return t, doc, true
}

func hasScene(t evidence.Trial, of string) bool {
	return slices.ContainsFunc(t.Scenes, func(s evidence.Scene) bool { return s.Of == of })
}

// State compares what the evidence of a need was made of with what is there now. What this
// build cannot know of a client is not compared. Evidence that cannot be read is missing;
// changed says why, where there is more to say than that it is not there.
func (s *Store) State(n Need) (State, []string) {
	if _, _, ok := s.Trial(n); !ok {
		if f := s.file(n); f.schema != "" {
			return Missing, []string{fmt.Sprintf("%s is of schema %s -> %s", f.path, f.schema, evidence.Schema)}
		}
		return Missing, nil
	}
	if reasons := s.stale(n); len(reasons) > 0 {
		return Stale, reasons
	}
	return Fresh, nil
}

func (s *Store) stale(n Need) []string {
	f := s.file(n)
	now, err := s.made.inputs(n)
	if err != nil { // nobody here knows the client: all else can be compared
		now = maps.Clone(f.doc.Inputs)
		now[inputBroker], now[inputScenario] = s.made.Brokers[n.Broker], s.made.Scenarios[n.Scenario]
	}
	reasons := changedInputs(f.doc.Inputs, now, n.Scenario, "client "+n.Client)
	library, _ := s.made.Client(n.Client)
	if t, _ := f.trial(n.Variant); library.BuiltIn && len(reasons) == 0 && t.Library != library.Version {
		reasons = append(reasons, upgrade(t.Library, library.Version))
	}
	return reasons
}

// Play is a trial that is to be played, and the scenes that are to be cut from its trace.
type Play struct {
	Need            // without a scene
	Scenes []string // sorted
	Why    []string // what changed; none: it is missing or was asked for
}

// Plays lists what has to be played before all needs are fresh, each trial once, in the
// order of the needs, and those that again asks for. What else stands in a file that is
// stale is played with it: a file is made of one thing.
func (s *Store) Plays(needs []Need, again func(Need) bool) []Play {
	var plays []Play
	at := map[Need]int{}
	add := func(n Need, why []string) {
		scene := n.Scene
		n.Scene = ""
		i, known := at[n]
		if !known {
			i = len(plays)
			at[n] = i
			plays = append(plays, Play{Need: n, Why: why, Scenes: s.scenesOf(n)})
		}
		plays[i].add(scene)
	}
	for _, n := range needs {
		state, why := s.State(n)
		if state == Fresh && !again(n) {
			continue
		}
		add(n, why)
		if state == Stale {
			for _, other := range s.besides(n) {
				add(other, why)
			}
		}
	}
	for _, n := range needs { // one trial, several scenes: all are cut in one go
		bare := n
		bare.Scene = ""
		if _, played := at[bare]; played {
			add(n, nil)
		}
	}
	return plays
}

// Replays lists all trials of needs, each once, with the scenes that the needs ask for: for
// playing them again without storing anything.
func (s *Store) Replays(needs []Need) []Play {
	var plays []Play
	at := map[Need]int{}
	for _, n := range needs {
		scene := n.Scene
		n.Scene = ""
		i, known := at[n]
		if !known {
			i = len(plays)
			at[n] = i
			plays = append(plays, Play{Need: n})
		}
		plays[i].add(scene)
	}
	return plays
}

// add asks for a scene.
func (p *Play) add(scene string) {
	if scene != "" && !slices.Contains(p.Scenes, scene) {
		p.Scenes = append(p.Scenes, scene)
		slices.Sort(p.Scenes)
	}
}

// scenesOf are those that are stored.
func (s *Store) scenesOf(n Need) []string {
	t, _ := s.file(n).trial(n.Variant)
	var names []string
	for _, scene := range t.Scenes {
		names = append(names, scene.Of)
	}
	slices.Sort(names)
	return names
}

// besides are the other trials of a file whose variants there still are.
func (s *Store) besides(n Need) []Need {
	var all []Need
	for _, t := range s.file(n).doc.Trials {
		if t.Variant != n.Variant && variantIndex(n.Scenario, t.Variant) >= 0 {
			other := n
			other.Variant, other.Scene = t.Variant, ""
			all = append(all, other)
		}
	}
	return all
}

// Put stores a trial that was played for a need, with its scenes: what is noise is taken
// out or numbered, measures keep what stood there while they are near it. The error says
// that the trial is not of the need, or names a value that does not look like what it
// should be.
func (s *Store) Put(n Need, t evidence.Trial) error {
	f := s.file(n)
	if f.err != nil {
		return f.err
	}
	inputs, err := s.made.inputs(n)
	if err != nil {
		return err
	}
	if t.Scenario != n.Scenario || t.Variant != n.Variant || t.Client != n.Client {
		return fmt.Errorf("%s: put is %s %s on %s, expected %s on %s", f.path, t.Scenario, t.Variant, t.Client, n.Variant, n.Client)
	}
	if library, _ := s.made.Client(n.Client); library.BuiltIn && t.Library != library.Version {
		return fmt.Errorf("%s: the trial is of %s, expected %s", f.path, t.Library, library.Version)
	}
	t, err = normalised(t, n.Broker)
	if err != nil {
		return fmt.Errorf("%s %s on %s: %w", t.Scenario, t.Variant, t.Client, err)
	}
	if i := slices.IndexFunc(f.was, func(o evidence.Trial) bool { return o.Variant == t.Variant }); i >= 0 {
		t = settled(f.was[i], t)
	}
	doc := documentOf(n, s.made.Brokers[n.Broker])
	doc.Inputs, doc.Trials = inputs, []evidence.Trial{t}
	if err := honest(doc, n); err != nil {
		return fmt.Errorf("%s %s on %s: %w", t.Scenario, t.Variant, t.Client, err)
	}
	f.put(t, doc)
	return nil
}

// Changed is what is to be written, by path below the root: files that are not yet as
// they should be.
func (s *Store) Changed() (map[string][]byte, error) {
	all := map[string][]byte{}
	for name, f := range s.trials {
		if f.err == nil && f.touched {
			if err := addChanged(all, name, f.there, f.encode); err != nil {
				return nil, err
			}
		}
	}
	for name, f := range s.benches {
		if f.err == nil && f.touched {
			if err := addChanged(all, name, f.there, f.encode); err != nil {
				return nil, err
			}
		}
	}
	for name, f := range s.outputs {
		if f.err == nil && f.touched {
			if err := addChanged(all, name, f.there, f.encode); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// addChanged adds a file whose content is another one than what is there.
func addChanged(all map[string][]byte, name string, there []byte, encode func() ([]byte, error)) error {
	content, err := encode()
	if err == nil && !bytes.Equal(content, there) {
		all[name] = content
	}
	return err
}

// file reads the file of a need, once.
func (s *Store) file(n Need) *trialFile {
	name := s.FileOf(n)
	f, known := s.trials[name]
	if !known {
		f = readTrials(s.files, name, n, s.made.Brokers[n.Broker])
		s.trials[name] = f
	}
	return f
}

// readBytes is the content of a file; none where there is no such file.
func readBytes(files fs.FS, name string) ([]byte, error) {
	content, err := fs.ReadFile(files, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return content, err
}

// spoilt is the error of a file that cannot be used.
func spoilt(name string, err error) error {
	return fmt.Errorf("%s: %w; remove the file, `kcompare docs render` makes it again", name, strip(err))
}

// strip takes "read evidence: " from an error that names the file already.
func strip(err error) error {
	if text, ours := strings.CutPrefix(err.Error(), "read evidence: "); ours {
		return errors.New(text)
	}
	return err
}
