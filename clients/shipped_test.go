package clients_test

import (
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
	}{
		{"python", "librdkafka", inPython("python/client.py")},
		{"kafka-python", "kafka-python", inPython("kafka-python/client.py")},
		{"aiokafka", "aiokafka", inPython("aiokafka/client.py")},
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
			drivertest.Run(t, kfaketest.New(t), running)
		})
	}
}

// inPython is a program that .venv runs.
func inPython(file string) func(*testing.T) []string {
	return func(t *testing.T) []string { return []string{pythontest.Python(t), file} }
}
