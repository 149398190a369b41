package kafkatools

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func quoted(line string) string { return strconv.Quote(strings.TrimSuffix(line, "\n")) }

func TestProperties(t *testing.T) {
	t.Parallel()
	props, differ, err := properties(map[string]string{
		"acks": "all", "linger.ms": "0.5", "queue.buffering.max.kbytes": "32", "queue.buffering.max.messages": "1000",
		"partitioner": "murmur2_random", "compression.type": "lz4",
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("acks=all\nbuffer.memory=32768\ncompression.type=lz4\nlinger.ms=1\n", propertiesFile(props)); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
	want := []string{
		"linger.ms: rounded up to whole milliseconds",
		"partitioner: records without a key take turns by batch, not one by one (KIP-794)",
		"queue.buffering.max.messages: kafka-clients limits its buffer by bytes alone",
	}
	if diff := cmp.Diff(want, differ); diff != "" {
		t.Errorf("differences (-want +got):\n%s", diff)
	}
}

func TestInexpressible(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		tool             tool
		key, value, want string
	}{
		{perfTest{}, "acks", "1", ""},
		{perfTest{}, "sticky.partitioning.linger.ms", "5", "sticky.partitioning.linger.ms=5 cannot be expressed by kafka-producer-perf-test: kafka-clients has nothing like it"},
		{perfTest{}, "fetch.min.bytes", "5", ""}, // of a consumer
		{perfTest{}, "partitioner", "random", "partitioner=random cannot be expressed by kafka-producer-perf-test: kafka-clients always does as with murmur2_random"},
		{perfTest{}, "sasl.password", "x", "sasl.password=... cannot be expressed by kafka-producer-perf-test: the tool is only told of brokers in plain text"},
		{perfTest{}, "client.id", "a\nb", "client.id=a\nb cannot be expressed by kafka-producer-perf-test: expected printable ASCII without backslashes"},
		{copier{}, "acks", "all", ""},
		{copier{}, "batch.size", "131072", "batch.size=131072 cannot be expressed by transactional-message-copier: the copier has 512, and takes no settings"},
		{copier{}, "client.id", "a", "client.id=a cannot be expressed by transactional-message-copier: the copier takes no settings"},
	} {
		_, err := test.tool.differences(map[string]string{test.key: test.value})
		if got := said(err); got != test.want {
			t.Errorf("of %s=%s said %q, expected %q", test.key, test.value, got, test.want)
		}
	}
}
