package kafkatools

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"kcompare/drivers"
	"kcompare/internal/bench"
	"kcompare/internal/evidence"
)

const perfTestName = "kafka-producer-perf-test"

// perfTest is org.apache.kafka.tools.ProducerPerformance.
//
// Its values come from a file of one line. With --record-size it would draw each byte of
// each value from a random generator while its clock runs (generateRandomPayload), which
// measures the generator; with --payload-monotonic values are as long as their number.
type perfTest struct{}

func (perfTest) name() string  { return perfTestName }
func (perfTest) class() string { return "org.apache.kafka.tools.ProducerPerformance" }

func (perfTest) about() bench.About {
	return bench.About{Can: drivers.Abilities{Idempotence: true, Bulk: true, Paced: true}, Counted: true}
}

// warmUp is how many of a turn's records its clock leaves out, in which Java compiles. Of few
// records it leaves out none: those behind them could be done within its millisecond.
func warmUp(records int64) int64 {
	if records < 1000 {
		return 0
	}
	return records / 4
}

func (perfTest) differences(config map[string]string) ([]string, error) {
	_, differ, err := properties(config)
	return differ, err
}

func (perfTest) otherwise() []string {
	return []string{
		"each turn is a new process: its processor time has the start of Java in it",
		"records are counted, not known one by one: all have the same value",
		"its clock begins at the record after the first quarter, while what the buffer still has of those is sent on its time, and ends after close",
		"its latencies are whole milliseconds from the hand-over of a record, not from when it was due",
		"keys, where there are any, are numbers without a word before them",
	}
}

func (perfTest) takes(s bench.Stage) error {
	switch s.Work {
	case evidence.BenchProduce, evidence.BenchLatency:
	case evidence.BenchTransactions:
		return errors.New("its transactions end by time (--transaction-duration-ms), not by number of records: leave it out of transactions")
	default:
		return fmt.Errorf("it only produces: leave it out of %s", s.Work)
	}
	if s.Load.RecordBytes < 1 {
		return fmt.Errorf("values of %d bytes: expected at least 1, a line of its file", s.Load.RecordBytes)
	}
	return nil
}

// arguments keeps settings in a file: a command line is everybody's to read.
func (perfTest) arguments(dir string, s bench.Stage, t bench.Turn) ([]string, error) {
	props, _, err := properties(s.Config)
	if err != nil {
		return nil, err
	}
	settings, payload := filepath.Join(dir, "producer.properties"), filepath.Join(dir, "payload")
	err = errors.Join(
		os.WriteFile(settings, []byte(propertiesFile(props)), 0o600),
		os.WriteFile(payload, []byte(strings.Repeat(".", t.Load.RecordBytes)+"\n"), 0o600))
	if err != nil {
		return nil, err
	}
	arguments := []string{
		"--bootstrap-server", s.Servers, "--command-config", settings, "--topic", t.Topic,
		"--num-records", strconv.FormatInt(t.Load.Records, 10),
		"--warmup-records", strconv.FormatInt(warmUp(t.Load.Records), 10),
		"--payload-file", payload, "--throughput", throughput(t.Load.Rate),
	}
	if t.Load.Keys > 0 {
		arguments = append(arguments, "--key-distribution", "range", "--record-key-range", strconv.FormatInt(t.Load.Keys, 10))
	}
	return arguments, nil
}

// throughput is -1 for as fast as it can.
func throughput(rate float64) string {
	if rate <= 0 {
		return "-1"
	}
	return strconv.FormatFloat(rate, 'f', -1, 64)
}

func (perfTest) output(t bench.Turn) output {
	return &perfOutput{records: t.Load.Records, warm: warmUp(t.Load.Records)}
}
