package broker

import (
	"archive/zip"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// jars is a directory with everything that a server needs on its class path.
type jars struct {
	dir     string
	version string // as the jars say
	cached  bool   // ours to add to
}

// Jars is the directory with the jars of a release, Kafka's clients among them, which it
// brings with Maven if they are not there yet. It is for those who ask the jars
// something without starting a server. Only Version, Env, Cache and Progress matter.
func Jars(ctx context.Context, opts KafkaOptions) (string, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return "", err
	}
	found, err := findJars(ctx, opts)
	return found.dir, err
}

// findJars takes KAFKA_HOME if it is set, the cache otherwise, and fills the cache
// if it has to.
func findJars(ctx context.Context, opts KafkaOptions) (jars, error) {
	if home := getenv(opts.Env, "KAFKA_HOME"); home != "" {
		return homeJars(home, opts.Version)
	}
	version := opts.Version
	if version == "" {
		version = DefaultKafkaVersion
	}
	if !supported(version) {
		return jars{}, fmt.Errorf("version %q: expected a release from 3.9 on, such as %s", version, DefaultKafkaVersion)
	}
	dir := filepath.Join(opts.Cache, "kafka-"+version)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		if err := resolve(ctx, opts, server(version), dir); err != nil {
			return jars{}, err
		}
	}
	found, err := readJars(dir)
	found.cached = true
	return found, err
}

var release = regexp.MustCompile(`^(\d+)\.(\d+)\.\d+$`)

// supported says whether a version is that of a release from 3.9 on. Those before
// have no feature levels, and other names for the tools.
func supported(version string) bool {
	parts := release.FindStringSubmatch(version)
	if parts == nil {
		return false
	}
	major, errMajor := strconv.Atoi(parts[1])
	minor, errMinor := strconv.Atoi(parts[2])
	return errMajor == nil && errMinor == nil && (major > 3 || major == 3 && minor >= 9)
}

// homeJars is the jars of an unpacked Kafka.
func homeJars(home, wanted string) (jars, error) {
	j, err := readJars(filepath.Join(home, "libs"))
	if err != nil {
		return jars{}, fmt.Errorf("KAFKA_HOME: %w", err)
	}
	if wanted != "" && wanted != j.version {
		return jars{}, fmt.Errorf("KAFKA_HOME has Kafka %s, asked for is %s: unset KAFKA_HOME, or ask for what it has", j.version, wanted)
	}
	return j, nil
}

// readJars looks up in the jars which release they are.
func readJars(dir string) (jars, error) {
	found, err := fs.Glob(os.DirFS(dir), "kafka-clients-*.jar")
	if err != nil {
		return jars{}, fmt.Errorf("jars in %s: %w", dir, err)
	}
	if len(found) != 1 {
		return jars{}, fmt.Errorf("jars in %s: %d of kafka-clients, expected one", dir, len(found))
	}
	version, err := jarVersion(filepath.Join(dir, found[0]))
	if err != nil {
		return jars{}, fmt.Errorf("version of %s in %s: %w", found[0], dir, err)
	}
	return jars{dir: dir, version: version}, nil
}

// jarVersion reads the file from which Kafka itself takes its version.
func jarVersion(jar string) (string, error) {
	archive, err := zip.OpenReader(jar)
	if err != nil {
		return "", err
	}
	defer func() { _ = archive.Close() }() // it was only read
	properties, err := fs.ReadFile(archive, "kafka/kafka-version.properties")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(properties)) {
		if version, ok := strings.CutPrefix(line, "version="); ok {
			return strings.TrimSpace(version), nil
		}
	}
	return "", errors.New("no line with version= in kafka-version.properties")
}

// kafkaPOM names what Maven has to bring; the release is a property.
//
//go:embed kafka-pom.xml
var kafkaPOM []byte

// bundle is jars that Maven brings together.
type bundle struct {
	name    string // "the jars of Kafka 4.4.0"
	version string
	pom     []byte
	check   func(dir string) error // whether all is there
}

func server(version string) bundle {
	return bundle{name: "the jars of Kafka " + version, version: version, pom: kafkaPOM, check: hasJars}
}

func hasJars(dir string) error {
	_, err := readJars(dir)
	return err
}

// copyDependencies is pinned, as the jars are.
const copyDependencies = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"

// resolve fills a directory of the cache. Maven works in another one beside it,
// which gets its name only when it is complete.
func resolve(ctx context.Context, opts KafkaOptions, b bundle, dir string) error {
	mvn, ok := program(opts.Env, "mvn")
	if !ok {
		return fmt.Errorf("%s are not in %s, and there is no mvn in PATH to bring them: install Apache Maven, or set KAFKA_HOME", b.name, opts.Cache)
	}
	work, err := claimCacheDir(ctx, opts.Cache)
	if err != nil {
		return err
	}
	opts.Progress(fmt.Sprintf("mvn brings %s into %s (once)", b.name, dir))
	err = runMaven(ctx, mvn, opts.Env, work, b)
	if err == nil {
		err = publish(filepath.Join(work, "libs"), dir, b.check)
	}
	return joined([]error{err, os.RemoveAll(work)})
}

// claimCacheDir makes a directory to work in, and removes those of processes that
// were killed while they worked.
func claimCacheDir(ctx context.Context, cache string) (string, error) {
	const prefix = "kafka-working-"
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", fmt.Errorf("make the cache of jars: %w", err)
	}
	if err := cleanDirs(ctx, cache, prefix); err != nil {
		return "", err
	}
	return claimDir(cache, prefix)
}

func runMaven(ctx context.Context, mvn string, env []string, work string, b bundle) error {
	if err := os.WriteFile(filepath.Join(work, "pom.xml"), b.pom, 0o644); err != nil {
		return fmt.Errorf("write the pom of %s: %w", b.name, err)
	}
	cmd := exec.Command(mvn, "--batch-mode", "--quiet", "--no-transfer-progress", "-Dstyle.color=never",
		"--update-snapshots", // ask again for what was not there yesterday
		"-Dkafka.version="+b.version, copyDependencies, "-DincludeScope=runtime", "-DoutputDirectory="+filepath.Join(work, "libs"))
	cmd.Dir, cmd.Env = work, env
	c := newChildren(work)
	defer c.close()
	if out, err := c.run(ctx, cmd); err != nil {
		return fmt.Errorf("bring %s with mvn: %w: %s", b.name, err, mavenError(out))
	}
	return nil
}

// mavenError is the first line of what Maven complains about, which may begin with
// the end of a colour; the others say how to ask Maven for more.
func mavenError(out string) string {
	for line := range strings.Lines(out) {
		if _, text, ok := strings.Cut(line, "[ERROR] "); ok {
			text, _, _ = strings.Cut(text, " -> [Help")
			return strings.TrimSpace(text)
		}
	}
	return strings.TrimSpace(out)
}

// publish gives a complete directory its name. Somebody else may have been
// quicker; theirs is as good.
func publish(libs, dir string, check func(string) error) error {
	if err := check(libs); err != nil {
		return fmt.Errorf("mvn ended well, but: %w", err)
	}
	err := os.Rename(libs, dir)
	if _, there := os.Stat(dir); err != nil && there != nil {
		return fmt.Errorf("move the jars into the cache: %w", err)
	}
	return nil
}
