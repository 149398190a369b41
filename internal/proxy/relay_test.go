package proxy

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// upstream is a server that is no broker: it answers each frame by a function.
type upstream struct {
	addr string

	mu   sync.Mutex
	hash map[[sha256.Size]byte]bool // of every frame that arrived
	got  int
	gone int // connections that have ended
}

// serve takes connections until the test ends. answer gets a whole frame and
// says what to write back, and whether to go on.
func serve(t *testing.T, answer func(frame []byte) (reply []byte, goOn bool)) *upstream {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	u := &upstream{addr: l.Addr().String(), hash: map[[sha256.Size]byte]bool{}}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() { u.talk(conn, answer) })
		}
	})
	t.Cleanup(func() { l.Close(); running.Wait() })
	return u
}

func (u *upstream) talk(conn net.Conn, answer func([]byte) ([]byte, bool)) {
	defer func() {
		conn.Close()
		u.mu.Lock()
		defer u.mu.Unlock()
		u.gone++
	}()
	from := newFrameReader(conn, "proxy")
	for {
		frame, err := from.next()
		if err != nil {
			return
		}
		u.mu.Lock()
		u.hash[sha256.Sum256(frame)] = true
		u.got++
		u.mu.Unlock()
		reply, goOn := answer(frame)
		if _, err := conn.Write(reply); err != nil || !goOn {
			return
		}
	}
}

func (u *upstream) frames() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.got
}

// left is how many connections have ended.
func (u *upstream) left() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.gone
}

// before puts a proxy in front of the server, as node 0.
func (u *upstream) before(t *testing.T, change func(*Options)) *Proxy {
	t.Helper()
	opts := Options{Upstreams: map[int32]string{0: u.addr}, Clock: clock()}
	if change != nil {
		change(&opts)
	}
	return startProxy(t, opts)
}

// opaque answers with the request's correlation id and the body given.
func opaque(frame, body []byte) []byte {
	correlation := frame[sizeBytes+4 : sizeBytes+8]
	reply := binary.BigEndian.AppendUint32(nil, uint32(len(correlation)+len(body)))
	return append(append(reply, correlation...), body...)
}

// Frames that no rule touches arrive byte for byte, whatever stands in them: an
// API of a vendor, a batch that is compressed, a tag that nobody knows.
func TestForwardsUnchanged(t *testing.T) {
	answers := map[int16][]byte{}
	u := serve(t, func(frame []byte) ([]byte, bool) {
		return opaque(frame, answers[int16(binary.BigEndian.Uint16(frame[sizeBytes:]))]), true
	})
	p := u.before(t, func(o *Options) { o.TopicIDs = map[[16]byte]string{{1}: "orders"} })

	produce := produceTo(13, -1, "", map[int32][]byte{0: batchOf(payment(1), payment(2))})
	produce.Topics[0].TopicID = [16]byte{1}
	produce.UnknownTags.Set(77, []byte("tag"))
	fetched := kmsg.NewPtrFetchResponse()
	fetched.Version = 12
	ft := kmsg.NewFetchResponseTopic()
	ft.Topic = "orders"
	fp := kmsg.NewFetchResponseTopicPartition()
	fp.RecordBatches = bytes.Repeat([]byte{7}, 1<<20)
	ft.Partitions = append(ft.Partitions, fp)
	fetched.Topics = append(fetched.Topics, ft)
	fetch := kmsg.NewPtrFetchRequest()
	fetch.Version = 12
	produced := kmsg.NewPtrProduceResponse()
	produced.Version = 13
	vendor := append([]byte("\x27\x11\x00\x03\x00\x00\x00\x09\x00\x01v"), bytes.Repeat([]byte("x"), 300)...)
	answers[0] = append([]byte{0}, produced.AppendTo(nil)...)
	answers[1] = append(append([]byte{0}, fetched.AppendTo(nil)...), "bytes that no decoder would give back"...)
	answers[10_001] = []byte("whatever a vendor says")

	client := dialNode(t, p, 0)
	format := kmsg.NewRequestFormatter(kmsg.FormatterClientID("raw"))
	for _, sent := range [][]byte{format.AppendRequest(nil, produce, 1), format.AppendRequest(nil, fetch, 2), frame(vendor)} {
		if _, err := client.conn.Write(sent); err != nil {
			t.Fatal(err)
		}
		got, err := client.from.next()
		if err != nil {
			t.Fatal(err)
		}
		key := int16(binary.BigEndian.Uint16(sent[sizeBytes:]))
		if !u.hash[sha256.Sum256(sent)] {
			t.Errorf("API %d: the request changed on its way", key)
		}
		if !bytes.Equal(got, opaque(sent, answers[key])) {
			t.Errorf("API %d: the answer changed on its way", key)
		}
	}
	seen := p.Observed()
	want := map[string]int64{"Produce": 1, "Fetch": 1, "api-10001": 1}
	if diff := cmp.Diff(want, seen.Requests); diff != "" || len(seen.Problems) > 0 {
		t.Errorf("problems %q, requests (-want +got):\n%s", seen.Problems, diff)
	}
}

