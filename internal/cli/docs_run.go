package cli

import (
	"context"
	"io/fs"

	"kcompare/internal/evidence"
	"kcompare/internal/workbook"
)

// evidenceOf is the evidence of a course.
func (s *State) evidenceOf(fs.FS, workbook.Manifest) (workbook.Source, error) {
	return noEvidence{}, nil
}

// playDocs plays what the chosen blocks of a course want and is missing or stale, and gives
// the files of evidence that change.
func (s *State) playDocs(_ context.Context, _ docsCourse, w workbook.Wants) ([]workbook.File, error) {
	if len(w.Needs)+len(w.Programs) > 0 {
		return nil, usagef("docs: blocks that tell of trials are not built yet")
	}
	return nil, nil
}

type noEvidence struct{}

func (noEvidence) Trial(workbook.Need) (t evidence.Trial, of evidence.Document, ok bool) {
	return t, of, false
}
func (noEvidence) Output(string) ([]string, bool)                 { return nil, false }
func (noEvidence) State(workbook.Need) (workbook.State, []string) { return workbook.Missing, nil }
func (noEvidence) OutputState(string) (workbook.State, []string)  { return workbook.Missing, nil }
func (noEvidence) FileOf(workbook.Need) string                    { return "" }
func (noEvidence) OutputFileOf(string) string                     { return "" }
func (noEvidence) Stored() []string                               { return nil }
