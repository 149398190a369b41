package source

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// share is how many texts one helper process takes before a second one is worth its start.
const share = 300

// readPython reads files, fenced blocks and texts with listings of Python, by Python's own
// parser: in one helper process, for many texts in one on each processor. Without a Python
// that can do so, each is Unread.
func readPython(ctx context.Context, inputs []input) []File {
	files := make([]File, len(inputs))
	for i, in := range inputs {
		files[i] = File{Path: in.path, Language: Python}
	}
	var all sync.WaitGroup
	for from, to := 0, 0; from < len(inputs); from = to {
		to = endOfShare(inputs, from)
		mine, texts := files[from:to], inputs[from:to]
		all.Go(func() { readShare(ctx, mine, texts) })
	}
	all.Wait()
	return files
}

// endOfShare is where the share that begins at from ends. The listings of one text stay
// together: each sees the names of those before it.
func endOfShare(inputs []input, from int) int {
	helpers := min(runtime.GOMAXPROCS(0), 1+len(inputs)/share)
	to := min(len(inputs), from+1+(len(inputs)-1)/helpers)
	for to < len(inputs) && inputs[to].path == inputs[to-1].path {
		to++
	}
	return to
}

func readShare(ctx context.Context, files []File, inputs []input) {
	helper, err := startPython(ctx)
	if err != nil {
		unread(files, err)
		return
	}
	read, err := helper.readAll(files, inputs)
	if err != nil {
		unread(files[read:], helper.ended(fmt.Errorf("not checked: Python stopped: %w", err)))
		return
	}
	helper.stop()
}

func unread(files []File, err error) {
	for i := range files {
		files[i].Unread = err.Error()
	}
}

// python is a running helper: a line of JSON in for each text, one out.
type python struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	bad strings.Builder // the end of what it said on stderr
}

// errNoPython is the reason where there is none to ask.
var errNoPython = errors.New("not checked: needs Python 3.8 or newer as python3 or python on the PATH")

// startPython finds a Python, and starts it with the reader. It says hello, or is too old.
func startPython(ctx context.Context) (*python, error) {
	err := errNoPython
	for _, name := range []string{"python3", "python"} {
		path, notThere := exec.LookPath(name)
		if notThere != nil {
			continue
		}
		var p *python
		if p, err = newPython(ctx, path); err == nil {
			return p, nil
		}
	}
	return nil, err
}

// newPython starts the interpreter at path, apart from whatever its user has installed.
func newPython(ctx context.Context, path string) (*python, error) {
	p := &python{cmd: exec.CommandContext(ctx, path, "-I", "-S", "-c", pythonBoot)}
	p.cmd.Stderr = &p.bad
	p.cmd.WaitDelay = 5 * time.Second // a grandchild that keeps the pipe open does not keep us
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.out = in, bufio.NewReaderSize(out, 1<<16)
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("not checked: start %s: %w", path, err)
	}
	if err := p.hello(); err != nil {
		return nil, fmt.Errorf("%w (%s)", p.ended(err), path)
	}
	return p, nil
}

// hello hands over the program, and waits for the version of who reads it.
func (p *python) hello() error {
	// An old Python ends before it reads.
	writeErr := json.NewEncoder(p.in).Encode(pythonProgram())
	line, err := p.out.ReadString('\n')
	switch {
	case strings.HasPrefix(line, "ready"):
		return writeErr
	case strings.HasPrefix(line, "old"):
		return fmt.Errorf("not checked: needs Python 3.8 or newer, found %s", strings.TrimSpace(strings.TrimPrefix(line, "old")))
	}
	return fmt.Errorf("not checked: Python did not start: %w", cmp.Or(err, writeErr))
}

// ended stops a helper that went wrong, and adds the last line of what it complained of.
func (p *python) ended(err error) error {
	p.stop() // before that stderr may still grow
	text := strings.TrimSpace(p.bad.String())
	if text == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, text[strings.LastIndexByte(text, '\n')+1:])
}

// stop ends the helper, which ends with its input, and waits for it.
func (p *python) stop() {
	_ = p.in.Close()
	_, _ = io.Copy(io.Discard, p.out)
	_ = p.cmd.Wait() // what it could not do stands in its answers
}

// readAll writes and reads side by side, or both pipes would fill. It returns how many
// files were read.
func (p *python) readAll(files []File, inputs []input) (read int, err error) {
	var writing sync.WaitGroup
	writing.Go(func() { p.writeAll(inputs) })
	for read < len(inputs) && err == nil {
		if err = p.answer(&files[read]); err == nil {
			read++
		}
	}
	_ = p.in.Close() // the writer does not wait for a helper that is gone
	writing.Wait()
	return read, err
}

func (p *python) writeAll(inputs []input) {
	versions := pythonVersions{}
	out := json.NewEncoder(p.in)
	for _, in := range inputs {
		found := versions.beside(filepath.Dir(in.path))
		if out.Encode(pythonQuestion{
			Path: in.path, Text: string(in.text), FirstLine: in.firstLine, Unfenced: in.unfenced,
			Versions: found.byClient(), Package: found["confluent-kafka"],
		}) != nil {
			return // the reader finds out why
		}
	}
}

// answer fills a file from the next line.
func (p *python) answer(f *File) error {
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return err
	}
	var a pythonAnswer
	if err := json.Unmarshal(line, &a); err != nil {
		return err
	}
	a.fill(f)
	return nil
}
