// Package lint judges Kafka configuration and the code around it, as package source
// found it.
package lint

// Severity says how bad a finding is.
type Severity string

// The severities. An Error is refused by the library, or breaks what was asked for; a
// Warning is legal, and probably not what was meant; an Info is worth knowing.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// Finding is one thing that is wrong, in the shape of `kcompare lint --format=json`.
type Finding struct {
	File     string   `json:"file"`
	Line     int      `json:"line"`   // from 1
	Column   int      `json:"column"` // from 1, in characters
	Severity Severity `json:"severity"`
	Rule     string   `json:"rule"` // "unknown-key", "conflict", ...: what `kcompare:ignore` names
	Key      string   `json:"key"`  // the setting or name that it is about
	Message  string   `json:"message"`
	Fix      string   `json:"fix,omitempty"` // what to write instead, or to do
}