// acks=0 has no answer: it must not be waited for, and it must reach the broker
// although the client hangs up right behind it.
func TestAcks0IsFlushedBeforeTheClientHangsUp(t *testing.T) {
	c := startCluster(t, nil, kfake.SeedTopics(1, "orders"))
	c.leaderOf(t, "orders", 0, 0)
	client := dialNode(t, c.proxy, 0)
	for n := range 20 {
		client.send(produceTo(9, 0, "orders", map[int32][]byte{0: batchOf(payment(n))}))
	}
	client.ask(kmsg.NewPtrMetadataRequest()) // answered in its turn, with 20 requests before it
	for n := range 20 {
		client.send(produceTo(9, 0, "orders", map[int32][]byte{0: batchOf(payment(20 + n))}))
	}
	client.conn.Close()
	eventually(t, "40 records in the log", func() bool { return c.endOffset("orders", 0) == 40 })
}

// TestNobodyListens: a node that died refuses connections. An orderly end instead made
// franz-go give records up, because it takes the end of a connection that never had an
// answer for a broker that wants TLS or a login (ErrFirstReadEOF).
func TestNobodyListens(t *testing.T) {
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := gone.Addr().String()
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	p := startProxy(t, Options{Upstreams: map[int32]string{0: addr}, Clock: clock()})
	conn, err := net.Dial("tcp", p.Bootstrap())
	if err == nil { // the reset may come while it still connects
		defer conn.Close()
		_, err = conn.Read(make([]byte, 1))
	}
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the connection ended with %v, want a reset", err)
	}
	if seen := p.Observed(); len(seen.Problems) > 0 {
		t.Errorf("problems %q: that a node is gone is none", seen.Problems)
	}
}

func TestHalfCloseAndIdleClose(t *testing.T) {
	hangUp := make(chan bool)
	u := serve(t, func(frame []byte) ([]byte, bool) { return opaque(frame, nil), <-hangUp })
	p := u.before(t, nil)
	client := dialNode(t, p, 0)
	vendor := frame([]byte("\x27\x11\x00\x00\x00\x00\x00\x09\x00\x00"))
	if _, err := client.conn.Write(vendor); err != nil {
		t.Fatal(err)
	}
	if err := client.conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	hangUp <- true // the client has said all, and still gets its answer
	if _, err := client.from.next(); err != nil {
		t.Fatalf("no answer after a half close: %v", err)
	}
	if err := client.closed(); err != nil {
		t.Fatalf("after a half close: %v", err)
	}

	idle := dialNode(t, p, 0)
	if _, err := idle.conn.Write(vendor); err != nil {
		t.Fatal(err)
	}
	hangUp <- false // the broker closes; nobody was asking anything
	if _, err := idle.from.next(); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if err := idle.closed(); err != nil {
		t.Fatalf("the broker hung up, and the client did not see an orderly end: %v", err)
	}
	if took := time.Since(start); took >= lingerTimeout {
		t.Errorf("the client saw the broker hang up after %v, want at once", took)
	}
}

