// Package brokertest says whether a test with a real Kafka can run on this machine.
package brokertest

import (
	"os"
	"os/exec"
	"testing"
)

// NeedKafka skips a test where a real Kafka cannot run: with -short, because it takes
// seconds to start, and without java or mvn in PATH. With CI=true a missing tool is a
// failure.
func NeedKafka(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("real Kafka takes seconds to start")
	}
	for _, tool := range []string{"java", "mvn"} {
		if _, err := exec.LookPath(tool); err == nil {
			continue
		}
		if os.Getenv("CI") == "true" {
			t.Fatalf("real Kafka needs %s in PATH", tool)
		}
		t.Skipf("real Kafka needs %s in PATH", tool)
	}
}
