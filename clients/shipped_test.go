package clients_test

import (
	"regexp"
	"strings"
	"testing"

	"kcompare/clients"
	"kcompare/drivers/drivertest"
	"kcompare/drivers/drivertest/kfaketest"
	"kcompare/internal/child"
	"kcompare/internal/clienttest"
	"kcompare/internal/pythontest"
)

// TestShipped runs the suite of drivers on each program that is shipped.
func TestShipped(t *testing.T) {
	for _, shipped := range []struct {
		client, library string
		command         func(t *testing.T) []string
		differs         map[string]string // what the library does otherwise, by check: its complaint has these words
		sometimes       map[string]string // what it does otherwise now and then
	}{
		{"python", "librdkafka", inPython("python/client.py"), nil, nil},
		// kafka-python 3.0.12 forgets an assignment now and then (coordinator/base.py, join_group_async): a poll whose
		// time is up leaves the join to the next one, which does not look for it.
		{"kafka-python", "kafka-python", inPython("kafka-python/client.py"), nil, map[string]string{
			"consumer/subscribe":          forgotten,
			"consumer/commit":             forgotten,
			"consumer/no-commit-unasked":  forgotten,
			"consumer/group-metadata":     forgotten,
			"consumer/tells-assignment":   forgotten,
			"consumer/close-leaves":       forgotten,
			"transaction/offsets-commit":  forgotten,
			"transaction/offsets-abort":   forgotten,
			"transaction/offsets-pending": forgotten,
			"processor/many":              "0 of 20 records came",
		}},
		// aiokafka 0.14.0 speaks OffsetFetch v3, which cannot ask for stable offsets (KIP-447).
		{"aiokafka", "aiokafka", inPython("aiokafka/client.py"), map[string]string{
			"transaction/offsets-pending": "expected to wait until the end of its context, got none",
		}, nil},
		{"java", "kafka-clients", installed("java"), nil, nil},
		// kafkajs 2.2.4 has headers in an object, so what has the same name stands together; it speaks OffsetFetch v4
		// (KIP-447); and the last of the records that were handed over without waiting overtakes the one before
		// (utils/lock.js: who releases a lock that others wait for goes on later than who releases one for nobody).
		{"kafkajs", "kafkajs", installed("kafkajs"), map[string]string{
			"producer/content": `same="1" same="3" other="2"`,
		}, map[string]string{
			"producer/acks-0":               overtaken,
			"producer/one-record-per-batch": overtaken,
			"producer/order":                overtaken,
			"producer/partitioner":          overtaken,
			"transaction/offsets-pending":   "expected to wait until the end of its context, got none",
		}},
		// @platformatic/kafka 2.12.1 asks InitProducerId for producer id 0 in the place of -1, which kfake takes for a
		// wrong one.
		{"platformatic", "@platformatic/kafka", installed("platformatic"), map[string]string{
			"consumer/isolation":             noTransaction,
			"transaction/abort":              noTransaction,
			"transaction/calls-out-of-order": noTransaction,
			"transaction/commit":             noTransaction,
			"transaction/commit-flushes":     noTransaction,
			"transaction/fencing":            noTransaction,
			"transaction/lost-answer":        noTransaction,
			"transaction/offsets-abort":      noTransaction,
			"transaction/offsets-commit":     noTransaction,
			"transaction/offsets-pending":    noTransaction,
			"transaction/open":               noTransaction,
		}, nil},
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
			runChecks(t, drivertest.Subject{Driver: running, Cluster: kfaketest.New(t)}, shipped.differs, shipped.sometimes)
		})
	}
}

// What a complaint is about: records in another order, none of them missing; a transaction
// that did not begin; a member of a group that reads nothing.
const (
	forgotten     = "only 0 came"
	overtaken     = "the same records in another order"
	noTransaction = "INVALID_PRODUCER_ID_MAPPING"
)

// runChecks is drivertest.Run, but for checks in which the library differs: those must
// fail, or may do so sometimes, and in no other way.
func runChecks(t *testing.T, s drivertest.Subject, differs, sometimes map[string]string) {
	for _, check := range drivertest.Checks() {
		words, always := differs[check.Name]
		t.Run(check.Name, func(t *testing.T) {
			t.Parallel()
			r := check.Try(t.Context(), s)
			switch {
			case always && !complains(r.Wrong, words):
				t.Errorf("expected the library to differ: %q, got: %v", words, r.Wrong)
			case !always && r.Wrong != nil && !complains(r.Wrong, sometimes[check.Name]):
				t.Error(r.Wrong)
			case r.Key != "": // the program knew it when it was shipped
				t.Error(r.Unable)
			case r.Unable != "":
				t.Skipf("%s: %s", s.Driver.Client(), r.Unable)
			}
		})
	}
}

// complains says whether that is what is wrong.
func complains(wrong error, words string) bool {
	switch {
	case wrong == nil || words == "":
		return false
	case words == overtaken:
		return isOvertaking(wrong.Error())
	}
	return strings.Contains(wrong.Error(), words)
}

var placed = regexp.MustCompile(`^(?:expected| +got) (\S+)@(\d+) (key=.*)$`)

// isOvertaking says whether a complaint lists the records of a partition that were
// expected and those that were got, and both are the same ones in another order.
func isOvertaking(complaint string) bool {
	left := map[string]int{} // how often a record was expected and did not come
	for i, line := range strings.Split(complaint, "\n") {
		place := placed.FindStringSubmatch(line)
		if place == nil {
			return false
		}
		left[place[1]+" "+place[3]] += 1 - 2*(i%2) // expected and got take turns
	}
	for _, n := range left {
		if n != 0 {
			return false
		}
	}
	return true
}

func TestIsOvertaking(t *testing.T) {
	for _, c := range []struct {
		complaint string
		want      bool
	}{
		{"expected t-0@1 key=nil value=\"a\"\n     got t-0@1 key=nil value=\"b\"\nexpected t-0@2 key=nil value=\"b\"\n     got t-0@2 key=nil value=\"a\"", true},
		{"expected t-0@1 key=nil value=\"a\"\n     got t-0@1 key=nil value=\"b\"\nexpected t-0@2 key=nil value=\"b\"\n     got t-0@2 key=nil value=\"b\"", false}, // one twice
		{"expected t-0@1 key=nil value=\"a\"\n     got t-1@1 key=nil value=\"a\"", false},                                                                         // in another partition
		{"expected t-0@1 key=nil value=\"a\"\n     got t-0@1 key=nil value=\"b\"\nexpected 2 records, got 1", false},
		{"record a: expected one report, acked, got 0", false},
	} {
		if got := isOvertaking(c.complaint); got != c.want {
			t.Errorf("%q: expected %t, got %t", c.complaint, c.want, got)
		}
	}
}

// inPython is a program that .venv runs.
func inPython(file string) func(*testing.T) []string {
	return func(t *testing.T) []string { return []string{pythontest.Python(t), file} }
}

// installed is a program as it is installed in .clients.
func installed(client string) func(*testing.T) []string {
	return func(t *testing.T) []string { return clienttest.Program(t, client).Command }
}
