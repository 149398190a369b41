package kafkatools

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"kcompare/drivers"
	"kcompare/internal/config"
)

// properties are settings as Java's producer has them, and what they only come near to.
// A setting that it does not know is a *drivers.UnsupportedError.
func properties(canonical map[string]string) (map[string]string, []string, error) {
	props := map[string]string{}
	var differ []string
	for _, key := range slices.Sorted(maps.Keys(canonical)) {
		name, value, differs, err := property(key, canonical[key])
		if err != nil {
			return nil, nil, err
		}
		if name != "" {
			props[name] = value
		}
		if differs != "" {
			differ = append(differ, key+": "+differs)
		}
	}
	return props, differ, nil
}

// property is one of them. Where the name is empty there is nothing to set. The rules are
// those of the Java client (clients/java/Client.java), for what a benchmark sets.
func property(key, value string) (name, translated, differs string, err error) {
	if strings.HasPrefix(key, "ssl.") || strings.HasPrefix(key, "sasl.") || key == "security.protocol" {
		return "", "", "", unsupported(key, "...", "the tool is only told of brokers in plain text") // the value may be a password
	}
	switch key {
	case "linger.ms":
		return wholeMilliseconds(value)
	case "queue.buffering.max.kbytes":
		kilobytes, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return "", "", "", unsupported(key, value, "expected a whole number")
		}
		return "buffer.memory", strconv.FormatInt(kilobytes*1024, 10), "", nil
	case "queue.buffering.max.messages":
		return "", "", "kafka-clients limits its buffer by bytes alone", nil
	case "partitioner":
		return murmur2(key, value)
	}
	return byName(key, value)
}

func wholeMilliseconds(value string) (name, translated, differs string, err error) {
	exact, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return "", "", "", unsupported("linger.ms", value, "expected a number")
	}
	whole := math.Ceil(exact)
	if whole != exact {
		differs = "rounded up to whole milliseconds"
	}
	return "linger.ms", strconv.FormatInt(int64(whole), 10), differs, nil
}

// murmur2 is what Java's producer does where no partitioner is set.
func murmur2(key, value string) (name, translated, differs string, err error) {
	if value != "murmur2_random" {
		return "", "", "", unsupported(key, value, "kafka-clients always does as with murmur2_random")
	}
	return "", "", "records without a key take turns by batch, not one by one (KIP-794)", nil
}

// byName is for the many settings that have one name in both libraries.
func byName(key, value string) (name, translated, differs string, err error) {
	known, ok := config.Newest("kafka-clients").Property(key)
	if !ok || known.Application {
		return "", "", "", unsupported(key, value, "kafka-clients has nothing like it")
	}
	if !strings.ContainsAny(known.Applies, "P*") {
		return "", "", "", nil // it is for consumers
	}
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' || r == '\\' }) {
		return "", "", "", unsupported(key, value, "expected printable ASCII without backslashes")
	}
	return key, value, "", nil
}

func unsupported(key, value, reason string) error {
	return &drivers.UnsupportedError{Client: perfTestName, Key: key, Value: value, Reason: reason}
}

// propertiesFile is the text of a file for --command-config.
func propertiesFile(props map[string]string) string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(props)) {
		fmt.Fprintf(&text, "%s=%s\n", name, props[name])
	}
	return text.String()
}
