package proxy

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/batch"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
)

// deadline bounds every wait of these tests.
const deadline = 20 * time.Second

// clock counts from now on.
func clock() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

// cluster is a broker of three nodes behind a proxy.
type cluster struct {
	*kfake.Cluster
	proxy *Proxy
}

func startCluster(t *testing.T, change func(*Options), seeds ...kfake.Opt) *cluster {
	t.Helper()
	k, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(3)}, seeds...)...)
	if err != nil {
		t.Fatalf("start kfake: %v", err)
	}
	t.Cleanup(k.Close)
	opts := Options{Upstreams: map[int32]string{}, Clock: clock()}
	for id, addr := range k.ListenAddrs() {
		opts.Upstreams[int32(id)] = addr
	}
	if change != nil {
		change(&opts)
	}
	return &cluster{Cluster: k, proxy: startProxy(t, opts)}
}

func startProxy(t *testing.T, opts Options) *Proxy {
	t.Helper()
	p, err := Start(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// plan makes an engine of rules that have a name each.
func plan(rules ...fault.Rule) *fault.Engine {
	for i := range rules {
		if rules[i].Name == "" {
			rules[i].Name = fmt.Sprintf("rule %d", i+1)
		}
	}
	p := fault.Plan(rules)
	if err := p.Validate(); err != nil {
		panic(err)
	}
	return fault.NewEngine(p, 1)
}

// nth is the rule's selector for the nth request of an API.
func nth(api string, n int) fault.Selector {
	return fault.Selector{API: api, Nth: n, Probability: 1}
}

// eventually waits for a condition, and names it when it never came.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	if !comesTrue(holds) {
		t.Fatalf("this never came within %v: %s", deadline, what)
	}
}

// comesTrue is for goroutines that are not the test's own.
func comesTrue(holds func() bool) bool {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// ended waits until so many connections have come in all, and every one has ended.
func (p *Proxy) ended(t *testing.T, opened int64) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d connections and their end", opened), func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.opened >= opened && len(p.conns) == 0
	})
}

// holdProduce lets the broker take no Produce before the proxy has read so many
// of them and forwarded so many. What is in flight at a fault is then no matter
// of luck.
func (c *cluster) holdProduce(read, forwarded int) {
	c.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		comesTrue(func() bool {
			seen, passed := 0, 0
			for _, e := range c.proxy.Observed().Trace.Exchanges {
				if e.API != produceName {
					continue
				}
				seen++
				if e.Forwarded {
					passed++
				}
			}
			return seen >= read && passed >= forwarded
		})
		return nil, nil, false
	})
}

// rawClient speaks the protocol by hand on one connection.
type rawClient struct {
	t    *testing.T
	conn net.Conn
	from *frameReader
	next int32
}

func dialNode(t *testing.T, p *Proxy, node int32) *rawClient {
	t.Helper()
	p.mu.Lock()
	addr := p.nodes[node].listener.Addr().String()
	p.mu.Unlock()
	return dialAddr(t, addr)
}

func dialAddr(t *testing.T, addr string) *rawClient {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatalf("dial the proxy: %v", err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(deadline)); err != nil {
		t.Fatal(err)
	}
	return &rawClient{t: t, conn: conn, from: newFrameReader(conn, "proxy")}
}

// send writes requests with rising correlation ids, in one write, so that they
// are in flight together.
func (c *rawClient) send(reqs ...kmsg.Request) {
	c.t.Helper()
	var frames []byte
	for _, req := range reqs {
		frames = append(frames, kmsg.NewRequestFormatter(kmsg.FormatterClientID("raw")).AppendRequest(nil, req, c.next)...)
		c.next++
	}
	if _, err := c.conn.Write(frames); err != nil {
		c.t.Fatalf("send: %v", err)
	}
}

// receive reads the answer to a request, and its correlation id.
func (c *rawClient) receive(req kmsg.Request) (int32, kmsg.Response) {
	c.t.Helper()
	frame, err := c.from.next()
	if err != nil {
		c.t.Fatalf("receive an answer to %s: %v", apiName(req.Key()), err)
	}
	resp := req.ResponseKind()
	body, err := responseBody(frame, resp)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := resp.ReadFrom(frame[body:]); err != nil {
		c.t.Fatalf("decode an answer to %s: %v", apiName(req.Key()), err)
	}
	return int32(binary.BigEndian.Uint32(frame[sizeBytes:])), resp
}

// ask sends one request and reads its answer.
func (c *rawClient) ask(req kmsg.Request) kmsg.Response {
	c.t.Helper()
	c.send(req)
	_, resp := c.receive(req)
	return resp
}

// closed reads what is left, and fails unless it is nothing.
func (c *rawClient) closed() error {
	c.t.Helper()
	rest, err := io.ReadAll(c.from.from)
	if len(rest) > 0 {
		c.t.Fatalf("%d bytes came where the connection should have ended", len(rest))
	}
	return err
}

