package proxy

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// tapes have what passed each connection of a proxy, on both of its sides. What a
// broker got and gave is taken at kfake's own connection; what a client gave and
// got, at the proxy's end of it, because librdkafka lets nobody into its own.
type tapes struct {
	mu      sync.Mutex
	brokers map[ends]*tape
	pairs   []pair
}

type pair struct {
	client *tape
	broker ends
}

// ends are the addresses of a connection between the proxy and a broker. One of them
// names no connection: the system gives a port again while it is in use towards another
// broker.
type ends struct{ proxy, broker string }

// tape is a connection that remembers what is read from it and written to it.
type tape struct {
	duplex

	reading sync.Mutex
	read    []byte

	writing sync.Mutex
	written []byte
}

func (t *tape) Read(p []byte) (int, error) {
	n, err := t.duplex.Read(p)
	t.reading.Lock()
	defer t.reading.Unlock()
	t.read = append(t.read, p[:n]...)
	return n, err
}

// Write holds the lock while it writes: the other side may have read what was written, and
// hung up, before it is remembered here.
func (t *tape) Write(p []byte) (int, error) {
	t.writing.Lock()
	defer t.writing.Unlock()
	n, err := t.duplex.Write(p)
	if err != nil {
		return n, err // the other side is gone, and has got nothing of it that counts
	}
	t.written = append(t.written, p[:n]...)
	return n, err
}

// frames is what was read and what was written, frame by frame.
func (t *tape) frames() (read, written [][]byte) {
	t.reading.Lock()
	defer t.reading.Unlock()
	t.writing.Lock()
	defer t.writing.Unlock()
	return frames(t.read), frames(t.written)
}

// tapedCluster is a cluster that everything is recorded of.
func tapedCluster(t *testing.T) (*cluster, *tapes) {
	t.Helper()
	all := &tapes{brokers: map[ends]*tape{}}
	c := startCluster(t, func(o *Options) {
		o.tap = func(client, broker duplex) (duplex, duplex) {
			all.mu.Lock()
			defer all.mu.Unlock()
			taped := &tape{duplex: client}
			all.pairs = append(all.pairs, pair{client: taped, broker: ends{broker.LocalAddr().String(), broker.RemoteAddr().String()}})
			return taped, broker
		}
	}, kfake.ListenFn(func(network, address string) (net.Listener, error) {
		l, err := net.Listen(network, address)
		return tapedListener{Listener: l, all: all}, err
	}), kfake.SeedTopics(3, topic))
	return c, all
}

type tapedListener struct {
	net.Listener
	all *tapes
}

func (l tapedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	taped := &tape{duplex: conn.(*net.TCPConn)}
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	l.all.brokers[ends{conn.RemoteAddr().String(), conn.LocalAddr().String()}] = taped
	return taped, nil
}

// frames cuts what passed in one direction. A frame that was cut off stays as it is.
func frames(passed []byte) [][]byte {
	var all [][]byte
	from := newFrameReader(bytes.NewReader(passed), "tape")
	for at := 0; at < len(passed); {
		one, err := from.next()
		if err != nil {
			return append(all, passed[at:])
		}
		all, at = append(all, bytes.Clone(one)), at+len(one)
	}
	return all
}

// compared is what became of the frames of all connections.
type compared struct {
	requests    map[string]int // by API: all of them
	rewritten   map[string]int // by API: answers that came otherwise than they were sent
	differences []string       // what nothing allows
}

// compare holds the frames of both sides against each other by their hashes. The
// connections have ended.
func (all *tapes) compare(t *testing.T) compared {
	t.Helper()
	all.mu.Lock()
	defer all.mu.Unlock()
	c := compared{requests: map[string]int{}, rewritten: map[string]int{}}
	for _, p := range all.pairs {
		broker := all.brokers[p.broker]
		if broker == nil {
			t.Errorf("the broker at %s never saw the connection from %s", p.broker.broker, p.broker.proxy)
			continue
		}
		clientSaid, clientGot := p.client.frames()
		brokerGot, brokerSaid := broker.frames()
		c.answered(c.sent(clientSaid, brokerGot), brokerSaid, clientGot)
	}
	return c
}

// sent compares requests, and has their headers by correlation id.
func (c *compared) sent(gave, got [][]byte) map[int32]requestHeader {
	asked := map[int32]requestHeader{}
	if len(gave) != len(got) {
		c.differences = append(c.differences, fmt.Sprintf("a client sent %d requests, its broker got %d", len(gave), len(got)))
		return nil
	}
	for i := range gave {
		h, err := parseRequestHeader(gave[i])
		if err != nil || sha256.Sum256(gave[i]) != sha256.Sum256(got[i]) {
			c.differences = append(c.differences, fmt.Sprintf("request %s v%d changed on its way, or cannot be read (%v)", apiName(h.key), h.version, err))
		}
		asked[h.correlation] = h
		c.requests[apiName(h.key)]++
	}
	return asked
}

// answered compares answers. A client that hangs up may leave the last ones to
// nobody, so only those that it got are held against what was sent.
func (c *compared) answered(asked map[int32]requestHeader, gave, got [][]byte) {
	if len(got) > len(gave) {
		c.differences = append(c.differences, fmt.Sprintf("a broker sent %d answers, its client got %d", len(gave), len(got)))
		return
	}
	for i := range got {
		if sha256.Sum256(gave[i]) == sha256.Sum256(got[i]) {
			continue
		}
		correlation, _ := correlationOf(gave[i])
		h := asked[correlation]
		if err := mayDiffer(h, gave[i], got[i]); err != nil {
			c.differences = append(c.differences, fmt.Sprintf("answer %s v%d changed on its way: %v", apiName(h.key), h.version, err))
		}
		c.rewritten[apiName(h.key)]++
	}
}

// mayDiffer allows the seven answers with addresses to have others, and ApiVersions
// to have lower maxima. Everything else in them has to be the same.
func mayDiffer(h requestHeader, gave, got []byte) error {
	var mask []string
	switch kmsg.Key(h.key) {
	case kmsg.Metadata, kmsg.FindCoordinator, kmsg.DescribeCluster, kmsg.Produce, kmsg.Fetch, kmsg.ShareFetch, kmsg.ShareAcknowledge:
		mask = []string{"Host", "Port"}
	case kmsg.ApiVersions:
		mask = []string{"MaxVersion"}
	default:
		return fmt.Errorf("it has no addresses")
	}
	var masked [2][]byte
	for i, frame := range [][]byte{gave, got} {
		resp := kmsg.ResponseForKey(h.key)
		resp.SetVersion(h.version)
		body, err := responseBody(frame, resp)
		if err == nil {
			err = resp.ReadFrom(frame[body:])
		}
		if err != nil {
			return fmt.Errorf("it cannot be read: %w", err)
		}
		clearFields(reflect.ValueOf(resp), mask)
		masked[i] = resp.AppendTo(bytes.Clone(frame[sizeBytes:body]))
	}
	if !bytes.Equal(masked[0], masked[1]) {
		return fmt.Errorf("more than %v", mask)
	}
	return nil
}

// clearFields empties the fields of these names, wherever they stand.
func clearFields(v reflect.Value, names []string) {
	switch v.Kind() {
	case reflect.Pointer:
		clearFields(v.Elem(), names)
	case reflect.Slice:
		for i := range v.Len() {
			clearFields(v.Index(i), names)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if slices.Contains(names, f.Name) {
				v.Field(i).SetZero()
			} else if f.IsExported() {
				clearFields(v.Field(i), names)
			}
		}
	}
}
