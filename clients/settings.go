package clients

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"kcompare/drivers"
	"kcompare/internal/config"
)

// roleNames is how requests spell roles.
func roleName(r drivers.Role) string {
	switch r {
	case drivers.RoleTransactionalProducer:
		return "transactional-producer"
	case drivers.RoleConsumer:
		return "consumer"
	}
	return "producer"
}

// prepare refuses what is wrong for every library, without asking the program, and
// gives everything else its canonical name.
func prepare(client string, role drivers.Role, can drivers.Abilities, s drivers.Settings) (options, error) {
	canonical, err := config.Canonical(s.Config)
	if err == nil {
		err = config.Check(canonical, configRole(role))
	}
	var bad *config.Error
	if errors.As(err, &bad) {
		return options{}, &drivers.ConfigError{Keys: bad.Keys, Reason: bad.Reason}
	}
	if err == nil {
		err = check(client, role, can, canonical, s)
	}
	if err != nil {
		return options{}, err
	}
	return options{
		Settings: canonical, OneRecordPerBatch: s.OneRecordPerBatch, Bare: s.Bare, GiveUpInFlight: s.GiveUpInFlight,
	}, nil
}

func configRole(role drivers.Role) config.Role {
	if role == drivers.RoleConsumer {
		return config.Consumer
	}
	return config.Producer
}

// check refuses what the catalogue cannot know: what does not go together with the role,
// or with what the library can do.
func check(client string, role drivers.Role, can drivers.Abilities, conf map[string]string, s drivers.Settings) error {
	transactional := conf["transactional.id"] != ""
	autoCommit, _ := config.Bool(conf["enable.auto.commit"])
	switch {
	case role == drivers.RoleTransactionalProducer && !transactional:
		return &drivers.ConfigError{Keys: []string{"transactional.id"}, Reason: "a transactional producer needs one"}
	case role == drivers.RoleProducer && transactional:
		return &drivers.ConfigError{Keys: []string{"transactional.id"}, Reason: "only a transactional producer has one"}
	case role == drivers.RoleTransactionalProducer && !can.Transactions:
		return &drivers.UnsupportedError{
			Client: client, Key: "transactional.id", Value: conf["transactional.id"], Reason: "it has no transactions",
		}
	case role == drivers.RoleConsumer && autoCommit && conf["group.id"] == "":
		return &drivers.ConfigError{Keys: []string{"enable.auto.commit", "group.id"},
			Reason: "offsets are committed for a group; name it, or leave enable.auto.commit out"}
	case s.OneRecordPerBatch && conf["batch.num.messages"] != "" && conf["batch.num.messages"] != "1":
		return &drivers.ConfigError{Keys: []string{"batch.num.messages"},
			Reason: "one record a batch is asked for; set it to 1 or leave it out"}
	}
	return nil
}

// settingsError is the answer to check or new-*, or why there is none.
func (p *process) settingsError(call string, o options, a answer, err error) error {
	if err != nil {
		return p.callError(call, err)
	}
	switch f := a.Error; {
	case f == nil:
		return nil
	case f.Class == unsupported:
		value := o.Settings[f.Key]
		if setting, known := config.Lookup(f.Key); known && setting.Secret() {
			value = "(secret)"
		}
		return &drivers.UnsupportedError{Client: p.program.Client, Key: f.Key, Value: value, Reason: f.Text}
	case f.Class == wrongConfig:
		return &drivers.ConfigError{Keys: f.Keys, Reason: f.Text}
	default:
		return f.callError(call)
	}
}

// verdicts remembers what a program said of settings: a run asks the same for each of
// its trials.
type verdicts struct {
	mu    sync.Mutex
	known map[string]verdict
}

type verdict struct {
	differences []string
	err         error
}

// of asks the program unless it was asked before. An answer that never came is not kept.
func (v *verdicts) of(ctx context.Context, p *process, role drivers.Role, o options) ([]string, error) {
	r := &request{Verb: "check", Role: roleName(role), options: o}
	key := string(encode(r))
	v.mu.Lock()
	known, asked := v.known[key]
	v.mu.Unlock()
	if !asked {
		p.secrets.note(o.Settings)
		a, err := p.ask(ctx, r, p.patience)
		known.err = p.settingsError("check", o, a, err)
		if err != nil {
			return nil, known.err
		}
		if known.err == nil {
			if known.differences, err = p.differences(a); err != nil {
				return nil, err
			}
		}
		v.mu.Lock()
		v.known[key] = known
		v.mu.Unlock()
	}
	return slices.Clone(known.differences), known.err
}

func (p *process) differences(a answer) ([]string, error) {
	var body struct{ Differences []string }
	err := json.Unmarshal(a.raw, &body)
	if err != nil {
		p.fail("answered check with what is no answer to it: %w: %s", err, p.quote(a.raw))
		return nil, p.callError("check", p.dead())
	}
	return body.Differences, nil
}
