package verify

import (
	"strconv"
	"strings"
	"time"

	"kcompare/internal/config"
)

// Settings are those of one client, by canonical name.
type Settings map[string]string

// Has says whether the settings name the key.
func (s Settings) Has(key string) bool {
	_, has := s[key]
	return has
}

// Number is a setting that is a number, or otherwise where it is not there.
func (s Settings) Number(key string, otherwise float64) float64 {
	n, err := strconv.ParseFloat(s[key], 64)
	if err != nil {
		return otherwise
	}
	return n
}

// Millis is a setting in milliseconds, or otherwise where it is not there.
func (s Settings) Millis(key string, otherwise time.Duration) time.Duration {
	return time.Duration(s.Number(key, float64(otherwise/time.Millisecond)) * float64(time.Millisecond))
}

// Truth is a boolean setting, or otherwise where it is not there.
func (s Settings) Truth(key string, otherwise bool) bool {
	if v, ok := config.Bool(s[key]); ok {
		return v
	}
	return otherwise
}

// Transactional says whether they are those of a transactional producer.
func (s Settings) Transactional() bool { return s["transactional.id"] != "" }

// withheld is why a key of the file is not given to the client here, "" where it is.
func withheld(key, value string) string {
	switch {
	case key == "bootstrap.servers":
		return "the broker is one of this run's own"
	case key == "security.protocol" && strings.EqualFold(value, "plaintext"):
		return ""
	case security(key):
		return "the broker of this run has neither TLS nor logins"
	case key == "plugin.library.paths":
		return "no foreign code is loaded"
	case strings.HasPrefix(key, "test.mock."):
		return "it would put a mock in the place of the recorded broker"
	}
	return ""
}

// security says whether a key is about TLS or logins.
func security(key string) bool {
	switch key {
	case "security.protocol", "enable.ssl.certificate.verification", "enable.sasl.oauthbearer.unsecure.jwt":
		return true
	}
	return strings.HasPrefix(key, "ssl.") || strings.HasPrefix(key, "sasl.") || strings.HasPrefix(key, "https.")
}
