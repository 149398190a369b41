package performance

import (
	"fmt"
	"io"

	"kcompare/internal/evidence"
)

// Header is what the file of a run begins with.
type Header struct {
	Date     string // as whoever ran it gave it
	Go       string // version
	Machine  evidence.Machine
	Versions []Setting // of the libraries that took part, by their name
}

// versionKey begins the key of a library's version: keys of this format are in lower case
// and have no blanks.
const versionKey = "version-"

// Write writes it as lines "key: value" of Go's benchmark format. What nobody knows is left out.
func (h Header) Write(w io.Writer) error {
	m := h.Machine
	lines := []Setting{{"date", h.Date}, {"go", h.Go}, {"processor", m.Processor}, {"cores", number(m.Cores)}, {"system", m.System}}
	if m.MemoryMB > 0 {
		lines = append(lines, Setting{"memory", fmt.Sprintf("%d MB", m.MemoryMB)})
	}
	for _, v := range h.Versions {
		lines = append(lines, Setting{versionKey + v.Key, v.Value})
	}
	for _, l := range lines {
		if l.Value == "" {
			continue
		}
		if _, err := fmt.Fprintf(w, "%s: %s\n", l.Key, l.Value); err != nil {
			return err
		}
	}
	return nil
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}
