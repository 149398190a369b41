package broker

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/internal/broker/brokertest"
)

// TestEmbeddedServes: on the ports that were asked for, and a topic comes into being
// when a client asks for one.
func TestEmbeddedServes(t *testing.T) {
	port, err := takePort(anyPort)
	if err != nil {
		t.Fatal(err)
	}
	defer port.release()
	e, err := StartEmbedded(2, append(AutoCreateTopics(), OnPorts(port.number, 0))...)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if got := e.Addrs(); got[0] != port.addr() || len(got) != 2 {
		t.Errorf("addresses %v, want %s and another", got, port.addr())
	}
	cl := producer(t, e, kgo.AllowAutoTopicCreation())
	if err := cl.ProduceSync(withTimeout(t, patience), &kgo.Record{Topic: "new"}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	topics, err := reader(t, e).Topics(withTimeout(t, patience))
	if err != nil {
		t.Fatal(err)
	}
	if len(topics) != 1 || topics[0].Name != "new" || len(topics[0].Partitions) != 1 {
		t.Errorf("topics %+v, want new with one partition", topics)
	}
	if _, err := StartEmbedded(1, OnPorts(port.number)); !errors.Is(err, syscall.EADDRINUSE) || !strings.Contains(err.Error(), port.addr()) {
		t.Errorf("error %v, want one that names %s as in use", err, port.addr())
	}
}

func portOf(t *testing.T, addr string) int {
	t.Helper()
	at, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	return at.Port
}

// TestPortInUse: a Kafka whose port is taken is not started, and leaves nothing.
func TestPortInUse(t *testing.T) {
	brokertest.NeedKafka(t)
	fillCache(t)
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dir, port := t.TempDir(), portOf(t, l.Addr().String())
	_, err = StartKafka(withTimeout(t, starting), KafkaOptions{Nodes: 1, Ports: []int{port}, Dir: dir})
	want := fmt.Sprintf("take port %d of 127.0.0.1", port)
	if !errors.Is(err, syscall.EADDRINUSE) || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s, in use", err, want)
	}
	if diff := cmp.Diff([]string(nil), entries(t, dir)); diff != "" {
		t.Errorf("left behind: %s", diff)
	}
}

// expectWatched: whoever serves a cluster learns that its server has ended, and that
// it was told to stop.
func expectWatched(t *testing.T, k *Kafka) {
	t.Helper()
	ended, end := context.WithCancel(t.Context())
	end()
	if err := k.Watch(ended); err != nil {
		t.Errorf("after Ctrl-C: %v", err)
	}
	k.nodes[0].kill()
	err := k.Watch(withTimeout(t, patience))
	if err == nil || !strings.HasPrefix(err.Error(), "node 0 ended by itself") || !strings.Contains(err.Error(), "last lines of the log") {
		t.Errorf("error %v, want that of node 0 with the end of its log", err)
	}
}
