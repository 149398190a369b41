package workbook

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"kcompare/internal/evidence"
	"kcompare/internal/scenario"
	"kcompare/internal/verdict"
)

// trialFile is one file of trials: a scenario, a client, a broker, parameters.
type trialFile struct {
	path    string
	there   []byte // as it stands; nil: there is none
	doc     evidence.Document
	was     []evidence.Trial // its trials as they stand: measures are held against them
	schema  string           // of a file whose schema is another one; doc has no trials then
	err     error            // why it cannot be used
	touched bool             // something was put
}

// readTrials reads the file of a need, and refuses one that tells of something else than
// its name says or contradicts itself.
func readTrials(files fs.FS, name string, n Need, software string) *trialFile {
	f := &trialFile{path: name, doc: documentOf(n, software)}
	var err error
	if f.there, err = readBytes(files, name); err != nil || f.there == nil {
		f.err = err
		return f
	}
	if schema := schemaOf(f.there); schema != "" && schema != evidence.Schema {
		f.schema = schema
		return f
	}
	doc, err := evidence.Decode(bytes.NewReader(f.there))
	if err == nil {
		err = honest(doc, n)
	}
	if err != nil {
		f.err = spoilt(name, err)
		return f
	}
	f.doc, f.was = doc, doc.Trials
	return f
}

func schemaOf(content []byte) string {
	var head struct{ Schema string }
	if json.Unmarshal(content, &head) != nil {
		return ""
	}
	return head.Schema
}

// honest looks for what a document cannot have if it was made by Put.
func honest(doc evidence.Document, n Need) error {
	want := documentOf(n, doc.Broker.Software)
	switch {
	case doc.Seed != want.Seed || !maps.Equal(doc.Parameters, want.Parameters) || doc.Broker != want.Broker:
		return errors.New("seed, broker or parameters in it are not those of its name")
	case doc.Inputs[inputBroker] != doc.Broker.Software:
		return fmt.Errorf("its broker is %q, and it was made of %q", doc.Broker.Software, doc.Inputs[inputBroker])
	}
	seen := map[string]bool{}
	for _, t := range doc.Trials {
		if t.Scenario != n.Scenario || t.Client != n.Client {
			return fmt.Errorf("it has a trial of %s on %s", t.Scenario, t.Client)
		}
		if seen[t.Variant] {
			return fmt.Errorf("%s stands in it twice", t.Variant)
		}
		seen[t.Variant] = true
		if err := plausible(t); err != nil {
			return fmt.Errorf("%s: %w", t.Variant, err)
		}
	}
	if wrong := verdict.Recompute(doc); len(wrong) > 0 {
		return fmt.Errorf("it contradicts itself: %w", wrong[0])
	}
	return nil
}

// documentOf is the document of a need without trials and inputs. Nothing in it depends on
// the run that made it.
func documentOf(n Need, software string) evidence.Document {
	p := n.Parameters
	timeout, _ := time.ParseDuration(p.DeliveryTimeout) // it was printed from one
	return evidence.Document{
		Command: "run", Schema: evidence.Schema, Seed: p.Seed,
		Broker: evidence.Broker{Kind: n.Broker, Software: software, Nodes: p.Nodes},
		Parameters: map[string]string{
			"messages": fmt.Sprint(p.Messages), "drop-rate": rateText(p.DropRate), "delivery-timeout": p.DeliveryTimeout,
			"warmup": fmt.Sprint(p.Warmup), "retries": fmt.Sprint(p.Retries), "trial-timeout": (2*timeout + 30*time.Second).String(),
			"repeat": "1", "partitions": "0", "settings": "",
		},
		Again: again(n),
	}
}

// again is the command line that plays the trials of a file.
func again(n Need) string {
	words := []string{"kcompare run", n.Scenario, "--client=" + n.Client}
	if n.Broker != brokerEmbedded {
		words = append(words, "--broker="+n.Broker)
	}
	usual := flagsOf(usualParameters(n.Broker))
	for i, flag := range flagsOf(n.Parameters) {
		if flag != usual[i] || i == 0 { // the seed is always said
			words = append(words, "--"+flag)
		}
	}
	return strings.Join(words, " ")
}

func (f *trialFile) trial(variant string) (evidence.Trial, bool) {
	for _, t := range f.doc.Trials {
		if t.Variant == variant {
			return t, true
		}
	}
	return evidence.Trial{}, false
}

// put replaces or adds a trial, the only one of doc. What was made of something else goes.
// Trials stand in the order of the scenario.
func (f *trialFile) put(t evidence.Trial, doc evidence.Document) {
	f.schema, f.touched = "", true
	if maps.Equal(f.doc.Inputs, doc.Inputs) {
		doc.Trials = slices.DeleteFunc(slices.Clone(f.doc.Trials), func(o evidence.Trial) bool { return o.Variant == t.Variant })
		doc.Trials = append(doc.Trials, t)
	}
	f.doc = doc
	slices.SortFunc(f.doc.Trials, func(a, b evidence.Trial) int {
		return cmp.Or(cmp.Compare(variantIndex(a.Scenario, a.Variant), variantIndex(b.Scenario, b.Variant)), strings.Compare(a.Variant, b.Variant))
	})
}

// encode is the one way to write it.
func (f *trialFile) encode() ([]byte, error) {
	var b bytes.Buffer
	err := evidence.Encode(&b, f.doc)
	return b.Bytes(), err
}

// variantIndex is the place of a variant in its scenario; -1 where there is none.
func variantIndex(of, variant string) int {
	s, _ := scenarioNamed(of)
	return slices.IndexFunc(s.Variants, func(v scenario.Variant) bool { return v.Name == variant })
}