// What cannot go on is closed, and said aloud.
func TestRefusals(t *testing.T) {
	metadata := func(frame []byte) ([]byte, bool) { return opaque(frame, []byte{0xff, 0xff}), true }
	format := kmsg.NewRequestFormatter(kmsg.FormatterClientID("raw"))
	request := func(key, version int16) []byte { return format.AppendRequest(nil, newRequest(key, version), 1) }
	badProduce := request(0, 9)
	binary.BigEndian.PutUint32(badProduce, uint32(len(badProduce)-sizeBytes-3))
	for _, tt := range []struct {
		name   string
		sent   []byte
		answer func([]byte) ([]byte, bool)
		want   string // in the only problem
	}{
		{"TLS", []byte("\x16\x03\x01\x02\x00\x01"), nil, "looks like TLS, and the proxy speaks plaintext to the client: set security.protocol to PLAINTEXT or SASL_PLAINTEXT in the client"},
		{"HTTP", []byte("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"), nil, "read a frame from the client: not a Kafka frame: it looks like HTTP"},
		{"oversized", []byte("\x7f\xff\xff\xff\x02\x00\x01"), nil, "claims 2147483647 bytes"},
		{"short header", frame([]byte("\x00\x03")), nil, "read a request header"},
		{"SaslHandshake v0", request(17, 0), nil, "SaslHandshake v0 is refused"},
		{"truncated Produce", badProduce[:len(badProduce)-3], nil, "read a Produce v9 request"},
		{"Metadata of the future", request(3, 99), nil, "Metadata v99"},
		{"answer that cannot be decoded", request(3, 1), metadata, "read a Metadata v1 answer"},
		{"answer out of turn", request(18, 0), func([]byte) ([]byte, bool) { return frame([]byte{0, 0, 0, 9}), true }, "out of turn"},
		{"an upstream that speaks TLS", request(18, 0), func([]byte) ([]byte, bool) { return []byte("\x15\x03\x03\x00\x02\x02\x46"), true }, "looks like TLS, and the proxy speaks plaintext to the broker: set security.protocol to SSL or SASL_SSL for the cluster"},
		{"an upstream that speaks HTTP", request(18, 0), func([]byte) ([]byte, bool) { return []byte("HTTP/1.1 400 Bad Request\r\n\r\n"), true }, "read a frame from the broker: not a Kafka frame: it looks like HTTP"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.answer == nil {
				tt.answer = func([]byte) ([]byte, bool) {
					t.Error("the broker got the request")
					return nil, false
				}
			}
			p := serve(t, tt.answer).before(t, nil)
			client := dialNode(t, p, 0)
			if _, err := client.conn.Write(tt.sent); err != nil {
				t.Fatal(err)
			}
			if err := client.closed(); err != nil && !strings.Contains(err.Error(), "reset") {
				t.Errorf("the connection ended with %v", err)
			}
			problems := p.Observed().Problems
			if len(problems) != 1 || !strings.Contains(problems[0], tt.want) {
				t.Errorf("problems %q, want one with %q", problems, tt.want)
			}
		})
	}
}

// A client newer than kmsg is told as an older broker would tell it (KIP-511).
func TestApiVersionsOfTheFuture(t *testing.T) {
	c := startCluster(t, nil)
	client := dialNode(t, c.proxy, 0)
	req := kmsg.NewPtrApiVersionsRequest()
	req.Version = 99
	client.send(req)
	_, resp := client.receive(&kmsg.ApiVersionsRequest{Version: 0})
	got := resp.(*kmsg.ApiVersionsResponse)
	if got.ErrorCode != kerr.UnsupportedVersion.Code || len(got.ApiKeys) != 1 || got.ApiKeys[0].MaxVersion != req.MaxVersion() {
		t.Errorf("got %+v, want UNSUPPORTED_VERSION and the versions of ApiVersions", got)
	}
	req.Version, req.ClientSoftwareName, req.ClientSoftwareVersion = got.ApiKeys[0].MaxVersion, "kcompare", "1"
	if again := client.ask(req).(*kmsg.ApiVersionsResponse); again.ErrorCode != 0 || len(again.ApiKeys) < 30 {
		t.Errorf("asked again in a version from the list: %d keys, code %d", len(again.ApiKeys), again.ErrorCode)
	}
}

