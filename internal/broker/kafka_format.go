package broker

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// format writes what a server wants to find in its directory before its first
// start: who it is, and the feature levels of the cluster. Kafka's own tool does
// it for the first node. The others get a copy, because the tool takes a second,
// and only meta.properties differs: a server adds the directory.id that it misses
// there (kafka.server.KafkaRaftServer.initializeLogDirs).
func format(ctx context.Context, c *children, vm jvm, nodes []*node, features map[string]int16) error {
	id := newClusterID()
	args := []string{"format", "--cluster-id", id, "--config", nodes[0].properties()}
	for _, name := range slices.Sorted(maps.Keys(features)) {
		args = append(args, "--feature", fmt.Sprintf("%s=%d", name, features[name]))
	}
	out, err := c.run(ctx, vm.command(nodes[0].dir, "kafka.tools.StorageTool", args...))
	if err != nil {
		return fmt.Errorf("format with features %v: %w; the tool said:\n%s", features, err, tail(out, 12))
	}
	for _, n := range nodes[1:] {
		if err := n.formatLike(nodes[0], id); err != nil {
			return fmt.Errorf("format node %d: %w", n.id, err)
		}
	}
	return nil
}

func (n *node) formatLike(first *node, clusterID string) error {
	if err := os.CopyFS(n.data(), os.DirFS(first.data())); err != nil {
		return err
	}
	meta := fmt.Sprintf("version=1\ncluster.id=%s\nnode.id=%d\n", clusterID, n.id)
	return os.WriteFile(filepath.Join(n.data(), "meta.properties"), []byte(meta), 0o600)
}

// newClusterID is a fresh name in the form that Kafka wants, a UUID in base64. It
// is in no evidence, so that the seed has no say in it.
func newClusterID() string {
	var id [16]byte
	rand.Read(id[:]) // never fails
	id[0] &= 0x7f    // no leading "-", which would look like an option
	return base64.RawURLEncoding.EncodeToString(id[:])
}
