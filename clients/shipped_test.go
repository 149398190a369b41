package clients_test

import (
	"strings"
	"testing"

	"kcompare/clients"
	"kcompare/drivers/drivertest"
	"kcompare/drivers/drivertest/kfaketest"
	"kcompare/internal/child"
	"kcompare/internal/pythontest"
)

// TestShipped runs the suite of drivers on each program that is shipped.
func TestShipped(t *testing.T) {
	for _, shipped := range []struct {
		client, library string
		command         func(t *testing.T) []string
		differs         map[string]string // what the library does otherwise, by check: its complaint has these words
	}{
		{"python", "librdkafka", inPython("python/client.py"), nil},
		{"kafka-python", "kafka-python", inPython("kafka-python/client.py"), nil},
		// aiokafka 0.14.0 speaks OffsetFetch v3, which cannot ask for stable offsets (KIP-447).
		{"aiokafka", "aiokafka", inPython("aiokafka/client.py"), map[string]string{
			"transaction/offsets-pending": "expected to wait until the end of its context, got none",
		}},
	} {
		t.Run(shipped.client, func(t *testing.T) {
			t.Parallel()
			starter := child.NewStarter()
			t.Cleanup(starter.Close)
			program, err := clients.New(t.Context(), starter, clients.Program{
				Client: shipped.client, Command: shipped.command(t), Library: shipped.library,
			})
			if err != nil {
				t.Fatal(err)
			}
			running, err := program.Start(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				running.Close()
				if err := running.Fault(); err != nil {
					t.Error(err)
				}
			})
			runChecks(t, drivertest.Subject{Driver: running, Cluster: kfaketest.New(t)}, shipped.differs)
		})
	}
}

// runChecks is drivertest.Run, but for checks in which the library differs: those must
// fail, and in no other way.
func runChecks(t *testing.T, s drivertest.Subject, differs map[string]string) {
	for _, check := range drivertest.Checks() {
		words, does := differs[check.Name]
		t.Run(check.Name, func(t *testing.T) {
			t.Parallel()
			r := check.Try(t.Context(), s)
			switch {
			case does && (r.Wrong == nil || !strings.Contains(r.Wrong.Error(), words)):
				t.Errorf("expected the library to differ: %q, got: %v", words, r.Wrong)
			case !does && r.Wrong != nil:
				t.Error(r.Wrong)
			case r.Unable != "":
				t.Skipf("%s: %s", s.Driver.Client(), r.Unable)
			}
		})
	}
}

// inPython is a program that .venv runs.
func inPython(file string) func(*testing.T) []string {
	return func(t *testing.T) []string { return []string{pythontest.Python(t), file} }
}
