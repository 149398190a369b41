package source

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Spring Boot has its own names for some settings of Kafka (class KafkaProperties), and
// takes all others below "properties".

const springRoot = "spring.kafka."

// translateSpring gives Spring's settings the names and values that Java's clients get,
// and leaves out those that are Spring's alone.
func translateSpring(all []setting) []setting {
	var out []setting
	for _, s := range all {
		rest, spring := strings.CutPrefix(s.path, springRoot)
		if !spring {
			out = append(out, s)
			continue
		}
		if translated, ok := fromSpring(rest); ok {
			s.path = springRoot + translated
			s.Value = springValue(s.Value, translated)
			out = append(out, s)
		}
	}
	return out
}

// fromSpring is the path below spring.kafka with Java's name at its end.
func fromSpring(path string) (string, bool) {
	role, rest, _ := strings.Cut(path, ".")
	if !slices.Contains([]string{"producer", "consumer", "admin", "streams"}, role) {
		role, rest = "", path
	}
	if free, ok := strings.CutPrefix(strings.ReplaceAll(rest, "properties[", "properties.["), "properties."); ok {
		return join(role, strings.Trim(free, "[]")), true
	}
	if strings.Contains(rest, ".") && !strings.HasPrefix(rest, "security.") && !strings.HasPrefix(rest, "ssl.") {
		return "", false // listener, template, retry: Spring's alone
	}
	name := strings.ReplaceAll(rest, "-", ".")
	if java, renamed := springNames()[name]; renamed {
		name = java
	}
	return join(role, name), known(name)
}

// springNames are the settings that Spring calls otherwise, by its name with dots.
func springNames() map[string]string {
	return map[string]string{
		"auto.commit.interval": "auto.commit.interval.ms", "fetch.max.wait": "fetch.max.wait.ms",
		"fetch.min.size": "fetch.min.bytes", "heartbeat.interval": "heartbeat.interval.ms",
		"max.poll.interval": "max.poll.interval.ms",
	}
}

func join(before, name string) string {
	if before == "" {
		return name
	}
	return before + "." + name
}

// springValue turns a duration, a size or an isolation level into what Java's client gets.
func springValue(v Value, path string) Value {
	switch {
	case strings.HasSuffix(path, ".ms"):
		if d, err := time.ParseDuration(v.Text); err == nil && v.Text != "0" {
			v.Kind, v.Text = Number, strconv.FormatInt(d.Milliseconds(), 10)
		}
	case strings.HasSuffix(path, "isolation.level"):
		v.Text = strings.ToLower(strings.ReplaceAll(v.Text, "-", "_"))
	default:
		if n, ok := dataSize(v.Text); ok {
			v.Kind, v.Text = Number, n
		}
	}
	return v
}

// dataSize reads Spring's DataSize: "16KB".
func dataSize(text string) (bytes string, ok bool) {
	for unit, factor := range map[string]int64{"KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30} {
		if number, cut := strings.CutSuffix(text, unit); cut {
			n, err := strconv.ParseInt(number, 10, 32)
			return strconv.FormatInt(n*factor, 10), err == nil
		}
	}
	return "", false
}
