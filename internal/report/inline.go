package report

import "kcompare/internal/evidence"

// Code is a name or value as markdown shows code, and Plain is text that it shows as it
// is, in one line: neither ends a cell of a table. Packages that lay out blocks of pages
// of their own use them.
func Code(text string) string { return code(text) }

// Plain see Code.
func Plain(text string) string { return escaped(text) }

// Label is what reports call a metric, in English.
func Label(m evidence.Metric) string { return labelOf(m) }
