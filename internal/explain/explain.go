// Package explain tells what each client makes of a setting: what it is called there, what
// it does, its default and range, what stands for a given value, and what goes together
// with what. Everything it says of a library comes from the tables of package config.
package explain

import (
	"errors"
	"strings"

	"kcompare/internal/config"
	"kcompare/internal/convert"
	"kcompare/internal/source"
)

// Explanation is one setting. Of a name that no other client has something like (an
// option of franz-go such as WithPools), Key is that name, and Clients has one row.
type Explanation struct {
	Asked   string   `json:"asked"`           // as it was typed
	Key     string   `json:"key"`             // the canonical name
	Note    string   `json:"note,omitempty"`  // why Key is not what was typed
	Value   *string  `json:"value,omitempty"` // in librdkafka's spelling and unit; absent where none was given; "(secret)" of a secret
	Wrong   string   `json:"wrong,omitempty"` // what is wrong with the value for librdkafka
	Aliases []string `json:"aliases"`

	Does     string `json:"does,omitempty"` // in one sentence; absent of what no setting of librdkafka is
	For      string `json:"for"`            // "producer", "consumer" or "producer, consumer"
	Type     string `json:"type"`
	Range    string `json:"range"`
	Wire     string `json:"wire"`               // where it shows on the wire; "no" where it does not
	Relation string `json:"relation,omitempty"` // between librdkafka and franz-go
	Means    string `json:"means,omitempty"`    // the relation in words, and what to do
	Gotcha   string `json:"gotcha,omitempty"`   // what is not the same

	Clients   []Client   `json:"clients"`
	Conflicts []Conflict `json:"conflicts"`
}

// Client is what one library makes of it.
type Client struct {
	Client     string   `json:"client"` // "franz", "librdkafka", "java"
	Library    string   `json:"library"`
	Versions   []string `json:"versions"` // those that have it just so, the oldest first
	Names      []string `json:"names"`    // what it is called there; empty: there is nothing like it
	Nearest    bool     `json:"nearest"`  // the names are of something similar
	Default    string   `json:"default"`
	Range      string   `json:"range"`
	Equivalent []string `json:"equivalent,omitempty"` // the given value in its words
	Lost       string   `json:"lost,omitempty"`       // why the given value cannot be had
}

// Conflict is a rule between settings. It is Broken where the given values break it.
type Conflict struct {
	Keys   []string `json:"keys"`
	Reason string   `json:"reason"`
	Broken bool     `json:"broken"`
}

// Asked is a setting that somebody typed.
type Asked struct {
	Name  string
	Value *string // nil: only the name was given
}

// Clients are the clients that can be told about, by the names of docs/contract.md.
func Clients() []string { return []string{"franz", "librdkafka", "java"} }

// Explain tells about settings together. The error is a *config.Error: for a name that
// nobody knows, with the nearest one.
func Explain(asked []Asked, clients []string) ([]Explanation, error) {
	var all []Explanation
	for _, a := range asked {
		found, err := find(a)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	given := map[string]string{}
	for i := range all {
		if err := all[i].take(given); err != nil {
			return nil, err
		}
	}
	for i := range all {
		all[i].tell(given, clients)
	}
	return all, nil
}

// take collects a value that was given. Two of one setting are an error.
func (e *Explanation) take(given map[string]string) error {
	if e.Value == nil {
		return nil
	}
	if other, twice := given[e.Key]; twice && other != *e.Value {
		return &config.Error{Keys: []string{e.Key}, Reason: "given twice, as " + e.Asked + " too; give only one value"}
	}
	given[e.Key] = *e.Value
	return nil
}

// tell fills in what is known of it, in the company of the others.
func (e *Explanation) tell(given map[string]string, clients []string) {
	e.Conflicts = []Conflict{}
	if e.Clients == nil {
		e.Clients = []Client{}
	}
	s, known := config.Lookup(e.Key)
	if !known {
		return
	}
	e.Aliases = append([]string{}, s.Aliases...)
	e.Does = s.Does
	e.For, e.Type, e.Range, e.Wire = roles(s.Applies), string(s.Type), s.Range, s.Wire
	e.Relation, e.Means, e.Gotcha = string(s.Relation), means[s.Relation], s.Gotcha
	if e.Value != nil {
		e.Wrong = wrong(s, *e.Value)
	}
	for _, name := range clients {
		e.Clients = append(e.Clients, told(s, name, e.Value, e.Wrong == "", given)...)
	}
	e.Conflicts = conflicts(s, given)
	if e.Value != nil && s.Secret() {
		secret := "(secret)"
		e.Value = &secret
	}
}

// Bad reports whether a given value is wrong, or breaks a rule together with another.
func (e Explanation) Bad() bool {
	for _, c := range e.Conflicts {
		if c.Broken {
			return true
		}
	}
	return e.Wrong != ""
}

func roles(applies string) string {
	return map[string]string{"P": "producer", "C": "consumer", "*": "producer, consumer", "CG": "consumer in a group",
		"A": "admin", "CA": "consumer, admin", "PC": "producer, consumer", "PA": "producer, admin"}[applies]
}

// role is one that the setting means something to.
func role(s config.Setting) source.Role {
	if s.For(config.Producer) {
		return source.Producer
	}
	return source.Consumer
}

// means is what a relation says to somebody who goes from one library to the other.
var means = map[config.Relation]string{
	config.Same:             "nothing: franz-go has the same, with the same default",
	config.Converted:        "translate: franz-go has the same with the same default, in another type or unit",
	config.DifferentDefault: "set it in both, even where you relied on the default: franz-go has the same with another one",
	config.Approximate:      "see what is not the same: franz-go has only something near; `config verify` shows what it does to you",
	config.NoEquivalent:     "leave it out, or do it in the program: franz-go has nothing like it",
	config.NotApplicable:    "leave it out: it means nothing outside of librdkafka",
}

func wrong(s config.Setting, value string) string {
	for _, r := range []config.Role{config.Producer, config.Consumer} {
		var err *config.Error
		if errors.As(config.Check(map[string]string{s.Name: value}, r), &err) && len(err.Keys) == 1 {
			return err.Reason
		}
	}
	return ""
}

// conflicts are the rules that name the setting, those that are broken first.
func conflicts(s config.Setting, given map[string]string) []Conflict {
	all := []Conflict{}
	for _, broken := range []bool{true, false} {
		for _, r := range config.Rules() {
			if r.Names(s.Name) && r.Broken(given) == broken {
				c := Conflict{Keys: r.Keys, Reason: r.Reason, Broken: broken}
				if !contains(all, c) {
					all = append(all, c)
				}
			}
		}
	}
	return all
}

func contains(all []Conflict, c Conflict) bool {
	for _, old := range all {
		if old.Keys[0] == c.Keys[0] && old.Keys[1] == c.Keys[1] && old.Reason == c.Reason {
			return true
		}
	}
	return false
}

// equivalent is what a given value is to a client. The others that were given take part.
func equivalent(s config.Setting, client string, given map[string]string) ([]string, string) {
	lines, why := convert.Equivalent(given, s.Name, role(s), convert.Target(client))
	if why != "" {
		if why = strings.TrimSpace(strings.Replace(why, s.Gotcha, "", 1)); why == "" { // Gotcha is told anyway
			why = "there is nothing like it"
		}
	}
	return lines, why
}
