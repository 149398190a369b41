//go:build linux

// Package overhead measures what a driver, or a client's program, costs beside its library:
// the loop of a benchmark that is written directly on the library, and the same by kcompare's
// protocol. Both are processes of their own, with nothing of each other's in their memory,
// and send the same records with the same settings to a sink, in rounds that take turns, so
// that a busy machine hits both: see Turns.
package overhead

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"kcompare/clients"
	"kcompare/drivers"
)

// Direct is a loop on a library without a driver: a producer that is connected.
type Direct interface {
	// Play sends so many records of Values to Topic, and returns when all are reported.
	// It counts reports of failure, which are an error.
	Play(count int) error
	Close()
}

// Programs are what the test binary of a driver is when it is started again.
type Programs struct {
	Driver func() (drivers.Driver, error)
	Direct map[string]func(servers string) (Direct, error) // by a name that says what is particular
}

// Topic is where records go.
const Topic = "kcompare-overhead"

// ValueBytes is how long values are: short ones leave a driver the least room.
const ValueBytes = 100

// Settings are those of both. What a Direct sets by hand says the same.
func Settings(servers string) map[string]string {
	return map[string]string{
		"bootstrap.servers": servers, "acks": "all", "enable.idempotence": "true", "linger.ms": "5",
		"batch.size": "131072", "compression.type": "none", "max.in.flight.requests.per.connection": "5",
		"queue.buffering.max.messages": "500000",
	}
}

// Values makes the values of records as a bulk has them, of pieces of memory that are
// not used again.
type Values struct{ left []byte }

// Next is number n.
func (v *Values) Next(n int) []byte {
	if len(v.left) < ValueBytes {
		v.left = bytes.Repeat([]byte{'.'}, 256<<10)
	}
	value := v.left[:ValueBytes:ValueBytes]
	strconv.AppendInt(value[:0], int64(n), 10)
	v.left = v.left[ValueBytes:]
	return value
}

// role is the environment of a test binary that is not to run tests.
const role = "KCOMPARE_TEST_ROLE"

// Main runs the tests of a package, or is one of the programs for them: its TestMain calls
// it, and os.Exit with what it returns.
func Main(m *testing.M, p Programs) int {
	as, argument, _ := strings.Cut(os.Getenv(role), " ")
	var err error
	switch as {
	case "":
		return m.Run()
	case "sink":
		err = serveSink()
	case "driver":
		err = p.serve()
	default:
		err = serveDirect(p.Direct[as], argument)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func (p Programs) serve() error {
	d, err := p.Driver()
	if err != nil {
		return err
	}
	return clients.Serve(os.Stdin, os.Stdout, d)
}

// Benchmark compares the driver with the direct loop of that name, see Turns.
func Benchmark(b *testing.B, direct string) {
	servers := StartSink(b)
	self := []string{os.Args[0]}
	driver := clients.Program{Client: "driver", Command: self, Env: []string{role + "=driver"}}
	Turns{Records: 200_000, WarmUps: 2, Rounds: 5}.Benchmark(b,
		func(b *testing.B) *Loop { return StartDirect(b, self, role+"="+direct+" "+servers) },
		func(b *testing.B) *Loop { return StartProgram(b, driver, Settings(servers)) })
}
