package clients_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"kcompare/clients"
	"kcompare/drivers"
	"kcompare/drivers/drivertest"
	"kcompare/drivers/drivertest/kfaketest"
	"kcompare/franz"
	"kcompare/internal/child"
)

// TestMain runs the tests, or plays a client program: the test binary is started again
// by the tests with a lie in its environment.
func TestMain(m *testing.M) {
	lie, asked := os.LookupEnv(asProgram)
	if !asked {
		os.Exit(m.Run())
	}
	if err := play(lie); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const asProgram = "KCOMPARE_TEST_PROGRAM"

func play(lie string) error { return clients.Serve(os.Stdin, os.Stdout, franz.New()) }

// doctored is this test binary as a client program.
func doctored(lie string) clients.Program {
	return clients.Program{Client: lie, Command: []string{os.Args[0]}, Env: []string{asProgram + "=" + lie}}
}

func starter(t testing.TB) *child.Starter {
	t.Helper()
	s := child.NewStarter()
	t.Cleanup(s.Close)
	return s
}

// start starts a program, and ends it with the test.
func start(t testing.TB, p clients.Program) drivers.Running {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	program, err := clients.New(ctx, starter(t), p)
	if err != nil {
		t.Fatal(err)
	}
	running, err := program.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(running.Close)
	return running
}

func TestHonestPasses(t *testing.T) {
	running := start(t, doctored("honest"))
	drivertest.Run(t, kfaketest.New(t), running)
	t.Cleanup(func() {
		if err := running.Fault(); err != nil {
			t.Error(err)
		}
	})
}
