package lint

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// number is what strtol and strtod find at the beginning of a text.
var number = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?`)

// leadingNumber reads the number that a text begins with, as librdkafka does.
func leadingNumber(text string) (float64, bool) {
	n, err := strconv.ParseFloat(number.FindString(strings.TrimSpace(text)), 64)
	return n, err == nil
}

func startsWithNumber(text string) bool {
	return number.MatchString(strings.TrimSpace(text))
}

// wholeNumber reads a text that is a number and nothing else.
func wholeNumber(text string) (float64, bool) {
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

// isKafkas reports whether a key is one of Kafka's.
func isKafkas(key string) bool {
	_, found := slices.BinarySearch(everyKey(), key)
	return found
}
