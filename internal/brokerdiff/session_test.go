package brokerdiff

import (
	"errors"
	"testing"
)

// TestOnly: an answer without the part that was asked for must not be told as one
// without an error, and the first error is the one that counts.
func TestOnly(t *testing.T) {
	s := &session{}
	if got := only(s, "topics", []string{"orders"}); got != "orders" || s.err != nil {
		t.Errorf("%q, error %v", got, s.err)
	}
	const want = "the answer has 0 topics: expected one"
	if got := only(s, "topics", []string{}); got != "" || s.err == nil || s.err.Error() != want {
		t.Errorf("%q, error %v: expected %s", got, s.err, want)
	}
	s.fail(errors.New("later"))
	if only(s, "topics", []string{"orders"}); s.err.Error() != want {
		t.Errorf("error %v: expected the first one", s.err)
	}
}
