package explain

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"kcompare/internal/config"
	"kcompare/internal/convert"
)

// find is the settings that somebody means by a name: mostly one, several where an option
// of franz-go or a key of Java's stands for more than one.
func find(a Asked) ([]Explanation, error) {
	if s, known := config.Lookup(a.Name); known {
		e := Explanation{Asked: a.Name, Key: s.Name, Value: a.Value}
		if s.Name != a.Name {
			e.Note = a.Name + " is another name of it"
		}
		return []Explanation{e}, nil
	}
	for _, look := range []func(Asked) []Explanation{byOption, byJava, bySpelling, byPart, alone} {
		if found := look(a); len(found) > 0 {
			return found, nil
		}
	}
	return nil, unknown(a.Name)
}

// many is more settings than a person can have meant by one name.
const many = 4

// byOption finds an option of franz-go, with or without kgo. and parentheses.
func byOption(a Asked) []Explanation {
	p, is := option(a.Name)
	if !is {
		return nil
	}
	var chief, other []Explanation
	for _, s := range config.Settings() {
		place := slices.Index(s.KgoNames(), p.Name)
		if place < 0 || s.Relation == config.NotApplicable {
			continue
		}
		e := Explanation{Asked: a.Name, Key: s.Name, Value: canonicalValue(a.Value, p), Note: "franz-go's option for it is " + p.Name}
		if place == 0 {
			chief = append(chief, e)
		} else {
			other = append(other, e)
		}
	}
	if len(chief) == 0 {
		chief = other
	}
	if len(chief) > many {
		return nil // alone tells of the option
	}
	return chief
}

func option(name string) (config.Property, bool) {
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "kgo."), "(")
	for _, p := range config.Newest("franz-go").Properties() {
		if strings.EqualFold(p.Name, name) {
			return p, true
		}
	}
	return config.Property{}, false
}

// canonicalValue turns the value of an option into librdkafka's: a time as Go writes it
// into milliseconds, bytes into kilobytes, and the truth of what is disabled around.
func canonicalValue(value *string, p config.Property) *string {
	if value == nil {
		return nil
	}
	text := *value
	disabled, isBool := config.Bool(text)
	switch d, err := time.ParseDuration(text); {
	case p.Type == config.Duration && err == nil:
		text = fmt.Sprint(float64(d) / float64(time.Millisecond))
	case p.Name == "MaxBufferedBytes":
		text = kilobytes(text)
	case isBool && strings.HasPrefix(p.Name, "Disable"):
		text = strconv.FormatBool(!disabled)
	}
	return &text
}

func kilobytes(bytes string) string {
	n, err := strconv.ParseInt(bytes, 10, 64)
	if err != nil {
		return bytes
	}
	return strconv.FormatInt(n/1024, 10)
}

// byJava finds a key of Java's client that the catalogue has as the nearest one.
func byJava(a Asked) []Explanation {
	var found []Explanation
	for _, s := range config.Settings() {
		if key, _, _ := strings.Cut(s.JavaKey, " ("); key == a.Name && s.Type != config.Refused {
			found = append(found, Explanation{Asked: a.Name, Key: s.Name, Value: fromJava(a), Note: a.Name + " is what is nearest to it in Java"})
		}
	}
	if len(found) > many {
		return nil
	}
	return found
}

// fromJava is Java's value in librdkafka's spelling and unit, or as it is where that is not
// known.
func fromJava(a Asked) *string {
	if a.Value == nil {
		return nil
	}
	text := convert.FromJava(a.Name, *a.Value)
	return &text
}

