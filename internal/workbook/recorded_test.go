package workbook

import (
	"bytes"
	"os"
	"testing"

	"kcompare/internal/evidence"
)

// recorded is the evidence of a course out of one document, whatever the parameters of a
// need are; its broker is the one that the document names.
type recorded struct {
	doc     evidence.Document
	outputs map[string][]string // by program
	bench   evidence.Bench      // of every need
}

func (r recorded) Trial(n Need) (evidence.Trial, evidence.Document, bool) {
	of := r.doc
	of.Trials = nil
	for _, t := range r.doc.Trials {
		if t.Scenario == n.Scenario && t.Variant == n.Variant && t.Client == n.Client && of.Broker.Kind == n.Broker {
			return t, of, true
		}
	}
	return evidence.Trial{}, of, false
}

func (r recorded) Bench(BenchNeed) (evidence.Bench, bool) {
	return r.bench, r.bench.Schema != ""
}

func (r recorded) Output(program string) ([]string, bool) {
	lines, ok := r.outputs[program]
	return lines, ok
}

// evidenceFile is what `kcompare run idempotent zombie partitioner error-classes
// --client=franz,librdkafka --messages=20 --format=json` printed for the variants that the
// file names, without the libraries' own logs.
const evidenceFile = "testdata/evidence.json"

// read is a new copy of the document, which a test may change.
func read(t *testing.T) evidence.Document {
	t.Helper()
	text, err := os.ReadFile(evidenceFile)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := evidence.Decode(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
