package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"kcompare/internal/cli"
)

// TestReadmeShowsTheReport holds the report in README.md to what the command
// above it prints: every line of it, in order; "..." stands for what is left out.
func TestReadmeShowsTheReport(t *testing.T) {
	var out, problems bytes.Buffer
	state := cli.State{Stdout: &out, Stderr: &problems, Width: 100, Now: time.Now, Clients: clients()}
	if code := cli.Main(t.Context(), state, []string{"run", "--progress=none"}); code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, &problems, &out)
	}
	printed := strings.Split(masked(out.String()), "\n")
	for _, line := range readmeReport(t) {
		for len(printed) > 0 && printed[0] != line {
			printed = printed[1:]
		}
		if len(printed) == 0 {
			t.Fatalf("README.md shows a line that the report does not have at that place:\n%s\nThe report:\n%s", line, &out)
		}
	}
}

// readmeReport is the indented block that begins with the report's title.
func readmeReport(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "    kcompare run idempotent · ")
	if !found {
		t.Fatal("README.md: the report is not there")
	}
	var lines []string
	for line := range strings.Lines("    kcompare run idempotent · " + rest) {
		line, indented := strings.CutPrefix(strings.TrimRight(line, "\n"), "    ")
		if !indented && line != "" {
			break
		}
		if text := strings.TrimSpace(line); text != "" && text != "..." {
			lines = append(lines, masked(line))
		}
	}
	if len(lines) < 10 {
		t.Fatalf("README.md: the report has %d lines", len(lines))
	}
	return lines
}

var (
	seconds = regexp.MustCompile(`\d+\.\d s`)
	via     = regexp.MustCompile(`confluent-kafka-go( v[\d.]+)?`)
	kfake   = regexp.MustCompile(`kfake .*`)
)

// masked takes out the time a run took, and the versions that a test binary
// does not know.
func masked(s string) string {
	s = seconds.ReplaceAllString(s, "N s")
	s = via.ReplaceAllString(s, "confluent-kafka-go")
	return kfake.ReplaceAllString(s, "kfake")
}