var hump = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// bySpelling finds linger_ms, LINGER_MS_CONFIG, ProducerConfig.LINGER_MS_CONFIG, lingerMs
// and Linger.MS.
func bySpelling(a Asked) []Explanation {
	name := a.Name
	if i := strings.LastIndex(name, "Config."); i >= 0 {
		name = name[i+len("Config."):]
	}
	name = strings.TrimSuffix(name, "_CONFIG")
	for _, spelled := range []string{name, hump.ReplaceAllString(name, "$1.$2")} {
		spelled = dotted(spelled)
		for _, s := range config.Settings() {
			for _, known := range append([]string{s.Name}, s.Aliases...) {
				if strings.ReplaceAll(known, "_", ".") == spelled {
					return []Explanation{{Asked: a.Name, Key: s.Name, Value: a.Value, Note: a.Name + " is taken for " + known}}
				}
			}
		}
		if found := byJava(Asked{Name: spelled, Value: a.Value}); len(found) > 0 && spelled != a.Name {
			for i := range found {
				found[i].Asked = a.Name
			}
			return found
		}
	}
	return nil
}

// dotted is a name in small letters, with dots between its words.
func dotted(name string) string {
	return strings.ToLower(strings.NewReplacer("_", ".", "-", ".").Replace(name))
}

// byPart finds the one setting whose name begins with what was typed, or has it as words.
func byPart(a Asked) []Explanation {
	for _, fits := range []func(known, typed string) bool{begins, hasWords} {
		found := parts(strings.ToLower(a.Name), fits)
		if len(found) == 1 {
			return []Explanation{{Asked: a.Name, Key: found[0], Value: a.Value, Note: a.Name + " is taken for " + found[0] + ", the only one of that kind"}}
		}
	}
	return nil
}

func begins(known, typed string) bool { return strings.HasPrefix(known, typed+".") }

func hasWords(known, typed string) bool { return strings.Contains("."+known+".", "."+typed+".") }

// parts is the settings one of whose names fits what was typed.
func parts(typed string, fits func(known, typed string) bool) []string {
	var found []string
	for _, s := range config.Settings() {
		if slices.ContainsFunc(append([]string{s.Name}, s.Aliases...), func(known string) bool { return fits(known, typed) }) {
			found = append(found, s.Name)
		}
	}
	return found
}

// alone finds what one library alone has: an option of franz-go, a key of Java's client, a
// callback of librdkafka or a key of the binding to Go.
func alone(a Asked) []Explanation {
	for _, library := range []string{"franz-go", "kafka-clients", "librdkafka"} {
		v := config.Newest(library)
		p, has := v.Property(a.Name)
		if library == "franz-go" {
			p, has = option(a.Name)
		}
		if library == "librdkafka" && !has { // keys of the binding to Go are in the table of its version
			v, _ = config.Find(library, "2.11.1")
			p, has = v.Property(a.Name)
		}
		if has {
			return []Explanation{only(a, v, p)}
		}
	}
	return nil
}

func only(a Asked, v config.Version, p config.Property) Explanation {
	client := map[string]string{"franz-go": "franz", "kafka-clients": "java", "librdkafka": "librdkafka"}[v.Library]
	e := Explanation{
		Asked: a.Name, Key: p.Name, Value: a.Value, Aliases: []string{}, Note: "no other client has it as a setting",
		For: roles(p.Applies), Type: string(p.Type), Range: p.Range, Wire: "-",
		Clients: []Client{{Client: client, Library: v.Library, Versions: []string{v.Name}, Names: []string{p.Name}, Default: p.Default, Range: p.Range}},
	}
	if p.Application {
		e.Gotcha = "Its value is code of the application, which no file of settings can have."
	}
	switch {
	case p.Binding != "":
		e.Note = "only the binding of librdkafka to " + p.Binding + " takes it among settings"
	case len(settingsOf(p.Name)) > many:
		e.Note = fmt.Sprintf("%d settings of librdkafka make it together: %s", len(settingsOf(p.Name)), strings.Join(settingsOf(p.Name), ", "))
	}
	if a.Value != nil {
		e.Wrong = p.Refuse(*a.Value)
	}
	return e
}

// settingsOf is the settings that an option of franz-go stands for.
func settingsOf(option string) []string {
	var all []string
	for _, s := range config.Settings() {
		if slices.Contains(s.KgoNames(), option) && s.Relation != config.NotApplicable {
			all = append(all, s.Name)
		}
	}
	return all
}
