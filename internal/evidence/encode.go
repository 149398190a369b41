package evidence

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// Encode writes the document as indented JSON. Lists and maps that hold nothing
// are written as [] and {}, never null, so that a script can walk them.
func Encode(w io.Writer, doc Document) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(withoutNull(doc)); err != nil {
		return fmt.Errorf("write evidence: %w", err)
	}
	return nil
}

// withoutNull is a copy in which no list and no map is nil.
func withoutNull(doc Document) Document {
	notNilMap(&doc.Parameters)
	doc.Trials = slices.Clone(doc.Trials)
	notNil(&doc.Trials)
	for i := range doc.Trials {
		t := &doc.Trials[i]
		notNilMap(&t.Config)
		notNilMap(&t.Reading)
		notNil(&t.Differences)
		notNil(&t.Faults)
		notNilMap(&t.Requests)
		notNil(&t.Anomalies)
		notNil(&t.Errors)
		notNil(&t.Requires)
		notNil(&t.Checks)
		notNil(&t.Allowed)
		notNil(&t.Reasons)
	}
	return doc
}

func notNil[T any](s *[]T) {
	if *s == nil {
		*s = []T{}
	}
}

func notNilMap[V any](m *map[string]V) {
	if *m == nil {
		*m = map[string]V{}
	}
}

// Decode reads one document. Keys that it does not know are dropped, because a
// newer kcompare may have added them; another schema is an error.
func Decode(r io.Reader) (Document, error) {
	var doc Document
	dec := json.NewDecoder(r)
	if err := dec.Decode(&doc); err != nil {
		return Document{}, fmt.Errorf("read evidence: expected one JSON document of schema %s: %w", Schema, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Document{}, fmt.Errorf("read evidence: expected one JSON document of schema %s, and something stands behind it", Schema)
	}
	if doc.Schema != Schema {
		return Document{}, fmt.Errorf("read evidence: schema is %q, expected %q", doc.Schema, Schema)
	}
	if len(doc.Trials) == 0 && doc.Unfinished == 0 {
		return Document{}, fmt.Errorf("read evidence: expected at least one trial in a document of schema %s", Schema)
	}
	return doc, nil
}

// Merge joins the trials of documents of one run, in the order of the run, or in
// that given where they have no number. Seed, broker and parameters must be the
// same, and no trial may come twice. The time is that of the longest, because
// trials run side by side.
func Merge(docs ...Document) (Document, error) {
	if len(docs) == 0 {
		return Document{}, fmt.Errorf("merge evidence: expected at least one document")
	}
	whole := docs[0]
	whole.Trials = nil
	for _, doc := range docs {
		if other := difference(whole, doc); other != "" {
			return Document{}, fmt.Errorf("merge evidence: %s: these are different experiments", other)
		}
		whole.Trials = append(whole.Trials, doc.Trials...)
		whole.ElapsedMS = max(whole.ElapsedMS, doc.ElapsedMS)
		whole.Unfinished = max(whole.Unfinished, doc.Unfinished)
	}
	slices.SortStableFunc(whole.Trials, func(s, t Trial) int { return cmp.Compare(s.Number, t.Number) })
	return whole, twice(whole.Trials)
}

// difference is what makes another experiment of a document, empty if nothing does.
func difference(a, b Document) string {
	switch {
	case a.Seed != b.Seed:
		return fmt.Sprintf("seed %d and seed %d", a.Seed, b.Seed)
	case a.Broker != b.Broker:
		return fmt.Sprintf("%s of %d nodes and %s of %d nodes", a.Broker.Software, a.Broker.Nodes, b.Broker.Software, b.Broker.Nodes)
	}
	keys := slices.Concat(slices.Collect(maps.Keys(a.Parameters)), slices.Collect(maps.Keys(b.Parameters)))
	slices.Sort(keys)
	for _, key := range keys {
		if a.Parameters[key] != b.Parameters[key] {
			return fmt.Sprintf("%s is %q and %q", key, a.Parameters[key], b.Parameters[key])
		}
	}
	return ""
}

// twice refuses a trial that would count for two.
func twice(trials []Trial) error {
	type played struct {
		scenario, variant, client string
		repeat                    int
	}
	seen := map[played]bool{}
	for _, t := range trials {
		p := played{t.Scenario, t.Variant, t.Client, t.Repeat}
		if seen[p] {
			return fmt.Errorf("merge evidence: %s %s on %s stands in it twice", t.Scenario, t.Variant, t.Client)
		}
		seen[p] = true
	}
	return nil
}

// traceHead is the first line of a trace file.
type traceHead struct {
	Schema string `json:"schema"`
	Cut    int64  `json:"cut"` // exchanges that were not kept
}

const traceSchema = "kcompare/trace/v1"

// EncodeTrace writes the trace as JSON lines: a head, then one exchange a line.
func EncodeTrace(w io.Writer, t Trace) error {
	enc := json.NewEncoder(w)
	if err := enc.Encode(traceHead{Schema: traceSchema, Cut: t.Cut}); err != nil {
		return fmt.Errorf("write trace: %w", err)
	}
	for _, e := range t.Exchanges {
		if err := enc.Encode(e); err != nil {
			return fmt.Errorf("write trace: %w", err)
		}
	}
	return nil
}

// logHead opens each partition of a log file; its batches follow.
type logHead struct {
	Schema    string `json:"schema"`
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Before    int64  `json:"before"`
	After     int64  `json:"after"`
}

// EncodeLog writes the log as JSON lines: for each partition a head, then one
// batch a line.
func EncodeLog(w io.Writer, l Log) error {
	enc := json.NewEncoder(w)
	for _, p := range l.Partitions {
		head := logHead{Schema: "kcompare/log/v1", Topic: p.Topic, Partition: p.Partition, Before: p.Before, After: p.After}
		if err := enc.Encode(head); err != nil {
			return fmt.Errorf("write log: %w", err)
		}
		for _, b := range p.Batches {
			if err := enc.Encode(b); err != nil {
				return fmt.Errorf("write log: %w", err)
			}
		}
	}
	return nil
}
