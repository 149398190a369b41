package broker

import (
	"os"
	"path/filepath"
	"testing"

	"kcompare/internal/broker/brokertest"
)

// TestArchiveIsMade: on a machine that has one already, no other test makes an archive;
// the first start on a new one broke unseen.
func TestArchiveIsMade(t *testing.T) {
	brokertest.NeedKafka(t)
	ctx, opts := withTimeout(t, starting), KafkaOptions{Env: ownJars(), Dir: t.TempDir()}
	opts, err := opts.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	java, err := findJava(ctx, newChildren(t.TempDir()), opts.Env)
	if err != nil {
		t.Fatal(err)
	}
	jars, err := findJars(ctx, opts)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "classes.jsa")
	if err := makeArchive(ctx, t.TempDir(), jvm{java: java.path, libs: jars.dir, env: opts.Env}, path); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() < 1<<20 {
		t.Errorf("archive: %v, %v, expected megabytes", info, err)
	}
}
