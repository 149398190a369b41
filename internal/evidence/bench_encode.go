package evidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// EncodeBench writes a bench as indented JSON, as Encode writes a document: lists and maps
// that are always there and hold nothing are [] and {}. The error is the writer's.
func EncodeBench(w io.Writer, b Bench) error {
	notNilMap(&b.Config)
	notNil(&b.Contestants)
	notNil(&b.Rounds)
	b.Judgement.Metrics = slices.Clone(b.Judgement.Metrics)
	for i := range b.Judgement.Metrics {
		notNil(&b.Judgement.Metrics[i].Standing)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(b); err != nil {
		return fmt.Errorf("write evidence of a bench: %w", err)
	}
	return nil
}

// DecodeBench reads one bench. Keys that it does not know are dropped, as Decode does;
// another schema, a bench without contestants and a round of nobody are errors.
func DecodeBench(r io.Reader) (Bench, error) {
	var b Bench
	dec := json.NewDecoder(r)
	if err := dec.Decode(&b); err != nil {
		return Bench{}, fmt.Errorf("read evidence of a bench: expected one JSON document of schema %s: %w", BenchSchema, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Bench{}, fmt.Errorf("read evidence of a bench: expected one JSON document of schema %s, and something stands behind it", BenchSchema)
	}
	if b.Schema != BenchSchema {
		return Bench{}, fmt.Errorf("read evidence of a bench: schema is %q, expected %q", b.Schema, BenchSchema)
	}
	if err := b.whole(); err != nil {
		return Bench{}, fmt.Errorf("read evidence of a bench: %w", err)
	}
	return b, nil
}

// whole says what is missing or stands twice.
func (b Bench) whole() error {
	if len(b.Contestants) == 0 {
		return errors.New("expected at least one contestant")
	}
	known := map[string]bool{}
	for _, c := range b.Contestants {
		if known[c.Name] {
			return fmt.Errorf("contestant %q stands in it twice", c.Name)
		}
		known[c.Name] = true
	}
	type turn struct {
		contestant string
		round      int
	}
	played := map[turn]bool{}
	for _, r := range b.Rounds {
		switch t := (turn{r.Contestant, r.Round}); {
		case !known[r.Contestant]:
			return fmt.Errorf("round %d is of %q, which is no contestant", r.Round, r.Contestant)
		case played[t]:
			return fmt.Errorf("round %d of %q stands in it twice", r.Round, r.Contestant)
		default:
			played[t] = true
		}
	}
	return nil
}
