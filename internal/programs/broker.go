package programs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"kcompare/internal/broker"
)

// nodes is as many as `kcompare run` has.
const nodes = 3

// serve starts a broker with topics ("orders:3") and says where it is.
func serve(ctx context.Context, topics []string) (servers string, stop func(), err error) {
	cluster, err := broker.StartEmbedded(nodes)
	if err != nil {
		return "", nil, err
	}
	stop = func() { _ = cluster.Close() } // always nil
	if err := create(ctx, cluster, topics); err != nil {
		stop()
		return "", nil, err
	}
	return strings.Join(slices.Sorted(maps.Values(cluster.Addrs())), ","), stop, nil
}

func create(ctx context.Context, cluster broker.Cluster, topics []string) error {
	var all []broker.Topic
	for _, text := range topics {
		name, count, _ := strings.Cut(text, ":")
		partitions, err := strconv.ParseInt(count, 10, 32)
		if err != nil || partitions < 1 {
			return fmt.Errorf("topic %q: expected a name and how many partitions, as orders:3", text)
		}
		all = append(all, broker.Topic{Name: name, Partitions: int32(partitions)})
	}
	reader, err := broker.NewReader(cluster.Addrs(), cluster.Access())
	if err != nil {
		return err
	}
	defer reader.Close()
	if _, err := reader.CreateTopics(ctx, all); err != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	return nil
}
