package broker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// A start of Kafka is mostly Java reading 10,000 classes. An archive of them
// (JEP 350, class data sharing) takes half of that off every start, and a quarter
// off the memory. It lies with the jars in the cache, one for each build of Java.

// stoppingTime bounds an orderly end of a server with nobody connected, the
// writing of the archive included.
const stoppingTime = time.Minute

// archives says whether this Java can write one.
func (j java) archives() bool { return j.release >= 13 }

// withArchive is vm with the archive of its classes, which is made if it is not
// there yet. Java goes on without an archive that does not suit it.
func withArchive(ctx context.Context, opts KafkaOptions, vm jvm, j java) (jvm, error) {
	path := filepath.Join(vm.libs, "classes-"+j.build+".jsa")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		opts.Progress(fmt.Sprintf("one start to make %s (once)", path))
		if err := makeArchive(ctx, opts.Cache, vm, path); err != nil {
			return vm, fmt.Errorf("make %s: %w", path, err)
		}
	}
	vm.flags = []string{"-XX:SharedArchiveFile=" + path}
	return vm, nil
}

// makeArchive starts a node that notes the classes it uses, and stops it in good
// order, because only then Java writes them.
func makeArchive(ctx context.Context, cache string, vm jvm, path string) error {
	dir, err := claimCacheDir(ctx, cache)
	if err != nil {
		return err
	}
	k := newKafka(dir)
	return joined([]error{k.train(ctx, vm, path), k.Close()})
}

func (k *Kafka) train(ctx context.Context, vm jvm, path string) error {
	made := filepath.Join(k.dir, "classes.jsa")
	noting := vm
	noting.flags = []string{"-XX:ArchiveClassesAtExit=" + made}
	if err := k.boot(ctx, vm, noting, KafkaOptions{Nodes: 1}); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, stoppingTime, fmt.Errorf("not down within %v", stoppingTime))
	defer cancel()
	if err := k.nodes[0].stop(ctx); err != nil {
		return err
	}
	return os.Rename(made, path)
}
