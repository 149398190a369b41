// Package mermaidtest asks Mermaid's own parser, in plain Node.js, whether it takes a
// diagram. It can run where `make setup` has brought the parser to .clients/mermaid.
package mermaidtest

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"kcompare/internal/pythontest"
)

// patience is for a busy machine: the parser is there within half a second, and takes some
// milliseconds for a diagram.
const patience = 2 * time.Minute

// Parse says for each diagram what the parser has against it, "" for nothing. All are
// parsed by one process. Where Node.js or the parser is missing the test is skipped; with
// CI=true it fails.
func Parse(t testing.TB, diagrams []string) []string {
	t.Helper()
	root := pythontest.Repository(t)
	bundle := filepath.Join(root, ".clients", "mermaid", "node_modules", "mermaid", "dist", "mermaid.esm.min.mjs")
	node, err := exec.LookPath("node")
	if _, missing := os.Stat(bundle); err != nil || missing != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("Mermaid's parser or Node.js is missing: make setup")
		}
		t.Skip("Mermaid's parser or Node.js is missing: make setup")
	}
	in, err := json.Marshal(diagrams)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	parser := exec.CommandContext(ctx, node, filepath.Join(root, "internal", "mermaidtest", "parse.mjs"), bundle)
	var errors bytes.Buffer
	parser.Stdin, parser.Stderr = bytes.NewReader(in), &errors
	out, err := parser.Output()
	if err != nil {
		t.Fatalf("parse.mjs: %v\n%s", err, errors.Bytes())
	}
	var wrong []string
	if err := json.Unmarshal(out, &wrong); err != nil || len(wrong) != len(diagrams) {
		t.Fatalf("parse.mjs answered with %d results for %d diagrams: %v", len(wrong), len(diagrams), err)
	}
	return wrong
}