// Nothing of a SASL exchange may be found in what was observed.
func TestSecretsAreNotObserved(t *testing.T) {
	const password = "hunter2-is-no-password"
	auth := kmsg.NewPtrSASLAuthenticateResponse()
	auth.Version, auth.ErrorMessage, auth.SASLAuthBytes = 2, kmsg.StringPtr(password), []byte(password)
	u := serve(t, func(frame []byte) ([]byte, bool) {
		return opaque(frame, append([]byte{0}, auth.AppendTo(nil)...)), true
	})
	p := u.before(t, nil)
	client := dialNode(t, p, 0)
	req := kmsg.NewPtrSASLAuthenticateRequest()
	req.Version, req.SASLAuthBytes = 2, []byte("\x00user\x00"+password)
	client.ask(req)
	config := kmsg.NewPtrIncrementalAlterConfigsRequest()
	resource := kmsg.NewIncrementalAlterConfigsRequestResource()
	entry := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
	entry.Name, entry.Value = "sasl.jaas.config", kmsg.StringPtr(password)
	resource.Configs = append(resource.Configs, entry)
	config.Resources = append(config.Resources, resource)
	client.send(config)
	eventually(t, "two frames at the broker", func() bool { return u.frames() == 2 })
	seen := p.Observed()
	if text := fmt.Sprintf("%+v", seen); strings.Contains(text, password) {
		t.Errorf("the password is in what was observed: %s", text)
	}
	for _, e := range seen.Trace.Exchanges {
		if e.Summary != "" || e.Result != "" {
			t.Errorf("%s was decoded: summary %q, result %q", e.API, e.Summary, e.Result)
		}
	}
}

// Close ends connections in every state, and leaves no goroutine: it waits.
func TestCloseEndsEverything(t *testing.T) {
	u := serve(t, func([]byte) ([]byte, bool) { return nil, true }) // never answers
	p, err := Start(Options{Upstreams: map[int32]string{0: u.addr}, Clock: clock()})
	if err != nil {
		t.Fatal(err)
	}
	idle, waiting := dialNode(t, p, 0), dialNode(t, p, 0)
	waiting.send(kmsg.NewPtrMetadataRequest())
	eventually(t, "a request at the broker", func() bool { return u.frames() == 1 })
	done := make(chan error)
	go func() { done <- errors.Join(p.Close(), p.Close()) }()
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(deadline):
		t.Fatal("Close did not return")
	}
	for _, c := range []*rawClient{idle, waiting} {
		if _, err := c.conn.Read(make([]byte, 1)); err == nil {
			t.Error("a connection is still open after Close")
		}
	}
	if _, err := net.Dial("tcp", p.Bootstrap()); err == nil {
		t.Error("the listener is still open after Close")
	}
}

func TestKeepBoundsTheTrace(t *testing.T) {
	c := startCluster(t, func(o *Options) { o.Keep = 2 }, kfake.SeedTopics(1, "orders"))
	c.leaderOf(t, "orders", 0, 0)
	client := dialNode(t, c.proxy, 0)
	for n := range 25 {
		client.ask(produceTo(9, 1, "orders", map[int32][]byte{0: batchOf(payment(n))}))
		client.ask(kmsg.NewPtrMetadataRequest())
	}
	seen := c.proxy.Observed()
	kept := map[string]int{}
	var last int64
	for _, e := range seen.Trace.Exchanges {
		kept[e.API]++
		if e.N <= last {
			t.Errorf("exchange %d after %d", e.N, last)
		}
		last = e.N
	}
	if diff := cmp.Diff(map[string]int{"Produce": 19, "Metadata": 1}, kept); diff != "" || seen.Trace.Cut != 30 || seen.ProduceRequests != 25 {
		t.Errorf("cut %d of 50, %d Produce requests, kept (-want +got):\n%s", seen.Trace.Cut, seen.ProduceRequests, diff)
	}
}
