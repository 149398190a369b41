package evidence

// Answer is one thing that a trial found out and that is no count: which code a
// producer was told, what a setting looks like on the wire, where a key went. The
// question is the same for every client, so that answers stand side by side.
type Answer struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`             // short, it stands in a cell; "" when the story did not find out
	Expected string `json:"expected,omitempty"` // what the claim says; another answer breaks it
	Measured bool   `json:"measured,omitempty"` // a time or a size: shown, and never part of a verdict
}
