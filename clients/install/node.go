package install

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// nodes lists, by major version, the oldest Node that a client works with. Newer majors
// than the last one do as well, others do not.
type nodes [][2]int

var (
	anyNode = nodes{{18, 0}}
	// newNode is what @platformatic/kafka needs. Where Node is older npm takes an old
	// version of the package, which is another library.
	newNode = nodes{{22, 22}, {24, 6}}
)

// needs is "Node 22.22 or 24.6 or later, with npm".
func (o nodes) needs() string {
	var words []string
	for _, v := range o {
		words = append(words, strings.TrimSuffix(fmt.Sprintf("%d.%d", v[0], v[1]), ".0"))
	}
	return "Node " + strings.Join(words, " or ") + " or later, with npm"
}

var nodeVersion = regexp.MustCompile(`^v(\d+)\.(\d+)\.\d+`)

// take says whether a Node that calls itself so is new enough.
func (o nodes) take(said string) bool {
	parts := nodeVersion.FindStringSubmatch(said)
	if parts == nil {
		return false
	}
	major, _ := strconv.Atoi(parts[1]) // digits
	minor, _ := strconv.Atoi(parts[2])
	if major > o[len(o)-1][0] {
		return true
	}
	i := slices.IndexFunc(o, func(v [2]int) bool { return v[0] == major })
	return i >= 0 && minor >= o[i][1]
}

// node is a folder with node_modules.
type node struct{ oldest nodes }

func (e node) lacking(ctx context.Context, m machine, n Named) error {
	path, ok := look(m.env, "node")
	if !ok {
		return needs(n.Needs, fmt.Errorf("node was %w", errNotFound))
	}
	if _, ok := look(m.env, "npm"); !ok {
		return needs(n.Needs, fmt.Errorf("npm was %w", errNotFound))
	}
	said, err := m.run(ctx, "", path, "--version")
	if err != nil || !e.oldest.take(said) {
		return needs(n.Needs, fmt.Errorf("%s is %s", path, lastLine(said, err)))
	}
	return nil
}

// asked is the lock file, or the one package that was named.
func (node) asked(c Cache, n Named) ([]byte, error) {
	if n.pinned() {
		return fs.ReadFile(c.Files, n.Name+"/package-lock.json")
	}
	return json.MarshalIndent(map[string]any{
		"name": "kcompare-" + n.Name, "private": true, "dependencies": map[string]string{n.Package: n.of},
	}, "", "  ")
}

func (e node) build(ctx context.Context, j job) ([]pkg, error) {
	npm, _ := look(j.machine.env, "npm")
	args, err := e.write(j)
	if err != nil {
		return nil, err
	}
	j.say("npm brings " + j.Package + " " + j.of)
	args = append(args, "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", "--no-progress")
	if _, err := j.machine.run(ctx, j.dir, npm, args...); err != nil {
		return nil, err
	}
	return j.checkModule()
}

// write writes what npm reads, and says how it is called for that.
func (e node) write(j job) ([]string, error) {
	asked, err := e.asked(j.cache, j.Named)
	if err != nil {
		return nil, err
	}
	if !j.pinned() {
		return []string{"install"}, os.WriteFile(j.path("package.json"), asked, 0o644)
	}
	project, err := j.shippedFile("package.json")
	if err != nil {
		return nil, err
	}
	return []string{"ci"}, errors.Join(
		os.WriteFile(j.path("package.json"), project, 0o644),
		os.WriteFile(j.path("package-lock.json"), asked, 0o644),
	)
}

// checkModule makes sure that npm brought what it was asked for, and lists all that it
// brought.
func (j job) checkModule() ([]pkg, error) {
	var module struct{ Version string }
	if err := readJSON(j.path("node_modules", j.Package, "package.json"), &module); err != nil {
		return nil, err
	}
	if module.Version != j.of {
		return nil, fmt.Errorf("npm brought %s %s, asked for was %s", j.Package, module.Version, j.of)
	}
	var lock struct {
		Packages map[string]struct{ Version, Integrity string }
	}
	if err := readJSON(j.path("node_modules", ".package-lock.json"), &lock); err != nil {
		return nil, err
	}
	packages := []pkg{}
	for name, p := range lock.Packages {
		packages = append(packages, pkg{strings.TrimPrefix(name, "node_modules/"), p.Version, p.Integrity})
	}
	slices.SortFunc(packages, func(a, b pkg) int { return strings.Compare(a.Name, b.Name) })
	return packages, nil
}

func readJSON(file string, into any) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// command starts the program beside node_modules, where Node looks for them.
func (node) command(_ context.Context, c Cache, n Named) ([]string, error) {
	path, ok := look(c.Env, "node")
	if !ok {
		return nil, fmt.Errorf("node was %w", errNotFound)
	}
	program, err := c.program(n, "client.mjs")
	return []string{path, program}, err
}
