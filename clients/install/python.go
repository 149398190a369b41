package install

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

const needsPython = "Python 3.10 or later, with its venv module"

// python is a venv. It lists the packages of the client, which the lock file of all
// Python clients has.
type python []string

// interpreter is $PYTHON, or python3.
func interpreter(env []string) (string, bool) {
	name := getenv(env, "PYTHON")
	if name == "" {
		name = "python3"
	}
	if filepath.IsAbs(name) {
		_, err := os.Stat(name)
		return name, err == nil
	}
	return look(env, name)
}

func (python) lacking(ctx context.Context, m machine, n Named) error {
	path, ok := interpreter(m.env)
	if !ok {
		return needs(n.Needs, errNotFound)
	}
	said, err := m.run(ctx, "", path, "-c", "import sys, venv, ensurepip; print(*sys.version_info[:3], sep='.'); sys.exit(sys.version_info < (3, 10))")
	if err != nil {
		return needs(n.Needs, fmt.Errorf("%s says %s: set PYTHON to another one", path, lastLine(said, err)))
	}
	return nil
}

// lastLine is what a tool said at the end, or its error.
func lastLine(said string, err error) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return last
	}
	if err == nil {
		return "nothing"
	}
	return err.Error()
}

// asked is the client's share of the lock file, or the one package that was named.
func (p python) asked(c Cache, n Named) ([]byte, error) {
	if !n.pinned() {
		return fmt.Appendf(nil, "%s==%s\n", n.Package, n.of), nil
	}
	lock, err := fs.ReadFile(c.Files, "python/requirements.txt")
	if err != nil {
		return nil, err
	}
	return p.share(lock)
}

// share cuts the packages of the client out of the lock file. An entry begins at the
// left, and its other lines do not.
func (p python) share(lock []byte) ([]byte, error) {
	var share []byte
	found, ours := 0, false
	for line := range bytes.Lines(lock) {
		if line[0] != ' ' {
			name, _, _ := strings.Cut(string(line), "==")
			if ours = slices.Contains(p, name); ours {
				found++
			}
		}
		if ours {
			share = append(share, line...)
		}
	}
	if found != len(p) {
		return nil, fmt.Errorf("the lock file has %d of %s", found, strings.Join(p, ", "))
	}
	return share, nil
}

func (p python) build(ctx context.Context, j job) ([]pkg, error) {
	pip, err := venv(ctx, j)
	if err != nil {
		return nil, err
	}
	asked, err := p.asked(j.cache, j.Named)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(j.path("requirements.txt"), asked, 0o644); err != nil {
		return nil, err
	}
	args := slices.Concat(pip[1:], []string{
		"install", "--disable-pip-version-check", "--progress-bar=off", "--only-binary=:all:",
		"--report", j.path("report.json"), "-r", j.path("requirements.txt"),
	})
	if j.pinned() {
		args = append(args, "--require-hashes")
	}
	j.say("pip brings " + j.Package + " " + j.of)
	if _, err := j.machine.run(ctx, "", pip[0], args...); err != nil {
		return nil, err
	}
	return pipReport(j.path("report.json"))
}

// venv makes one, and says how pip is called for it. Where the user's own
// pip can work for another Python (from 22.3 on) the venv needs none, which would take
// most of the time.
func venv(ctx context.Context, j job) (pip []string, err error) {
	base, _ := interpreter(j.machine.env)
	j.say("makes an environment with " + base)
	args := []string{"-m", "venv", j.path("venv")}
	pip = []string{venvPython(j.dir), "-m", "pip"}
	if _, err := j.machine.run(ctx, "", base, "-m", "pip", "--python", base, "--version"); err == nil {
		args = append(args, "--without-pip")
		pip = []string{base, "-m", "pip", "--python", venvPython(j.dir)}
	}
	_, err = j.machine.run(ctx, "", base, args...)
	return pip, err
}

// pipReport is what pip says it installed.
func pipReport(file string) ([]pkg, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var report struct {
		Install []struct {
			Metadata struct{ Name, Version string }
			Download struct {
				Archive struct{ Hash string } `json:"archive_info"`
			} `json:"download_info"`
		}
	}
	if err := json.Unmarshal(text, &report); err != nil {
		return nil, fmt.Errorf("pip's report: %w", err)
	}
	packages := []pkg{}
	for _, i := range report.Install {
		packages = append(packages, pkg{i.Metadata.Name, i.Metadata.Version, i.Download.Archive.Hash})
	}
	return packages, nil
}

// venvPython is the interpreter of a client's environment.
func venvPython(dir string) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(dir, "venv", "Scripts", "python.exe")
	}
	return filepath.Join(dir, "venv", "bin", "python")
}

// command isolates the program (-I) from PYTHONPATH and packages of the user's.
func (python) command(_ context.Context, c Cache, n Named) ([]string, error) {
	program, err := c.program(n, "client.py")
	if err != nil {
		return nil, err
	}
	interpreter := venvPython(c.folderOf(n))
	if _, err := os.Stat(interpreter); errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("the Python that it was installed with is gone")
	}
	return []string{interpreter, "-I", program}, nil
}
