package cli

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2/maybe"

	"kcompare/internal/evidence"
	"kcompare/internal/report"
)

const formatSVG = "svg" // of a bench alone

// write prints the report, and puts the evidence where --evidence says.
func (o *benchOptions) write(b evidence.Bench) error {
	if o.evidenceDir != "" {
		if err := storeBench(o.evidenceDir, b); err != nil {
			return err
		}
	}
	return o.output.writeBench(o.state, b)
}

func storeBench(dir string, b evidence.Bench) error {
	var text bytes.Buffer
	if err := evidence.EncodeBench(&text, b); err != nil {
		return err
	}
	if err := maybe.WriteFile(filepath.Join(dir, benchName(b)+".json"), text.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write evidence: %w", err)
	}
	return nil
}

// benchName is what the file of a bench is called: "bench-produce-franz-librdkafka",
// "bench-produce-franz-acks".
func benchName(b evidence.Bench) string {
	words := []string{"bench", string(b.Work)}
	for i, c := range b.Contestants {
		if b.Compare == "" || i == 0 {
			words = append(words, fileName(c.Client))
		}
	}
	if b.Compare != "" {
		words = append(words, b.Compare)
	}
	return strings.Join(words, "-")
}

func (o output) writeBench(s *State, b evidence.Bench) error {
	var text bytes.Buffer
	if err := o.renderBench(&text, s, b); err != nil {
		return err
	}
	return o.put(s, text.Bytes())
}

func (o output) renderBench(w io.Writer, s *State, b evidence.Bench) error {
	switch o.format {
	case formatJSON:
		return evidence.EncodeBench(w, b)
	case formatMarkdown:
		return report.BenchMarkdown(w, b, o.printer())
	case formatSVG:
		return report.BenchSVG(w, b, o.printer())
	}
	return report.BenchText(w, b, o.text(s))
}

// checkBench is check for the report of a bench.
func (o output) checkBench() error {
	return o.checkOf(formatText, formatMarkdown, formatJSON, formatSVG)
}
