package install

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	needsJava  = "a JDK 17 or later, and Maven"
	oldestJava = 17

	javaSource  = "Client.java"
	javaClasses = "classes"
)

// java is a folder with jars, and with the classes of the program. That is one source file,
// which Java would compile each time it starts it, for as long as a whole trial takes.
type java struct{}

// javaProgram is that of JAVA_HOME, or of PATH. What it leads to is our own child; a
// link that a system changes would not matter.
func javaProgram(env []string) (string, bool) {
	if home := getenv(env, "JAVA_HOME"); home != "" {
		path := filepath.Join(home, "bin", "java")
		_, err := os.Stat(path)
		return path, err == nil
	}
	return look(env, "java")
}

var javaModules = regexp.MustCompile(`(?m)^java\.base@(\d+)`)

func (java) lacking(ctx context.Context, m machine, n Named) error {
	path, ok := javaProgram(m.env)
	if !ok {
		return needs(n.Needs, fmt.Errorf("java was %w", errNotFound))
	}
	if _, ok := look(m.env, "mvn"); !ok {
		return needs(n.Needs, fmt.Errorf("mvn was %w", errNotFound))
	}
	said, err := m.run(ctx, "", path, "--list-modules")
	found := javaModules.FindStringSubmatch(said)
	if err != nil || found == nil {
		return needs(n.Needs, fmt.Errorf("%s is older, or none: set JAVA_HOME", path))
	}
	release, _ := strconv.Atoi(found[1]) // digits
	switch {
	case release < oldestJava:
		return needs(n.Needs, fmt.Errorf("%s is %d: set JAVA_HOME", path, release))
	case !strings.Contains(said, "jdk.compiler@"):
		return needs(n.Needs, fmt.Errorf("%s has no compiler: it is a JRE", path))
	}
	return nil
}

// asked is the list of jars with their hashes, or the pom with another version, and the
// program.
func (java) asked(c Cache, n Named) ([]byte, error) {
	pins, version := "pom.xml", n.of
	if n.pinned() {
		pins, version = "jars.sha256", ""
	}
	list, err1 := fs.ReadFile(c.Files, n.Name+"/"+pins)
	program, err2 := fs.ReadFile(c.Files, n.Name+"/"+javaSource)
	return slices.Concat(list, []byte(version), program), errors.Join(err1, err2)
}

// copyDependencies is pinned, as the jars are.
const copyDependencies = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"

func (java) build(ctx context.Context, j job) ([]pkg, error) {
	mvn, _ := look(j.machine.env, "mvn")
	pom, err := j.shippedFile("pom.xml")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(j.path("pom.xml"), pom, 0o644); err != nil {
		return nil, err
	}
	j.say("mvn brings " + j.Package + " " + j.of)
	_, err = j.machine.run(ctx, j.dir, mvn, "--batch-mode", "--quiet", "--no-transfer-progress", "-Dstyle.color=never",
		"--update-snapshots", // ask again for what was not there yesterday
		"-Dkafka.version="+j.of, copyDependencies, "-DincludeScope=runtime", "-DoutputDirectory="+j.path("lib"))
	if err != nil {
		return nil, err
	}
	packages, err := jarsIn(j.path("lib"))
	if err == nil && j.pinned() {
		err = j.compareJars(packages)
	}
	if err != nil {
		return nil, err
	}
	return packages, j.compile(ctx, packages)
}

// compile needs the JDK's launcher alone: the compiler is one of its modules, which knows
// nothing of wildcards in a class path.
func (j job) compile(ctx context.Context, jars []pkg) error {
	source, err := j.cache.program(j.Named, javaSource)
	if err != nil {
		return err
	}
	var classPath []string
	for _, jar := range jars {
		classPath = append(classPath, j.path("lib", jar.Name))
	}
	launcher, _ := javaProgram(j.machine.env)
	j.say("java compiles " + javaSource)
	_, err = j.machine.run(ctx, j.dir, launcher, "--module", "jdk.compiler/com.sun.tools.javac.Main",
		"-d", j.path(javaClasses), "-cp", strings.Join(classPath, string(filepath.ListSeparator)), source)
	return err
}

func (j job) compareJars(packages []pkg) error {
	lock, err := j.shippedFile("jars.sha256")
	if err != nil {
		return err
	}
	return compareJars(lock, packages)
}

func jarsIn(dir string) ([]pkg, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.jar"))
	if err != nil {
		return nil, err
	}
	packages := []pkg{}
	for _, file := range files {
		jar, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(jar)
		packages = append(packages, pkg{Name: filepath.Base(file), Hash: hex.EncodeToString(sum[:])})
	}
	return packages, nil
}

// compareJars holds jars to a list as sha256sum writes it.
func compareJars(lock []byte, jars []pkg) error {
	want := map[string]string{}
	for line := range strings.Lines(string(lock)) {
		hash, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		want[name] = hash
	}
	for _, jar := range jars {
		expected, known := want[jar.Name]
		switch {
		case !known:
			return fmt.Errorf("mvn brought %s, which the lock file does not have", jar.Name)
		case expected != jar.Hash:
			return fmt.Errorf("%s has the hash %s, the lock file has %s", jar.Name, jar.Hash, expected)
		}
		delete(want, jar.Name)
	}
	if len(want) > 0 {
		return fmt.Errorf("mvn did not bring %s", strings.Join(slices.Sorted(maps.Keys(want)), ", "))
	}
	return nil
}

// command has the options that make a short run short.
func (java) command(c Cache, n Named) ([]string, error) {
	path, ok := javaProgram(c.Env)
	if !ok {
		return nil, fmt.Errorf("java was %w", errNotFound)
	}
	classes, lib := filepath.Join(c.folderOf(n), javaClasses), filepath.Join(c.folderOf(n), "lib", "*")
	return []string{
		path, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto",
		"-cp", classes + string(filepath.ListSeparator) + lib, "Client",
	}, nil
}
