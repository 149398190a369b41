package install

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"kcompare/internal/child"
)

// machine is what tools there are, and how they are run.
type machine struct {
	env     []string
	starter *child.Starter
}

// toolTime bounds one run of a tool. Compilers take longest.
const toolTime = 10 * time.Minute

// look finds a program in the PATH of an environment.
func look(env []string, name string) (string, bool) {
	for _, dir := range filepath.SplitList(getenv(env, "PATH")) {
		if !filepath.IsAbs(dir) {
			continue // as os/exec: not what lies around in the working directory
		}
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path, true
		}
	}
	return "", false
}

// getenv is the value of a variable in an environment, the last one if several.
func getenv(env []string, key string) string {
	value := ""
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, key+"="); ok {
			value = v
		}
	}
	return value
}

// run runs a tool in a folder and returns what it printed. When ctx ends, the tool and
// whatever it has started are killed.
func (m machine) run(ctx context.Context, dir, tool string, args ...string) (string, error) {
	limited, cancel := context.WithTimeoutCause(ctx, toolTime, fmt.Errorf("it did not end within %v", toolTime))
	defer cancel()
	cmd := exec.Command(tool, args...)
	cmd.Dir, cmd.Env = dir, m.env
	var out output
	cmd.Stdout, cmd.Stderr = &out, &out
	p, err := m.starter.Start(cmd)
	if err != nil {
		return "", fmt.Errorf("%s: %w", filepath.Base(tool), err)
	}
	select {
	case <-p.Done():
	case <-limited.Done():
		p.KillGroup()
		<-p.Done()
		return out.String(), &toolError{tool: filepath.Base(tool), args: args, err: context.Cause(limited), said: out.String()}
	}
	if err := p.Err(); err != nil {
		return out.String(), &toolError{tool: filepath.Base(tool), args: args, err: err, said: out.String()}
	}
	return out.String(), nil
}

// with adds to the environment of the tools.
func (m machine) with(env ...string) machine {
	m.env = slices.Concat(m.env, env)
	return m
}

// toolError is a tool that failed.
type toolError struct {
	tool string
	args []string
	err  error
	said string
}

// lastLines is how much of what a tool printed is shown.
const lastLines = 8

// Error ends with the last lines that the tool printed.
func (e *toolError) Error() string {
	text := fmt.Sprintf("%s: %v", strings.Join(append([]string{e.tool}, e.args[:min(2, len(e.args))]...), " "), e.err)
	var lines []string
	for line := range strings.Lines(e.said) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, "\n    "+line)
		}
	}
	return text + strings.Join(lines[max(0, len(lines)-lastLines):], "")
}

func (e *toolError) Unwrap() error { return e.err }

// output keeps the last of what a tool prints, without the logins in addresses and
// without colours.
type output struct {
	mu   sync.Mutex
	kept []byte
}

const mostOutput = 200_000

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.kept = append(o.kept, b...)
	o.kept = o.kept[max(0, len(o.kept)-mostOutput):]
	return len(b), nil
}

var (
	login  = regexp.MustCompile(`://[^/@\s]+@`)
	colour = regexp.MustCompile("\x1b\\[[0-9;]*m")
)

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := colour.ReplaceAllString(string(o.kept), "")
	return login.ReplaceAllString(text, "://***@")
}

// errNotFound says that a tool is not in PATH.
var errNotFound = errors.New("not found in PATH")

// needs is the error of a machine that lacks something.
func needs(what string, err error) error { return fmt.Errorf("needs %s: %w", what, err) }
