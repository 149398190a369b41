package install

import (
	"context"
	"io/fs"
	"path/filepath"
)

// environment is how the clients of a language are made ready and started.
type environment interface {
	// lacking is an error that says what this machine lacks, and what to do.
	lacking(context.Context, machine, Named) error

	// asked is what decides what the folder holds: the lock file where there is one.
	asked(Cache, Named) ([]byte, error)

	// build fills the folder of the client, which is empty.
	build(context.Context, job) ([]pkg, error)

	// command starts the program of a client that is ready. It is quick but for the first
	// time after the program has changed.
	command(context.Context, Cache, Named) ([]string, error)
}

// job is one client that is being made ready.
type job struct {
	Named

	cache   Cache
	machine machine
	dir     string
	say     func(line string)
}

// path is a file in the client's folder.
func (j job) path(elem ...string) string {
	return filepath.Join(append([]string{j.dir}, elem...)...)
}

// shippedFile is a file of the client's shipped folder.
func (j job) shippedFile(name string) ([]byte, error) {
	return fs.ReadFile(j.cache.Files, j.Name+"/"+name)
}
