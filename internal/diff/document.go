// Package diff says what changed in behaviour between two documents of evidence, such
// as those of a library before and after an upgrade: values in, values out.
//
// What the seed does not repeat is no change when it is another number: only that
// something appears or vanishes is.
package diff

import "kcompare/internal/evidence"

// Schema is the version of the JSON that a Document becomes.
const Schema = "kcompare/diff/v1"

// Document is what changed from one document of evidence to the other.
type Document struct {
	Command string   `json:"command"`
	Schema  string   `json:"schema"`
	Old     Side     `json:"old"`
	New     Side     `json:"new"`
	Notes   []string `json:"notes"`   // in what the two were not the same experiment, and what was not compared because of it
	Clients []Client `json:"clients"` // those that were compared
	Trials  []Trial  `json:"trials"`  // that are in both
	OnlyOld []Name   `json:"only_old"`
	OnlyNew []Name   `json:"only_new"`
}

// Side is one of the two, in short.
type Side struct {
	Kcompare string          `json:"kcompare"`
	Platform string          `json:"platform,omitempty"`
	Seed     int64           `json:"seed"`
	Broker   evidence.Broker `json:"broker"`
	Trials   int             `json:"trials"`
}

// Client is a client of the one and what it is in the other, with the libraries behind
// them and what they ask brokers for.
type Client struct {
	Old        string   `json:"old"` // name
	New        string   `json:"new"`
	OldLibrary string   `json:"old_library"`
	NewLibrary string   `json:"new_library"`
	Changes    []Change `json:"changes"` // in the requests of all its trials: an API that appears or vanishes
}

// Name is a trial without its numbers.
type Name struct {
	Scenario string `json:"scenario"`
	Variant  string `json:"variant"`
	Client   string `json:"client"`
}

// Trial is one trial, or its repeats, on both sides.
type Trial struct {
	Scenario  string        `json:"scenario"`
	Variant   string        `json:"variant"`
	Kind      evidence.Kind `json:"kind"`
	OldClient string        `json:"old_client"`
	NewClient string        `json:"new_client"`
	Result    Result        `json:"result"`
	Changes   []Change      `json:"changes"`
	Chance    []Change      `json:"chance"`  // what the moment may have made: no reason to call the trial changed
	Unclear   []string      `json:"unclear"` // what could not be compared, and why
}

// Result is what the comparison of a trial came to.
type Result string

// The results. A trial of which a part changed and another could not be compared has
// changed.
const (
	Same    Result = "same"
	Changed Result = "changed"
	Unclear Result = "unclear"
)

// Change is one thing that is not as it was. Old is "" for what appears, New for what
// vanishes.
type Change struct {
	What What   `json:"what"`
	Name string `json:"name"` // of the count, setting, question, ...; "" of a verdict
	Old  string `json:"old"`
	New  string `json:"new"`
}

// What is the kind of thing that changed.
type What string

// The kinds, in the order in which a report tells them.
const (
	Verdict    What = "verdict"
	Anomaly    What = "anomaly"
	Count      What = "count"
	Answer     What = "answer"
	Error      What = "error"
	Fault      What = "fault" // whether a fault applies to the client
	Setting    What = "setting"
	Difference What = "difference" // a setting that the client expresses only approximately
	Request    What = "request"
)

// Exit is the exit code of a command with this document: 3 when something changed, else
// 4 when something could not be compared or is not there any more, else 0.
func Exit(doc Document) int {
	code := 0
	if len(doc.OnlyOld) > 0 {
		code = 4
	}
	for _, c := range doc.Clients {
		if len(c.Changes) > 0 {
			return 3
		}
	}
	for _, t := range doc.Trials {
		switch t.Result {
		case Changed:
			return 3
		case Unclear:
			code = 4
		}
	}
	return code
}
