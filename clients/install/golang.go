package install

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

const needsGo = "Go"

// golang is a program that the user's go builds from kcompare's own driver and another
// version of the library: two versions of one module cannot be in one process.
type golang struct {
	room     string // of the driver
	driver   string // the expression that makes it
	fallible bool   // which has an error beside
	cgo      bool

	old    *regexp.Regexp // versions whose API lacks something that the driver uses
	oldTag string         // that leaves it out
}

// beforeFranz122 are the versions without kgo.ServerSideBalancer.
var beforeFranz122 = regexp.MustCompile(`^v1\.(1?[0-9]|2[01])\.`)

func (g golang) lacking(ctx context.Context, m machine, n Named) error {
	tool, ok := look(m.env, "go")
	if !ok {
		return needs(n.Needs, fmt.Errorf("go was %w", errNotFound))
	}
	if said, err := m.run(ctx, "", tool, "version"); err != nil {
		return needs(n.Needs, fmt.Errorf("%s says %s", tool, lastLine(said, err)))
	}
	if _, ok := look(m.env, "cc"); g.cgo && !ok && getenv(m.env, "CC") == "" {
		return needs(n.Needs, fmt.Errorf("cc was %w", errNotFound))
	}
	return nil
}

// asked is the driver's sources and the version.
func (g golang) asked(c Cache, n Named) ([]byte, error) {
	if c.Sources == nil {
		return nil, errors.New("this build does not have its own sources")
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%s\n", n.of, g.main())
	err := g.each(c.Sources, func(name string, text []byte) error {
		if path.Dir(path.Dir(name)) == "clients" {
			return nil // programs of other languages, which package clients embeds
		}
		fmt.Fprintf(sum, "%s %d\n", name, len(text))
		_, err := sum.Write(text)
		return err
	})
	return sum.Sum(nil), err
}

// each visits the sources that are no tests.
func (golang) each(sources fs.FS, visit func(name string, text []byte) error) error {
	return fs.WalkDir(sources, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(sources, name)
		if err != nil {
			return err
		}
		return visit(name, text)
	})
}

// main is the program: the driver behind kcompare's protocol.
func (g golang) main() string {
	made := "driver, err := " + g.driver
	if !g.fallible {
		made = "driver, err := " + g.driver + ", error(nil)"
	}
	return `package main

import (
	"fmt"
	"os"

	"kcompare/clients"
	"kcompare/` + g.room + `"
)

func main() {
	` + made + `
	if err == nil {
		err = clients.Serve(os.Stdin, os.Stdout, driver)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
`
}

func (g golang) build(ctx context.Context, j job) ([]pkg, error) {
	source := j.path("source")
	if err := g.write(j.cache.Sources, source); err != nil {
		return nil, err
	}
	tool, _ := look(j.machine.env, "go")
	cgo := "CGO_ENABLED=0"
	if g.cgo {
		cgo = "CGO_ENABLED=1"
	}
	m := j.machine.with("GOFLAGS=-mod=mod", "GOWORK=off", cgo)
	j.say("go brings " + j.Package + " " + j.of)
	// A replacement is exactly this version. Asking for it with go get takes minutes: go looks
	// for older versions of every module that needs a newer one.
	_, err := m.run(ctx, source, tool, "mod", "edit", "-droprequire=github.com/twmb/franz-go/pkg/kfake", // of the embedded broker
		"-replace="+j.Package+"="+j.Package+"@"+j.of)
	if err != nil {
		return nil, err
	}
	j.say("go builds the program")
	args := []string{"build", "-trimpath", "-buildvcs=false", "-o", j.path(j.binary())}
	if g.old != nil && g.old.MatchString(j.of) {
		args = append(args, "-tags="+g.oldTag)
	}
	said, err := m.run(ctx, source, tool, append(args, "./serve")...)
	if err != nil {
		return nil, j.notBuilt(said, err)
	}
	return []pkg{{Name: j.Package, Version: j.of}}, os.RemoveAll(source)
}

func (g golang) write(sources fs.FS, dir string) error {
	put := func(name string, text []byte) error {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		return os.WriteFile(file, text, 0o644)
	}
	return errors.Join(g.each(sources, put), put("serve/main.go", []byte(g.main())))
}

// binary is the name of the program of a client built by go.
func (n Named) binary() string {
	if runtime.GOOS == "windows" {
		return n.Name + ".exe"
	}
	return n.Name
}

var compileError = regexp.MustCompile(`(?m)^\S+\.go:\d+:\d+: .*$`)

// notBuilt tells a library whose API the driver does not fit from other errors.
func (j job) notBuilt(said string, err error) error {
	if first := compileError.FindString(said); first != "" {
		return fmt.Errorf("kcompare's driver cannot be built with %s %s, whose API differs: %s", j.Package, j.of, first)
	}
	return err
}

func (golang) command(_ context.Context, c Cache, n Named) ([]string, error) {
	binary := filepath.Join(c.folderOf(n), n.binary())
	if _, err := os.Stat(binary); err != nil {
		return nil, err
	}
	return []string{binary}, nil
}
