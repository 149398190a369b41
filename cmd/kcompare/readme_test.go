package main

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"kcompare/internal/cli"
)

// TestReadmeShowsTheReport holds the report in README.md to what the command
// above it prints, line by line; only at "..." something is left out.
func TestReadmeShowsTheReport(t *testing.T) {
	var out, problems bytes.Buffer
	state := cli.State{Stdout: &out, Stderr: &problems, Width: 100, Now: time.Now, Clients: clients()}
	if code := cli.Main(t.Context(), state, []string{"run", "idempotent", "--client=franz,librdkafka", "--progress=none"}); code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, &problems, &out)
	}
	printed := lines(masked(out.String()))
	for _, passage := range readmeReport(t) {
		at := index(printed, passage)
		if at < 0 {
			t.Fatalf("README.md shows a passage that the report does not have at that place:\n%s\nThe report:\n%s",
				strings.Join(passage, "\n"), &out)
		}
		printed = printed[at+len(passage):]
	}
}

// index finds the passage, line by line without a gap.
func index(all, passage []string) int {
	for i := 0; i+len(passage) <= len(all); i++ {
		if slices.Equal(all[i:i+len(passage)], passage) {
			return i
		}
	}
	return -1
}

// lines are those with something on them.
func lines(text string) []string {
	all := strings.Split(text, "\n")
	return slices.DeleteFunc(all, func(line string) bool { return strings.TrimSpace(line) == "" })
}

// readmeReport is the indented block that begins with the report's title, cut at
// each "...".
func readmeReport(t *testing.T) [][]string {
	t.Helper()
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	const title, indent = "    kcompare run idempotent · ", "    "
	_, rest, found := strings.Cut(string(page), title)
	if !found {
		t.Fatal("README.md: the report is not there")
	}
	passages := [][]string{nil}
	for _, line := range lines(masked(title + rest)) {
		text, indented := strings.CutPrefix(line, indent)
		switch {
		case !indented:
			return passages
		case strings.TrimSpace(text) == "...":
			passages = append(passages, nil)
		default:
			passages[len(passages)-1] = append(passages[len(passages)-1], text)
		}
	}
	return passages
}

var (
	seconds = regexp.MustCompile(`\d+\.\d s`)
	via     = regexp.MustCompile(`confluent-kafka-go( v[\d.]+)?`)
	kfake   = regexp.MustCompile(`kfake .*`)

	collateral = regexp.MustCompile(`, collateral \d+ \(of any API\)`)
	ofEach     = regexp.MustCompile(`(?m)^( *faults +)franz: (.*)\n +librdkafka: (.*)$`)
)

// masked takes out the time a run took, the versions that a test binary does not know, and
// how many other requests were on a connection when a fault closed it: a client asks for
// metadata when its time has come, once in some hundred runs just then.
func masked(s string) string {
	s = ofEach.ReplaceAllStringFunc(collateral.ReplaceAllString(s, ""), func(lines string) string {
		if m := ofEach.FindStringSubmatch(lines); m[2] == m[3] {
			return m[1] + m[2]
		}
		return lines
	})
	s = seconds.ReplaceAllString(s, "N s")
	s = via.ReplaceAllString(s, "confluent-kafka-go")
	return kfake.ReplaceAllString(s, "kfake")
}

// TestMasked: one line for both clients is what the report has where they are alike.
func TestMasked(t *testing.T) {
	const same = "faults    drop-response Produce 117 of 117 fired\ncauses"
	for text, want := range map[string]string{
		same: same,
		"faults    franz: drop-response Produce 117 of 117 fired\n          librdkafka: drop-response Produce 117 of 117 fired, collateral 1 (of any API)\ncauses": same,
		"faults    franz: drop 2 of 3 fired\n          librdkafka: drop 3 of 3 fired\n":                                                                            "faults    franz: drop 2 of 3 fired\n          librdkafka: drop 3 of 3 fired\n",
	} {
		if got := masked(text); got != want {
			t.Errorf("%s\nis masked as\n%s\nexpected\n%s", text, got, want)
		}
	}
}
