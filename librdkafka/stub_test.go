//go:build !cgo

package librdkafka

import (
	"strings"
	"testing"
)

func TestNewSaysWhatToDo(t *testing.T) {
	_, err := New()
	if err == nil || !strings.Contains(err.Error(), "CGO_ENABLED=1") {
		t.Errorf("New() = %v, want an error that names CGO_ENABLED=1", err)
	}
}
