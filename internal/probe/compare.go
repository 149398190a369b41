package probe

import (
	"fmt"
	"slices"

	"kcompare/internal/config"
	"kcompare/internal/fingerprint"
	"kcompare/internal/source"
)

// Compared is one setting of a file beside what clients were seen to do.
type Compared struct {
	Key      string                `json:"key"` // canonical, or as written where the catalogue does not have it
	Result   fingerprint.Agreement `json:"result"`
	Expected string                `json:"expected"`           // as written; "(secret)" for a secret
	Observed map[string]string     `json:"observed,omitempty"` // client.id to value, of the clients that it was compared with
	Reason   string                `json:"reason,omitempty"`   // why it is neither same nor different
	At       string                `json:"at"`                 // FILE:LINE:COLUMN
}

// Compare sets the blocks of files beside what was seen: settings of a producer beside
// each client that produced, and so on. A block with a client.id is about clients that
// have it, where there are such.
func Compare(files []source.File, seen []fingerprint.Fingerprint) []Compared {
	var all []Compared
	for _, file := range files {
		for _, block := range file.Blocks {
			if block.Client == "broker" || block.Client == "topic" || block.Role == source.Admin {
				continue
			}
			clients := called(block, seen)
			for _, e := range block.Entries {
				all = append(all, compareEntry(file, block, e, clients))
			}
		}
	}
	return all
}

// called are the clients with the block's client.id, or all of them.
func called(block source.Block, seen []fingerprint.Fingerprint) []fingerprint.Fingerprint {
	for _, e := range block.Entries {
		key, value := canonical(e)
		named := slices.DeleteFunc(slices.Clone(seen), func(f fingerprint.Fingerprint) bool { return f.ClientID != value })
		if key == "client.id" && len(named) > 0 {
			return named
		}
	}
	return seen
}

// canonical is an entry in the words of the catalogue; the key is "" where it has none.
func canonical(e source.Entry) (key, value string) {
	if e.Canonical != "" {
		return e.Canonical, e.CanonicalValue
	}
	s, known := config.Lookup(e.Key)
	if !known {
		return "", ""
	}
	return s.Name, e.Value.Text
}

func compareEntry(file source.File, block source.Block, e source.Entry, clients []fingerprint.Fingerprint) Compared {
	key, value := canonical(e)
	c := Compared{Key: key, Expected: value, Result: fingerprint.NotSeen, At: fmt.Sprintf("%s:%d:%d", file.Path, e.KeyAt.Line, e.KeyAt.Column)}
	setting, known := config.Lookup(key)
	switch {
	case !known:
		c.Key, c.Reason = e.Key, "no setting of the catalogue: kcompare lint says more"
		return c
	case setting.Secret():
		c.Expected, c.Reason = "(secret)", "a secret, which no request shows"
		return c
	case key == "bootstrap.servers":
		c.Reason = "given by probe"
		return c
	case e.Value.Kind == source.Computed || e.Value.Kind == source.Code:
		c.Reason = "its value is known only when the program runs"
		return c
	case !slices.Contains(fingerprint.Keys(), key):
		c.Reason = "no request shows it"
		return c
	}
	c.judge(value, withRole(block.Role, setting, clients))
	return c
}

// withRole are the clients that the setting of such a block is about.
func withRole(role source.Role, s config.Setting, clients []fingerprint.Fingerprint) []fingerprint.Fingerprint {
	produces := role != source.Consumer && s.For(config.Producer)
	consumes := role != source.Producer && s.For(config.Consumer)
	var about []fingerprint.Fingerprint
	for _, f := range clients {
		if produces && f.Produces() || consumes && f.Consumes() {
			about = append(about, f)
		}
	}
	return about
}

// judge: one client that does otherwise is a difference.
func (c *Compared) judge(value string, clients []fingerprint.Fingerprint) {
	c.Observed = map[string]string{}
	for _, f := range clients {
		t, seen := f.Trait(c.Key)
		if !seen {
			continue
		}
		c.Observed[f.ClientID] = t.Value
		switch result, reason := t.Against(value); {
		case result == fingerprint.Different:
			c.Result, c.Reason = result, ""
		case c.Result == fingerprint.Different:
		case result == fingerprint.Same:
			c.Result, c.Reason = result, ""
		case c.Result != fingerprint.Same:
			c.Reason = reason
		}
	}
	switch {
	case len(clients) == 0:
		c.Reason = "no client of this kind was seen"
	case len(c.Observed) == 0:
		c.Reason = "nothing in this run showed it"
	}
}