// quiet waits until the proxy has read so many Produce requests and so many answers
// to them, and fails unless the connection is still open and nothing came over it.
func (c *rawClient) quiet(p *Proxy, requests, answers int) {
	c.t.Helper()
	eventually(c.t, "requests and answers in the trace", func() bool {
		seen, answered := 0, 0
		for _, e := range p.Observed().Trace.Exchanges {
			if e.API != produceName {
				continue
			}
			seen++
			if e.Answered {
				answered++
			}
		}
		return seen == requests && answered == answers
	})
	c.silent()
}

// silent fails when anything comes, the end of the connection included.
func (c *rawClient) silent() {
	c.t.Helper()
	if err := c.conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		c.t.Fatal(err)
	}
	n, err := c.from.from.Read(make([]byte, 1))
	if n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		c.t.Errorf("%d bytes and %v came where nothing should", n, err)
	}
	if err := c.conn.SetReadDeadline(time.Now().Add(deadline)); err != nil {
		c.t.Fatal(err)
	}
}

// payment is a record that a scenario would send: two headers, one a batch.
func payment(n int) kmsg.Record {
	id := evidence.RecordID{Role: "payments", N: n}
	key, value := fmt.Appendf(nil, "order-%04d", n), fmt.Appendf(nil, "payment-%04d", n)
	send := evidence.SendID{Instance: 1, Ordinal: n, Sum: evidence.Checksum(key, value, id)}
	r := kmsg.NewRecord()
	r.Key, r.Value = key, value
	r.Headers = []kmsg.Header{
		{Key: evidence.IDHeader, Value: []byte(id.String())},
		{Key: evidence.SendHeader, Value: []byte(send.String())},
	}
	return r
}

// batchOf is a record batch as it stands in a Produce request.
func batchOf(records ...kmsg.Record) []byte {
	b := kmsg.NewRecordBatch()
	b.ProducerID, b.ProducerEpoch, b.FirstSequence = -1, -1, -1
	raw, err := batch.Encode(b, kgo.NoCompression(), records...)
	if err != nil {
		panic(err)
	}
	return raw
}

// produceTo is a Produce request with one batch for each of the partitions.
func produceTo(version int16, acks int16, topic string, batches map[int32][]byte) *kmsg.ProduceRequest {
	req := kmsg.NewPtrProduceRequest()
	req.Version, req.Acks, req.TimeoutMillis = version, acks, 1000
	rt := kmsg.NewProduceRequestTopic()
	rt.Topic = topic
	for partition := range int32(100) {
		if batch, ok := batches[partition]; ok {
			rp := kmsg.NewProduceRequestTopicPartition()
			rp.Partition, rp.Records = partition, batch
			rt.Partitions = append(rt.Partitions, rp)
		}
	}
	req.Topics = append(req.Topics, rt)
	return req
}

// newClient is a kgo client of the proxy, whose dials are listed.
func (c *cluster) newClient(t *testing.T, opts ...kgo.Opt) (*kgo.Client, *dials) {
	t.Helper()
	d := &dials{}
	client, err := kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(strings.Split(c.proxy.Bootstrap(), ",")...), kgo.Dialer(d.dial),
		kgo.MetadataMinAge(10 * time.Millisecond), kgo.ClientID("app"),
	}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client, d
}

// dials lists the addresses that a client connected to.
type dials struct {
	mu    sync.Mutex
	addrs []string
}

func (d *dials) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	d.mu.Lock()
	d.addrs = append(d.addrs, addr)
	d.mu.Unlock()
	return (&net.Dialer{}).DialContext(ctx, network, addr)
}

// past are the dials that went to a broker instead of the proxy.
func (d *dials) past(c *cluster) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var past []string
	for _, addr := range d.addrs {
		if slices.Contains(c.ListenAddrs(), addr) {
			past = append(past, addr)
		}
	}
	return past
}

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	t.Cleanup(cancel)
	return ctx
}

// leaderOf moves a partition to a node, so that one connection serves it all.
func (c *cluster) leaderOf(t *testing.T, topic string, partition, node int32) {
	t.Helper()
	if err := c.MoveTopicPartition(topic, partition, node); err != nil {
		t.Fatalf("move %s-%d to node %d: %v", topic, partition, node, err)
	}
}

// endOffset is where the log of a partition ends.
func (c *cluster) endOffset(topic string, partition int32) int64 {
	return c.PartitionInfo(topic, partition).HighWatermark
}

// peerList notes who connects to a broker.
type peerList struct {
	mu    sync.Mutex
	addrs []string
}

func (p *peerList) listen(network, address string) (net.Listener, error) {
	l, err := net.Listen(network, address)
	return peerListener{Listener: l, peers: p}, err
}

func (p *peerList) seen() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.addrs)
}

type peerListener struct {
	net.Listener
	peers *peerList
}

func (l peerListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		l.peers.mu.Lock()
		l.peers.addrs = append(l.peers.addrs, conn.RemoteAddr().String())
		l.peers.mu.Unlock()
	}
	return conn, err
}
