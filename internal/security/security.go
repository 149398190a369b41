// Package security knows how to get into a secured cluster: what a file of client
// settings says about it, and the TLS and SASL that settings become.
package security

import (
	"strings"

	"kcompare/drivers"
	"kcompare/internal/config"
)

// given is the settings of one client, by canonical name.
type given map[string]string

// encrypted and authenticated say what security.protocol asks for. It is plaintext
// where it is not given, in every library.
func (g given) encrypted() bool     { return strings.HasSuffix(g.protocol(), "ssl") }
func (g given) authenticated() bool { return strings.HasPrefix(g.protocol(), "sasl_") }

func (g given) protocol() string { return strings.ToLower(g["security.protocol"]) }

// isTrue is false for what is not given.
func (g given) isTrue(key string) bool {
	v, _ := config.Bool(g[key])
	return v
}

func wrong(reason string, keys ...string) error {
	return &drivers.ConfigError{Keys: keys, Reason: reason}
}

func unsupported(client, key, value, reason string) error {
	return &drivers.UnsupportedError{Client: client, Key: key, Value: value, Reason: reason}
}
