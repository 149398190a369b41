package broker

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Tools is what starts the tools that come with Apache Kafka, such as
// kafka-producer-perf-test.
type Tools struct {
	Java      string // the program
	Build     string // of Java: "17.0.15+6-Debian-1deb12u1"
	ClassPath string // with the tools, the server's jars and the clients'
	Version   string // of Kafka
}

// FindTools finds a Java and the tools of a release, and brings with Maven what is not there
// yet. Only Version, Dir, Env, Cache and Progress matter. Its errors say what to install.
func FindTools(ctx context.Context, opts KafkaOptions) (Tools, error) {
	tools, err := findTools(ctx, opts)
	if err != nil {
		return Tools{}, fmt.Errorf("tools of Apache Kafka: %w", err)
	}
	return tools, nil
}

func findTools(ctx context.Context, opts KafkaOptions) (Tools, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return Tools{}, err
	}
	found, err := askForJava(ctx, opts)
	if err != nil {
		return Tools{}, err
	}
	server, err := findJars(ctx, opts)
	if err != nil {
		return Tools{}, err
	}
	if err := found.canRun(server.version); err != nil {
		return Tools{}, err
	}
	path, err := server.withTools(ctx, opts)
	return Tools{Java: found.path, Build: found.build, ClassPath: path, Version: server.version}, err
}

// askForJava finds the java of somebody who starts no server.
func askForJava(ctx context.Context, opts KafkaOptions) (java, error) {
	dir, err := claimDir(opts.Dir, kafkaDirs)
	if err != nil {
		return java{}, err
	}
	c := newChildren(dir)
	found, err := findJava(ctx, c, opts.Env)
	c.close()
	return found, joined([]error{err, os.RemoveAll(dir)})
}

//go:embed kafka-tools-pom.xml
var toolsPOM []byte

// withTools is the class path of the server's jars with the tools in it. An unpacked Kafka
// has them among its own.
func (j jars) withTools(ctx context.Context, opts KafkaOptions) (string, error) {
	all := filepath.Join(j.dir, "*")
	if !j.cached {
		return all, hasTools(j.dir)
	}
	dir := filepath.Join(opts.Cache, "kafka-tools-"+j.version)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		b := bundle{name: "the jars of the tools of Kafka " + j.version, version: j.version, pom: toolsPOM, check: hasTools}
		if err := resolve(ctx, opts, b, dir); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, "*") + string(filepath.ListSeparator) + all, hasTools(dir)
}

func hasTools(dir string) error {
	found, err := fs.Glob(os.DirFS(dir), "kafka-tools-[0-9]*.jar")
	if err == nil && len(found) != 1 {
		err = fmt.Errorf("%d of kafka-tools, expected one", len(found))
	}
	if err != nil {
		return fmt.Errorf("jars in %s: %w", dir, err)
	}
	return nil
}
