package explain

// Names that no client has: whose they are, or which ones are near.

import (
	"fmt"
	"slices"
	"strings"

	"kcompare/internal/config"
)

// unknown says whose setting it is, if not a client's, which ones it may be a part of, or
// which one is nearest.
func unknown(name string) error {
	for library, whose := range map[string]string{"kafka-topic": "topics", "kafka-broker": "brokers"} {
		if _, has := config.Newest(library).Property(name); has && (library == "kafka-topic" || !onTopics(name)) {
			return &config.Error{Keys: []string{name}, Reason: fmt.Sprintf("is a setting of %s, not of clients", whose)}
		}
	}
	return &config.Error{Keys: []string{name}, Reason: "unknown setting, " + meant(name)}
}

// shortest is how many letters a part of a name needs to tell anything: "ms" and "max"
// are in every other one.
const shortest = 4

// meant is what somebody may have meant by a name that nobody knows.
func meant(name string) string {
	if near := config.Nearest(name, everyName()); near != "" {
		return "did you mean " + near + "?"
	}
	var some []string
	if len(name) >= shortest {
		some = parts(strings.ToLower(name), strings.Contains)
	}
	if len(some) == 0 {
		some = nearParts(name)
	}
	switch len(some) {
	case 0:
		return "`config defaults` lists them all"
	case 1:
		return "did you mean " + some[0] + "?"
	}
	return "expected one of " + strings.Join(some, ", ")
}

// nearParts is the settings of which what was typed is nearly a part, such as lingr of
// linger.ms; those alone that begin with it, if there are any.
func nearParts(name string) []string {
	part := config.Nearest(dotted(name), everyPart())
	if part == "" {
		return nil
	}
	if some := parts(part, begins); len(some) > 0 {
		return some
	}
	return parts(part, hasWords)
}

// everyPart is each run of words that some setting has in its name, once.
func everyPart() []string {
	var all []string
	seen := map[string]bool{}
	for _, name := range config.Names() {
		words := strings.Split(name, ".")
		for from := range words {
			for to := from + 1; to <= len(words); to++ {
				part := strings.Join(words[from:to], ".")
				if len(part) >= shortest && !seen[part] {
					seen[part] = true
					all = append(all, part)
				}
			}
		}
	}
	return all
}

func onTopics(name string) bool {
	_, has := config.Newest("kafka-topic").Property(name)
	return has
}

// everyName is the catalogue's names, franz-go's options and Java's keys, so that a
// letter too many finds any of them. The catalogue's come first.
func everyName() []string {
	names := config.Names()
	for _, library := range []string{"franz-go", "kafka-clients"} {
		for _, p := range config.Newest(library).Properties() {
			if !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		}
	}
	return names
}
