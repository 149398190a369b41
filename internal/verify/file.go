package verify

import (
	"fmt"

	"kcompare/internal/config"
	"kcompare/internal/source"
)

// standIns are the ids that stand in for those of a file that are computed: without any the
// client would be of another kind.
var standIns = map[string]string{
	"transactional.id": "kcompare-verify", "group.id": "kcompare-verify", "client.id": "kcompare-verify",
}

// FromBlock makes settings of what a file says: by canonical name, with the keys apart
// whose value nobody knows. The error is a *config.Error, which names the key, behind
// the place in the file: an unknown key, or two names of one setting.
func FromBlock(path string, b source.Block) (s Settings, unread map[string]string, err error) {
	s, unread = Settings{}, map[string]string{}
	for _, e := range b.Entries {
		if e.Value.Kind == source.Null {
			continue // as in the bindings: the default
		}
		key, value, why := reading(e)
		setting, known := config.Lookup(key)
		if !known {
			if why := elsewhere(e, why); why != "" {
				unread[key] = why
				continue
			}
			_, err := config.Canonical(map[string]string{key: value})
			return nil, nil, fmt.Errorf("%s:%d:%d: %w", path, e.KeyAt.Line, e.KeyAt.Column, err)
		}
		name := setting.Name
		if _, twice := s[name]; twice || unread[name] != "" {
			return nil, nil, fmt.Errorf("%s:%d:%d: %w", path, e.KeyAt.Line, e.KeyAt.Column,
				&config.Error{Keys: []string{name}, Reason: "it is set twice, perhaps under another name; give it once"})
		}
		switch {
		case why != "":
			unread[name] = why
			if id := standIns[name]; id != "" {
				s[name] = id
				unread[name] += "; " + id + " stands in for it"
			}
		default:
			s[name] = value
		}
	}
	return s, unread, nil
}

// reading is the key as libraries know it, and the value or why it is not known.
func reading(e source.Entry) (key, value, why string) {
	key, value = e.Key, e.Value.Text
	if e.Canonical != "" {
		key, value = e.Canonical, e.CanonicalValue
	}
	switch e.Value.Kind {
	case source.Code:
		why = "code of the application"
	case source.Computed:
		why = "the file computes it: " + e.Value.Source
	}
	if e.Canonical != "" && value != "" {
		why = ""
	}
	return key, value, why
}

// elsewhere is why a key that is not in the catalogue is no mistake, "" where it is one.
func elsewhere(e source.Entry, why string) string {
	if why != "" {
		return why
	}
	for _, v := range config.Versions() {
		switch p, known := v.Property(e.Key); {
		case !known:
		case v.Library == "franz-go":
			return "an option of franz-go without a setting of that meaning"
		case p.Application:
			return "code of the application"
		case v.Library == "kafka-clients", v.Library == "librdkafka":
			return fmt.Sprintf("a setting of %s %s, which no client here has", v.Library, v.Name)
		}
	}
	return ""
}
