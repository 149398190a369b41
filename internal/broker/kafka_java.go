package broker

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// java is a Java that was found.
type java struct {
	path    string // the program itself, not a script that chooses one
	release int    // 17
	build   string // 17.0.15+6
}

// findJava asks the java of JAVA_HOME or PATH for its home. The one on PATH may be
// a script; the program must be our own child, or it would outlive us.
func findJava(ctx context.Context, c *children, env []string) (java, error) {
	name, ok := program(env, "java")
	if home := getenv(env, "JAVA_HOME"); home != "" {
		name, ok = executable(filepath.Join(home, "bin", "java"))
	}
	if !ok {
		return java{}, errors.New("no java in JAVA_HOME or PATH: install Java 17 or later")
	}
	cmd := exec.Command(name, "-XshowSettings:properties", "-version")
	cmd.Env = env
	out, err := c.run(ctx, cmd)
	if err != nil {
		return java{}, fmt.Errorf("ask %s for its version: %w: install Java 17 or later", name, err)
	}
	j, err := readJava(out)
	if err != nil {
		return java{}, fmt.Errorf("ask %s for its version: %w", name, err)
	}
	return j, nil
}

var (
	javaHome    = regexp.MustCompile(`(?m)^\s*java\.home = (.+?)\s*$`)
	javaBuild   = regexp.MustCompile(`(?m)^\s*java\.vm\.version = (.+?)\s*$`)
	javaRelease = regexp.MustCompile(`(?m)^\s*java\.specification\.version = (?:1\.)?(\d+)\s*$`)
)

// readJava reads what -XshowSettings:properties prints.
func readJava(out string) (java, error) {
	home, release, build := javaHome.FindStringSubmatch(out), javaRelease.FindStringSubmatch(out), javaBuild.FindStringSubmatch(out)
	if home == nil || release == nil || build == nil {
		return java{}, fmt.Errorf("expected java.home, java.specification.version and java.vm.version, got %q", out)
	}
	n, err := strconv.Atoi(release[1])
	return java{path: filepath.Join(home[1], "bin", "java"), release: n, build: build[1]}, err
}

// canRun is an error if a release of Kafka needs a newer Java.
func (j java) canRun(version string) error {
	needs := 17
	if strings.HasPrefix(version, "3.") {
		needs = 11
	}
	if j.release < needs {
		return fmt.Errorf("Kafka %s needs Java %d or later, and %s is %d: install a newer one, or set JAVA_HOME", version, needs, j.path, j.release)
	}
	return nil
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

// program finds a program in the PATH of an environment.
func program(env []string, name string) (string, bool) {
	for _, dir := range filepath.SplitList(getenv(env, "PATH")) {
		if path, ok := executable(filepath.Join(dir, name)); ok {
			return path, true
		}
	}
	return "", false
}

func executable(path string) (string, bool) {
	if !filepath.IsAbs(path) {
		return "", false // as os/exec: not what lies around in the working directory
	}
	path, err := exec.LookPath(path)
	return path, err == nil
}
