package verify

import "kcompare/internal/config"

// Result is what is said of a key.
type Result string

// The results.
const (
	Same          Result = "same"
	Different     Result = "different"
	NotObservable Result = "not-observable"
)

// Report is what was found out.
type Report struct {
	Role     config.Role
	Clients  []Contestant
	Keys     []Key    // those that the settings name first, each part sorted
	Problems []string // experiments that failed
}

// Contestant is a client that took part.
type Contestant struct {
	Name    string `json:"name"` // in Key.Observed
	Client  string `json:"client"`
	Library string `json:"library"`
}

// Key is one row.
type Key struct {
	Key        string            `json:"key"`
	Result     Result            `json:"result"`
	Observed   map[string]string `json:"observed"` // by name of the client
	Reason     string            `json:"reason"`
	Given      bool              `json:"given"`                // the settings name it
	Value      string            `json:"value,omitempty"`      // as given, secrets masked; "a | b" where clients have different ones
	Experiment string            `json:"experiment,omitempty"` // in which it was seen
	Notes      []string          `json:"notes,omitempty"`      // what a library expresses only approximately
}

// Differs says whether any key is different.
func (r Report) Differs() bool {
	for _, k := range r.Keys {
		if k.Result == Different {
			return true
		}
	}
	return false
}
