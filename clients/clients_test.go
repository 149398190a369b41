package clients_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"kcompare/clients"
	"kcompare/drivers"
	"kcompare/drivers/drivertest"
	"kcompare/drivers/drivertest/kfaketest"
	"kcompare/internal/child"
)

// TestMain runs the tests, or plays a client program: the test binary is started again
// by the tests with a lie in its environment.
func TestMain(m *testing.M) {
	lie, asked := os.LookupEnv(asProgram)
	if !asked {
		os.Exit(runTests(m))
	}
	if err := play(lie); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const asProgram = "KCOMPARE_TEST_PROGRAM"

// doctored is this test binary as a client program.
func doctored(lie string) clients.Program {
	return clients.Program{Client: "doctored", Command: []string{os.Args[0]}, Env: []string{asProgram + "=" + lie}}
}

// start starts a program, which ends with the test.
func start(t testing.TB, p clients.Program) (drivers.Running, error) {
	t.Helper()
	starter := child.NewStarter()
	t.Cleanup(starter.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	program, err := clients.New(ctx, starter, p)
	if err != nil {
		return nil, err
	}
	return program.Start(ctx)
}

func TestHonestPasses(t *testing.T) {
	running, err := start(t, doctored("honest"))
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
}

// caught says of each lie which check must find it out, in which words. "start" and
// "shutdown" are no checks.
var caught = map[string]string{
	"duplicates":                      "producer/each-record-once: acked once, but the log has it 2 times",
	"swallows":                        "producer/each-record-once: -0@0, but the log does not have it",
	"reorders":                        "producer/order: expected kcompare-drivertest-",
	"offsets off":                     "producer/each-record-once: but the log has it at",
	"partition off":                   "producer/each-record-once: but the log has it at",
	"acks what failed":                "producer/too-large: expected one report, failed, got 1: [{acked",
	"fails what was written":          "producer/each-record-once: reported failed, but stands in the log at",
	"drops headers":                   "producer/content: expected kcompare-drivertest-",
	"retries by itself":               "producer/too-large: expected one report, failed, got 1: [{acked",
	"commits what it should abort":    "transaction/abort: expected aborted, because its transaction was aborted, got visible",
	"repeats records":                 "consumer/subscribe:      got kcompare-drivertest-",
	"hangs in flush":                  "producer/flush-waits: hangs: flush of p1 was not answered within",
	"hangs in poll":                   "consumer/assign: hangs: poll of c2 was not answered within",
	"dies":                            "producer/each-record-once: ended before it was asked to: exit status 3; the end of its stderr:\nout of heap space",
	"finds another version":           "start: the program of doctored found franz-go v",
	"has no version":                  "start: the program of doctored does not say which library it has",
	"hangs at hello":                  "start: hangs: hello was not answered within",
	"dies at once":                    "start: ended before it was asked to: exit status 1; the end of its stderr:\nno such library",
	"stays after shutdown":            "shutdown: hangs: it did not end within 5s of shutdown",
	"fails after shutdown":            "shutdown: ended after shutdown with exit status 4, expected exit status 0",
	"endless line":                    "start: printed a line of more than 64 MiB",
	"another protocol":                "start: speaks version 2 of the protocol, expected 1",
	"rubbish":                         `start: printed what is no line of the protocol: "WARN the library has something to say"`,
	"neither":                         "start: printed a line that is neither an answer nor a report",
	"answers twice":                   "producer/each-record-once: answered request 3 twice",
	"answers nobody":                  "producer/each-record-once: answered request 9003, which nobody made",
	"reports twice":                   "producer/each-record-once: reported on record 4 of p1: record 4 was reported before",
	"reports what is not there":       "producer/each-record-once: reported on record 400 of p1: 1 from 400 on are reported, and 200 were handed over",
	"runs too far":                    "producer/each-record-once: reported on record 4 of p1: 1000 from 4 on are reported, and 200 were handed over",
	"runs over what was reported":     "producer/each-record-once: record 4 was reported before",
	"reports nothing":                 "producer/each-record-once: says that nothing of p1 is pending, and record 0 was never reported",
	"reports on no handle":            "producer/each-record-once: there is no such handle",
	"a class of its own":              "producer/too-large: with an error of a class that the protocol has",
	"no outcome":                      "transaction/commit: answered commit of t1 with what is no answer to it",
	"loses a record of a bulk":        "producer/many: record 77 acked, but the log has it 0 times",
	"offsets off in a bulk":           "producer/many: but the log has it at",
	"partition off in a bulk":         "producer/many: but the log has it at",
	"counts other bytes":              "consumer/many: expected 500 records of",
	"reads elsewhere":                 "consumer/many: a run of 250 records at",
	"runs without what it counts":     "consumer/many: says that consume-many of c2 read 500 records, in runs of 499",
	"took longer than it did":         "consumer/many: expected the time since the first record, got",
	"keeps latencies to itself":       "producer/paced: tells 0 times of produce-many of p1, expected 400",
	"knows no latency":                "producer/paced: latency 0 is unknown, expected all of them where nothing fails",
	"tells nanoseconds":               "producer/paced: latency 0: expected more than nothing and no more than the ",
	"hands over before its time":      "producer/paced: expected a time of 199.5ms at least",
	"commits every other transaction": "transactional/many: value=\"30..................\": expected it at offset 31",
	"writes twice what it processes":  "processor/many: expected the output to be",
	"forgets offsets of a group":      "processor/many: offsets of the group, in the cluster: expected ",
	"invents transactions":            "processor/many: transactions, and the log has ",
	"refuses what it is able to":      "producer/order: it says that it has the ability, and refuses the setting: make a producer: enable.idempotence=true",
	"differs where nobody asked":      `driver/differences: difference "acks: rounded": expected KEY: SENTENCE with a key of the settings`,
	"a report a record of a bulk":     "producer/many: 2000 records were reported in 2000 runs, expected 200 runs at most",
}

func TestEveryLieIsCaught(t *testing.T) {
	cluster := kfaketest.New(t)
	for lie := range doctors() {
		if !isLie(lie) {
			continue
		}
		t.Run(lie, func(t *testing.T) {
			t.Parallel()
			where, words, _ := strings.Cut(caught[lie], ": ")
			if got := complaint(t, cluster, lie, where); words == "" || !strings.Contains(got, words) {
				t.Errorf("%s: expected a complaint %q, got %q", where, words, got)
			}
		})
	}
}

// TestBulkIsLiedAbout: package memory has a lie for every other check.
func TestBulkIsLiedAbout(t *testing.T) {
	for _, check := range drivertest.Checks() {
		named := func(complaint string) bool { return strings.HasPrefix(complaint, check.Name+": ") }
		bulk := check.Needs == drivertest.Bulk || check.Needs == drivertest.Paced || check.Needs == drivertest.BulkTransactions
		if bulk && !slices.ContainsFunc(slices.Collect(maps.Values(caught)), named) {
			t.Errorf("%s: expected a lie that it must catch, there is none", check.Name)
		}
	}
}

// complaint is what a check says of a doctored program, or the program's start or end,
// and the fault.
func complaint(t *testing.T, cluster drivertest.Cluster, lie, where string) string {
	t.Helper()
	p := doctored(lie)
	if strings.HasPrefix(lie, "hangs") {
		p.Patience = 500 * time.Millisecond
	}
	running, err := start(t, p)
	if where == "start" || err != nil {
		return fmt.Sprint(err)
	}
	defer running.Close()
	if where == "shutdown" {
		running.Close()
		return fmt.Sprint(running.Fault())
	}
	for _, check := range drivertest.Checks() {
		if check.Name == where {
			result := check.Try(t.Context(), drivertest.Subject{Driver: running, Cluster: cluster})
			return fmt.Sprint(result.Wrong, running.Fault())
		}
	}
	t.Fatalf("%s: no such check", where)
	return ""
}

// secret is a password with what JSON and logs write in another way.
const secret = `hunter2"<s&>`

// TestSecrets: a program that prints a password is found out, and nobody reads it in the
// fault, nor in what it says of an error.
func TestSecrets(t *testing.T) {
	for lie, times := range map[string]int{"tells a secret": 2, "tells a secret of an error": 1} {
		running, err := start(t, doctored(lie))
		if err != nil {
			t.Fatal(err)
		}
		_, err = running.NewProducer(drivers.Settings{Config: map[string]string{
			"bootstrap.servers": "127.0.0.1:1", "security.protocol": "sasl_plaintext", "sasl.mechanism": "PLAIN",
			"sasl.username": "me", "sasl.password": secret,
		}})
		said := fmt.Sprint(err, running.Fault())
		if strings.Contains(said, "hunter2") || strings.Count(said, "(secret)") < times {
			t.Errorf("%s: expected it told without the password, got %s", lie, said)
		}
		running.Close()
	}
}

// TestPlaysAgain: a process that allows it plays for the next who asks, unless something
// is left of what it played before. The doctored program has its process in Via.
func TestPlaysAgain(t *testing.T) {
	starter := child.NewStarter()
	t.Cleanup(starter.Close)
	program, err := clients.New(t.Context(), starter, doctored("plays again"))
	if err != nil {
		t.Fatal(err)
	}
	playsIn := func(leave bool) string {
		t.Helper()
		running, err := program.Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer running.Close()
		p, err := running.NewProducer(drivers.Settings{Config: map[string]string{"bootstrap.servers": "127.0.0.1:1"}})
		if err != nil {
			t.Fatal(err)
		}
		if !leave {
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
		}
		return running.Library().Via
	}
	first, second := playsIn(false), playsIn(true)
	if third := playsIn(false); first != second || third == second || !strings.HasPrefix(first, "process ") {
		t.Errorf("expected one process twice, and another one after a client was left open, got %q, %q, %q", first, second, third)
	}
}
