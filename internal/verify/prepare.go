package verify

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kcompare/drivers"
	"kcompare/internal/config"
)

// candidate is a client that was tried: which of its settings it is played with, and
// what it says of the others.
type candidate struct {
	Client
	played   Settings          // what it is built with, but for the address
	cannot   map[string]string // keys that it has no way to express, and why
	differ   map[string]string // keys that it expresses approximately, and how
	refusal  error             // it refuses the settings as a whole
	withheld map[string]string // keys that nobody is given, and why
}

// gives says whether the file names the key.
func (c candidate) gives(key string) bool { return c.Config.Has(key) || c.Unread[key] != "" }

// settings are what the client gets in an experiment.
func (c candidate) settings(e Experiment) Settings {
	if !e.Security {
		return c.played
	}
	all := maps.Clone(c.played)
	for key := range c.withheld {
		if security(key) {
			all[key] = c.Config[key]
		}
	}
	return all
}

// prepareAll tries to build every client. The error is that of the first one where all
// refuse.
func prepareAll(o Options) ([]candidate, error) {
	if len(o.Clients) < 2 {
		return nil, errEmpty
	}
	var all []candidate
	for _, c := range o.Clients {
		all = append(all, prepare(o.Role, c))
	}
	if !slices.ContainsFunc(all, func(c candidate) bool { return c.refusal == nil }) {
		return nil, all[0].refusal
	}
	return all, nil
}

// prepare leaves out one setting after the other that the library cannot express.
func prepare(role config.Role, c Client) candidate {
	p := candidate{Client: c, played: Settings{}, cannot: map[string]string{}, differ: map[string]string{}, withheld: map[string]string{}}
	maps.Copy(p.withheld, c.Unread)
	for key, value := range c.Config {
		if why := withheld(key, value); why != "" {
			p.withheld[key] = why
		} else {
			p.played[key] = value
		}
	}
	for {
		notes, err := try(role, c.Driver, p.played)
		var cannot *drivers.UnsupportedError
		if errors.As(err, &cannot) && p.played.Has(cannot.Key) {
			p.cannot[cannot.Key] = fmt.Sprintf("%s cannot: %s", c.Driver.Client(), cannot.Reason)
			delete(p.played, cannot.Key)
			continue
		}
		p.refusal = err
		for _, note := range notes {
			key, text, _ := strings.Cut(note, ": ")
			p.differ[key] = text
		}
		return p
	}
}

// nowhere is an address that nothing listens at: port 1 needs a privilege that no
// broker has.
const nowhere = "127.0.0.1:1"

// try asks the library itself, by building a client that reaches nobody.
func try(role config.Role, d drivers.Driver, s Settings) ([]string, error) {
	settings := bare(s, nowhere)
	notes, err := d.Differences(driverRole(role, s), settings)
	if err != nil {
		return nil, err
	}
	client, err := build(role, d, settings)
	if err != nil {
		return nil, err
	}
	return notes, closed(client.Close())
}

// bare is the settings as they are, with another address.
func bare(s Settings, servers string) drivers.Settings {
	conf := maps.Clone(s)
	conf["bootstrap.servers"] = servers
	return drivers.Settings{Config: conf, Bare: true}
}

func driverRole(role config.Role, s Settings) drivers.Role {
	switch {
	case role == config.Consumer:
		return drivers.RoleConsumer
	case s.Transactional():
		return drivers.RoleTransactionalProducer
	}
	return drivers.RoleProducer
}

func build(role config.Role, d drivers.Driver, s drivers.Settings) (interface{ Close() error }, error) {
	switch driverRole(role, s.Config) {
	case drivers.RoleConsumer:
		return d.NewConsumer(s)
	case drivers.RoleTransactionalProducer:
		return d.NewTransactionalProducer(s)
	}
	return d.NewProducer(s)
}

func refusing(all []candidate) bool {
	return slices.ContainsFunc(all, func(c candidate) bool { return c.refusal != nil })
}

func described(all []candidate) []Contestant {
	var list []Contestant
	for _, c := range all {
		list = append(list, Contestant{Name: c.Name, Client: c.Driver.Client(), Library: c.Driver.Library().String()})
	}
	return list
}
