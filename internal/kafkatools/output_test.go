package kafkatools

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/bench"
	"kcompare/internal/evidence"
)

// play feeds an output line by line.
func play(o output, text string) (bench.Played, error) {
	for line := range strings.Lines(text) {
		if err := o.line(strings.TrimSuffix(line, "\n")); err != nil {
			return bench.Played{}, err
		}
	}
	return o.played()
}

func recorded(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestRecorded reads what the tools of Kafka 4.4.0 printed (progress lines in the middle of
// the first are left out).
func TestRecorded(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		out  output
		want bench.Played
	}{
		{"perf-test-4.4.0.txt", &perfOutput{records: 500_000, warm: 100_000}, bench.Played{
			Elapsed: 7823 * time.Millisecond, Timed: 400_000,
			Told: &evidence.BenchLatencies{Count: 400_000, P50: 3_125_000, P95: 3_546_000, P99: 3_566_000, P999: 3_583_000, Max: 3_589_000},
		}},
		{"copier-4.4.0.txt", &copierOutput{records: 2000, warm: 500}, bench.Played{
			Elapsed: 1338 * time.Millisecond, Timed: 1200, Transactions: 7,
		}},
		{"copier-4.4.0.txt", &copierOutput{records: 2000, warm: 1800}, bench.Played{
			Elapsed: 4317 * time.Millisecond, Transactions: 7, // nothing is between two lines behind the warm-up
		}},
	} {
		got, err := play(test.out, recorded(t, test.name))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

const (
	perfAll    = "4000 records sent, 2000.000000 records/sec (0.20 MB/sec), 3.10 ms avg latency, 20.00 ms max latency, 2 ms 50th, 5 ms 95th, 6 ms 99th, 19 ms 99.9th.\n"
	perfSteady = "3000 steady state records sent, 3000.000000 records/sec (0.30 MB/sec), 2.10 ms avg latency, 9.00 ms max latency, 2 ms 50th, 4 ms 95th, 5 ms 99th, 8 ms 99.9th.\n"
	perfNone   = "0 records sent, 0.000000 records/sec (0.00 MB/sec), NaN ms avg latency, 0.00 ms max latency, 0 ms 50th, 0 ms 95th, 0 ms 99th, 0 ms 99.9th.\n"
	copied     = `{"transactionalId":"tx","stage":"ShutdownComplete","time":"2026/11/30 16:25:42:484","totalProcessed":2000,"consumed":2000,"remaining":0}` + "\n"
)

// TestOutputFaults: whatever is not known, missing or less than asked is an error that says
// so.
func TestOutputFaults(t *testing.T) {
	t.Parallel()
	perf := func() output { return &perfOutput{records: 4000, warm: 1000} }
	copier := func() output { return &copierOutput{records: 2000, warm: 500} }
	for _, test := range []struct {
		out        output
		text, want string
	}{
		{perf(), perfAll + perfSteady, ""},
		{perf(), "", "ended without its figures"},
		{perf(), perfAll, "figures of the records after the warm-up of 1000: expected them where there is one"},
		{&perfOutput{records: 4000}, perfAll + perfSteady, "figures of the records after the warm-up of 0: expected them where there is one"},
		{perf(), perfNone, "says that 0 of 4000 records were sent"},
		{perf(), perfAll + strings.Replace(perfSteady, "3000 ", "2999 ", 1), "says that 2999 of 3000 records after the warm-up were sent"},
		{perf(), perfAll + strings.Replace(perfSteady, "3000.000000", "Infinity", 1),
			"says that 3000 records were sent at +Inf records/sec, which its clock of milliseconds cannot tell: give it more records"},
		{perf(), perfAll + perfAll, "printed its figures twice: " + quoted(perfAll)},
		{perf(), "Bonjour\n", `printed what is not known: "Bonjour"`},
		{perf(), strings.ReplaceAll(perfAll, ".", ","), "printed what is not known: " + quoted(strings.ReplaceAll(perfAll, ".", ","))},
		{copier(), "", "ended without its last line"},
		{copier(), strings.ReplaceAll(copied, "2000", "1999"), "says that 1999 of 2000 records were copied"},
		{copier(), strings.ReplaceAll(copied, "2026/", ""), `printed what is not known: parsing time "11/30 16:25:42.484" as "2006/01/02 15:04:05.000": cannot parse "11/30 16:25:42.484" as "2006": ` + quoted(strings.ReplaceAll(copied, "2026/", ""))},
		{copier(), "{}\n", `printed what is not known: expected one object with totalProcessed, consumed and remaining: "{}"`},
		{copier(), strings.Replace(copied, "Shutdown", "Startup", 1), "printed what is not known: " + quoted(strings.Replace(copied, "Shutdown", "Startup", 1))},
		{copier(), strings.Replace(copied, "consumed", "eaten", 1), `printed what is not known: json: unknown field "eaten": ` + quoted(strings.Replace(copied, "consumed", "eaten", 1))},
	} {
		_, err := play(test.out, test.text)
		if got := said(err); got != test.want {
			t.Errorf("of %q said %q, expected %q", test.text, got, test.want)
		}
	}
}

func said(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
