package kafkatools

import (
	"errors"
	"slices"
	"testing"

	"kcompare/drivers"
	"kcompare/internal/lang"
)

// TestRussian: whatever the tools say of settings has its Russian pair.
func TestRussian(t *testing.T) {
	t.Parallel()
	said := slices.Concat(perfTest{}.otherwise(), copier{}.otherwise())
	for key, value := range map[string]string{
		"sasl.username": "a", "linger.ms": "x", "queue.buffering.max.kbytes": "x", "partitioner": "random",
		"sticky.partitioning.linger.ms": "5", "client.id": "\n",
	} {
		said = append(said, reason(t, perfTest{}, key, value))
	}
	said = append(said, reason(t, copier{}, "batch.size", "1"), reason(t, copier{}, "client.id", "a"))
	for _, text := range said {
		if !lang.In(lang.Russian).Knows(text) {
			t.Errorf("no Russian for %q", text)
		}
	}
}

func reason(t *testing.T, of tool, key, value string) string {
	t.Helper()
	_, err := of.differences(map[string]string{key: value})
	var unsupported *drivers.UnsupportedError
	if !errors.As(err, &unsupported) {
		t.Fatalf("%s=%s: expected an error of a setting, got %v", key, value, err)
	}
	return unsupported.Reason
}
