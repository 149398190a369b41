package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	programs "kcompare/clients"
	"kcompare/franz"
	"kcompare/librdkafka"
)

// asMain in the environment makes the test binary kcompare itself, and what that starts
// as a contestant too.
const asMain = "KCOMPARE_TEST_AS_MAIN"

// asFranz makes it franz as a stranger's program.
const asFranz = "KCOMPARE_TEST_AS_FRANZ"

func TestMain(m *testing.M) {
	if os.Getenv(asMain) != "" {
		main()
	}
	if os.Getenv(asFranz) != "" {
		served()
		return
	}
	testscript.Main(m, map[string]func(){"kcompare": main, "served-franz": served})
}

// served is franz as a stranger's program.
func served() {
	if err := programs.Serve(os.Stdin, os.Stdout, franz.New()); err != nil {
		panic(err)
	}
}

// TestScripts plays the command line as a user types it, against the embedded
// broker, a real Kafka, and the real libraries.
func TestScripts(t *testing.T) {
	examples := buildExamples(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("NO_COLOR", "1")
			env.Setenv("KCOMPARE", programIn(env.Getenv("PATH"), "kcompare"))
			env.Setenv("PATH", examples+string(filepath.ListSeparator)+env.Getenv("PATH"))
			env.Setenv("REPOSITORY", repository())
			env.Setenv("KCOMPARE_CACHE", filepath.Join(env.WorkDir, "no-clients")) // whatever the user has installed
			env.Values[servicesKey{}] = services{}
			cache, err := os.UserCacheDir() // where Kafka's jars are kept
			env.Setenv("XDG_CACHE_HOME", cache)
			return err
		},
		Condition: condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "serve": serve, "stop-service": stopService, "await": await, "produce": produce,
		},
	})
}

// programIn is the path of a program, for scripts that take everything else from PATH.
func programIn(path, name string) string {
	for _, dir := range filepath.SplitList(path) {
		if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return found
		}
	}
	panic(name + " is not in " + path)
}

// repository is where the examples are.
func repository() string {
	here, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	return filepath.Dir(filepath.Dir(here))
}

// buildExamples makes a folder with the example in Go as the program orders.
func buildExamples(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "orders"), "kcompare/examples/producer").CombinedOutput(); err != nil {
		t.Fatalf("build the example: %v\n%s", err, out)
	}
	return dir
}

func condition(name string) (bool, error) {
	switch name {
	case "cgo":
		_, err := librdkafka.New()
		return err == nil, nil
	case "kafka":
		return hasKafka()
	case "python":
		return hasPython()
	case "clients":
		return hasClients("python", "java", "kafkajs")
	}
	return false, fmt.Errorf("condition %q: expected cgo, kafka, python or clients", name)
}

// hasClients says whether clients are installed for tests. In CI they have to be.
func hasClients(names ...string) (bool, error) {
	for _, name := range names {
		found, err := filepath.Glob(filepath.Join(repository(), ".clients", "clients", name+"@*", "ready.json"))
		if err == nil && len(found) == 0 {
			err = fmt.Errorf("the client %s is not in .clients: make setup", name)
		}
		if err != nil {
			if os.Getenv("CI") != "true" {
				return false, nil
			}
			return false, err
		}
	}
	return true, nil
}

// hasPython says whether the Python clients of examples are there. In CI they have to be.
func hasPython() (bool, error) {
	_, err := os.Stat(filepath.Join(repository(), ".venv", "requirements.txt"))
	if os.Getenv("CI") != "true" {
		return err == nil, nil
	}
	return err == nil, err
}

// hasKafka says whether a real Kafka can be started. In CI it has to be.
func hasKafka() (bool, error) {
	_, noJava := exec.LookPath("java")
	_, noMaven := exec.LookPath("mvn")
	err := errors.Join(noJava, noMaven)
	if os.Getenv("CI") != "true" {
		return err == nil, nil
	}
	return err == nil, err
}

// exits runs a command and demands an exit code: exits 2 kcompare run nonsense.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("%s ended with exit code %d, expected %d", args[1], got, want)
	}
}
