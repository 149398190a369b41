package drivers

import (
	"errors"
	"fmt"
)

// Class says what a program can do about an error. It belongs to outcomes, not
// to codes: one class may arrive under several codes.
type Class string

// The classes that every driver maps its library's errors to.
const (
	Retriable      Class = "retriable"       // the same call may succeed later
	Abortable      Class = "abortable"       // the transaction must be aborted; the producer lives on
	Fenced         Class = "fenced"          // a newer instance took over; this producer is dead
	Fatal          Class = "fatal"           // this client is dead, for another reason
	UnknownOutcome Class = "unknown-outcome" // nobody can say whether it was written
	Application    Class = "application"     // the program or its configuration is wrong
)

// Error is what a library answered to one call.
type Error struct {
	Call  string // "produce", "commit", "send offsets", ...: the driver method in lower case words
	Class Class
	Code  string // the library's own name for it: "_MSG_TIMED_OUT", "PRODUCER_FENCED"
	Text  string // the library's own words
	Cause error  // the library's own error value
}

// Error begins with the call: "commit: PRODUCER_FENCED (fenced): ...".
func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s (%s): %s", e.Call, e.Code, e.Class, e.Text)
}

// Unwrap is the library's own error.
func (e *Error) Unwrap() error { return e.Cause }

// ClassOf is the class of the first *Error in err's chain, empty if there is none.
func ClassOf(err error) Class {
	var e *Error
	if errors.As(err, &e) {
		return e.Class
	}
	return ""
}

// UnsupportedError says that a library has no way to express a setting. It
// makes a variant not-supported, it is no mistake of the user's.
type UnsupportedError struct {
	Client string
	Key    string // canonical setting name
	Value  string
	Reason string
}

// Error names the key and the client.
func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s=%s cannot be expressed by %s: %s", e.Key, e.Value, e.Client, e.Reason)
}

// ConfigError says that settings are wrong or contradict each other.
type ConfigError struct {
	Keys   []string // every key that takes part
	Reason string   // what was expected, and what to do
}

// Error names all keys.
func (e *ConfigError) Error() string {
	return fmt.Sprintf("%s: %s", joinKeys(e.Keys), e.Reason)
}

func joinKeys(keys []string) string {
	switch len(keys) {
	case 0:
		return "settings"
	case 1:
		return keys[0]
	}
	s := keys[0]
	for _, k := range keys[1:] {
		s += " and " + k
	}
	return s
}
