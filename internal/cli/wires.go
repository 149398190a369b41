package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"kcompare/internal/evidence"
	"kcompare/internal/report"
)

// wires collects from trials that run side by side what a report draws of their traces.
// The traces themselves would fill the memory.
type wires struct {
	mu  sync.Mutex
	all report.Wires
}

func (w *wires) add(t evidence.Trial, trace evidence.Trace) {
	drawn := report.WireOf(trace)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all == nil {
		w.all = report.Wires{}
	}
	w.all[report.NameOf(t)] = drawn
}

// readWires reads the traces beside evidence files. One that is not there is not drawn.
func readWires(files []string) (report.Wires, error) {
	all := report.Wires{}
	for _, name := range files {
		doc, err := readEvidenceFile(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, t := range doc.Trials {
			trace, err := readTrace(filepath.Dir(name), t.Trace)
			switch {
			case errors.Is(err, fs.ErrNotExist):
			case err != nil:
				return nil, err
			default:
				all[report.NameOf(t)] = report.WireOf(trace)
			}
		}
	}
	return all, nil
}

// readTrace reads only what is a file: evidence may come from somebody else, and may name
// anything.
func readTrace(dir, name string) (evidence.Trace, error) {
	if name == "" {
		return evidence.Trace{}, fs.ErrNotExist
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return evidence.Trace{}, err
	case !info.Mode().IsRegular():
		return evidence.Trace{}, fmt.Errorf("%s: expected a file with the trace of a trial", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return evidence.Trace{}, err
	}
	defer func() { _ = f.Close() }() // it was only read
	trace, err := evidence.DecodeTrace(f)
	if err != nil {
		return evidence.Trace{}, fmt.Errorf("%s: %w", name, err)
	}
	return trace, nil
}
