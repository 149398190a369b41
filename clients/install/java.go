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

	"kcompare/internal/child"
)

const (
	needsJava  = "a JDK 17 or later, and Maven"
	oldestJava = 17

	javaSource  = "Client.java"
	javaClasses = "classes"
)

// java is a folder with jars. Its program is one source file, which is compiled once: Java
// would do it each time it starts it, for 3 to 4 s of CPU in the place of 0.2.
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

// asked is the list of jars with their hashes, or the pom with another version.
func (java) asked(c Cache, n Named) ([]byte, error) {
	if n.pinned() {
		return fs.ReadFile(c.Files, n.Name+"/jars.sha256")
	}
	pom, err := fs.ReadFile(c.Files, n.Name+"/pom.xml")
	return slices.Concat(pom, []byte(n.of)), err
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
	return packages, nil
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

// javaOptions make a short run short, and leave stdout to the protocol: that is where
// HotSpot writes its own warnings.
func javaOptions() []string {
	return append([]string{"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"}, javaLogging()...)
}

func javaLogging() []string {
	return []string{"-Xshare:auto", "-Xlog:disable", "-Xlog:all=warning:stderr"}
}

// command starts the compiled program.
func (java) command(ctx context.Context, c Cache, n Named) ([]string, error) {
	path, ok := javaProgram(c.Env)
	if !ok {
		return nil, fmt.Errorf("java was %w", errNotFound)
	}
	program, err := c.program(n, javaSource)
	if err != nil {
		return nil, err
	}
	lib, classes := filepath.Join(c.folderOf(n), "lib", "*"), filepath.Join(filepath.Dir(program), javaClasses)
	if _, err := os.Stat(classes); err != nil {
		if err := compile(ctx, c, path, filepath.Dir(lib), classes, program); err != nil {
			return nil, fmt.Errorf("compile the program of %s: %w", n.Name, err)
		}
	}
	options := javaOptions()
	if c.Sustained {
		options = javaLogging()
	}
	command := append([]string{path}, options...)
	return append(command, "-cp", classes+string(filepath.ListSeparator)+lib, "Client"), nil
}

// compile makes the folder of classes at once, or not at all. Somebody else may have been
// quicker; theirs are as good. The compiler is a module of the JDK, and knows nothing of
// wildcards in a class path.
func compile(ctx context.Context, c Cache, path, lib, classes string, programs ...string) error {
	jars, err := filepath.Glob(filepath.Join(lib, "*.jar"))
	if err != nil {
		return err
	}
	starter := child.NewStarter()
	defer starter.Close()
	work, err := os.MkdirTemp(filepath.Dir(classes), "compiling-*")
	if err != nil {
		return err
	}
	args := append(javaOptions(), "-m", "jdk.compiler/com.sun.tools.javac.Main", "-proc:none",
		"--release", strconv.Itoa(oldestJava), "-cp", strings.Join(jars, string(filepath.ListSeparator)), "-d", work)
	args = append(args, programs...)
	_, err = machine{c.Env, starter}.run(ctx, "", path, args...)
	if err == nil {
		err = os.Rename(work, classes)
		if _, there := os.Stat(classes); there == nil {
			err = nil
		}
	}
	return errors.Join(err, os.RemoveAll(work))
}
