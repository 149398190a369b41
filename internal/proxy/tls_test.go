package proxy

import (
	"cmp"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"kcompare/internal/fault"
)

// secured is a cluster that asks for a certificate and a password, behind a proxy
// that asks its clients for TLS and passes the password on.
func secured(t *testing.T, brokers, clients *authority, opts ...kfake.Opt) *cluster {
	t.Helper()
	return startCluster(t, func(o *Options) {
		o.ClientTLS, o.BrokerTLS = clients.server(listenHost, false), brokers.client(true)
	}, append([]kfake.Opt{
		kfake.TLS(brokers.server(listenHost, true)), kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-256", user, password),
		kfake.SeedTopics(1, topic),
	}, opts...)...)
}

// withPassword are the options of a client of such a proxy.
func withPassword(clients *authority) []kgo.Opt {
	return []kgo.Opt{kgo.DialTLSConfig(clients.client(false)), kgo.Dialer(nil), kgo.SASL(scram.Auth{User: user, Pass: password}.AsSha256Mechanism())}
}

// With TLS and SASL on both sides the trace is as readable as without, and nothing
// of the password is in it.
func TestTLSAndSASL(t *testing.T) {
	brokers, clients := newAuthority(t, "brokers"), newAuthority(t, "clients")
	c := secured(t, brokers, clients)
	client, _ := c.newClient(t, append(withPassword(clients), kgo.ConsumeTopics(topic))...)
	p := payment(1)
	r := &kgo.Record{Topic: topic, Key: p.Key, Value: p.Value, Headers: []kgo.RecordHeader{
		{Key: p.Headers[0].Key, Value: p.Headers[0].Value}, {Key: p.Headers[1].Key, Value: p.Headers[1].Value},
	}}
	if err := client.ProduceSync(within(t), r).FirstErr(); err != nil {
		t.Fatal(err)
	}
	if fetches := client.PollFetches(within(t)); fetches.Err() != nil || fetches.NumRecords() != 1 {
		t.Fatalf("poll: %d records, error %v", fetches.NumRecords(), fetches.Err())
	}
	client.Close()
	seen := c.proxy.Observed()
	found := map[string]string{}
	for _, e := range seen.Trace.Exchanges {
		found[e.API] = cmp.Or(found[e.API], e.Summary) // a Fetch of a session that goes on names nothing
		if e.API == produceName && (len(e.Batches) != 1 || fmt.Sprint(e.Batches[0].IDs) != "[payments/1]") {
			t.Errorf("Produce is not readable: %+v", e)
		}
	}
	if found["SaslHandshake"] != "SCRAM-SHA-256" || found["SaslAuthenticate"] != "" || found["Fetch"] != topic+"-0" {
		t.Errorf("summaries by API: %q", found)
	}
	if _, ok := found["SaslAuthenticate"]; !ok || len(seen.Problems) > 0 {
		t.Errorf("SaslAuthenticate seen %v, problems %q", ok, seen.Problems)
	}
	holdsNoSecret(t, seen)
}

// holdsNoSecret looks for the user's password and name in what was observed: no
// part of an exchange of credentials has a place there.
func holdsNoSecret(t *testing.T, seen Observed) {
	t.Helper()
	text := fmt.Sprintf("%+v", seen)
	for _, secret := range []string{password, user} {
		for _, coded := range []string{secret, base64.StdEncoding.EncodeToString([]byte(secret)), hex.EncodeToString([]byte(secret))} {
			if strings.Contains(text, coded) {
				t.Errorf("%q is in what was observed: %s", coded, text)
			}
		}
	}
}

// A session that has to be renewed (KIP-368) is, on the connection it has.
func TestReauthentication(t *testing.T) {
	brokers, clients := newAuthority(t, "brokers"), newAuthority(t, "clients")
	c := secured(t, brokers, clients, kfake.BrokerConfigs(map[string]string{"connections.max.reauth.ms": "3000"}))
	client, _ := c.newClient(t, withPassword(clients)...)
	renewed := func() bool {
		if err := client.ProduceSync(within(t), &kgo.Record{Topic: topic, Value: []byte("payment")}).FirstErr(); err != nil {
			t.Fatal(err)
		}
		handshakes := map[int64]int{}
		most := 0
		for _, e := range c.proxy.Observed().Trace.Exchanges {
			if e.API == "SaslHandshake" && e.Delivered {
				handshakes[e.Conn]++
				most = max(most, handshakes[e.Conn])
			}
		}
		return most > 1
	}
	eventually(t, "a second SaslHandshake on one connection", renewed)
	if problems := c.proxy.Observed().Problems; len(problems) > 0 {
		t.Errorf("problems: %q", problems)
	}
}

// Each side has TLS or not, whatever the other has.
func TestTLSOnOneSide(t *testing.T) {
	ca := newAuthority(t, "both")
	for _, tt := range []struct {
		name           string
		client, broker bool
	}{{"towards clients", true, false}, {"towards brokers", false, true}} {
		t.Run(tt.name, func(t *testing.T) {
			seeds := []kfake.Opt{kfake.SeedTopics(1, "orders")}
			var opts []kgo.Opt
			if tt.broker {
				seeds = append(seeds, kfake.TLS(ca.server(listenHost, false)))
			}
			c := startCluster(t, func(o *Options) {
				if tt.client {
					o.ClientTLS = ca.server(listenHost, false)
					opts = []kgo.Opt{kgo.DialTLSConfig(ca.client(false)), kgo.Dialer(nil)}
				}
				if tt.broker {
					o.BrokerTLS = ca.client(false)
				}
			}, seeds...)
			client, _ := c.newClient(t, opts...)
			produceSync(t, client)
			if problems := c.proxy.Observed().Problems; len(problems) > 0 {
				t.Errorf("problems: %q", problems)
			}
		})
	}
}

// What a client does wrong that has to speak TLS to the proxy.
func TestHandshakeOfAClientFails(t *testing.T) {
	ca, other := newAuthority(t, "clients"), newAuthority(t, "others")
	write := func(what string) func(net.Conn) {
		return func(conn net.Conn) {
			io.WriteString(conn, what)
			io.Copy(io.Discard, conn)
		}
	}
	shake := func(config *tls.Config) func(net.Conn) {
		return func(conn net.Conn) { tls.Client(conn, config).Handshake() }
	}
	format := kmsg.NewRequestFormatter(kmsg.FormatterClientID("raw"))
	untrusting := other.client(false)
	untrusting.ServerName = listenHost
	quitting := ca.client(false)
	quitting.ServerName = listenHost
	quits := errors.New("quits")
	quitting.VerifyConnection = func(tls.ConnectionState) error { return quits }
	old := ca.client(false)
	old.ServerName, old.MinVersion, old.MaxVersion = listenHost, tls.VersionTLS10, tls.VersionTLS11
	for _, tt := range []struct {
		name string
		talk func(net.Conn)
		want string // in the only problem; empty for none
	}{
		{"plaintext Kafka", write(string(format.AppendRequest(nil, kmsg.NewPtrApiVersionsRequest(), 1))), "it looks like a Kafka frame in plaintext: set security.protocol"},
		{"HTTP", write("GET / HTTP/1.1\r\n\r\n"), "it looks like HTTP"},
		{"anything", write("hello, is anybody there?"), "it looks like neither TLS nor Kafka"},
		{"a CA that the client does not know", shake(untrusting), "ssl.ca.location"},
		{"a client that refuses", shake(quitting), "the client refused: tls: bad certificate: let the client trust"},
		{"a version of the past", shake(old), "TLS handshake with a client: tls: client offered only unsupported versions"},
		{"a check for an open port", func(net.Conn) {}, ""},
		{"a client that hangs up after its hello", func(conn net.Conn) {
			conn.Write(hello(t))
			conn.(*net.TCPConn).CloseWrite()
			io.Copy(io.Discard, conn)
		}, "it hung up in the middle of it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u := serve(t, func([]byte) ([]byte, bool) { t.Error("a frame reached the broker"); return nil, false })
			p := u.before(t, func(o *Options) { o.ClientTLS = ca.server(listenHost, false) })
			conn, err := net.Dial("tcp", p.Bootstrap())
			if err != nil {
				t.Fatal(err)
			}
			conn.SetDeadline(time.Now().Add(deadline))
			tt.talk(conn)
			conn.Close()
			p.ended(t, 1)
			onlyProblem(t, p, tt.want)
		})
	}
}

// A client that gives up a write and closes, as kgo does when its context ends, breaks
// the order of TLS records. It has hung up; nothing is wrong with the proxy.
func TestClientThatGivesUpAWrite(t *testing.T) {
	ca := newAuthority(t, "clients")
	u := serve(t, func([]byte) ([]byte, bool) { t.Error("a frame reached the broker"); return nil, false })
	p := u.before(t, func(o *Options) { o.ClientTLS = ca.server(listenHost, false) })
	config := ca.client(false)
	config.ServerName = listenHost
	conn, err := tls.Dial("tcp", p.Bootstrap(), config)
	if err != nil {
		t.Fatal(err)
	}
	conn.SetWriteDeadline(time.Unix(1, 0))
	if _, err := conn.Write([]byte("never sent")); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("write: %v, want one that comes too late", err)
	}
	conn.Close()
	p.ended(t, 1)
	onlyProblem(t, p, "")
}

// hello is the first thing that a client says in TLS.
func hello(t *testing.T) []byte {
	t.Helper()
	client, server := net.Pipe()
	defer server.Close()
	done := make(chan bool)
	go func() {
		defer close(done)
		tls.Client(client, &tls.Config{ServerName: listenHost, MinVersion: tls.VersionTLS12}).Handshake()
	}()
	said := make([]byte, 16<<10)
	n, err := server.Read(said)
	if err != nil {
		t.Fatal(err)
	}
	server.Close()
	<-done
	return said[:n]
}

// A client that has got further once knows how, so another of its connections that
// ends in the middle of a handshake is none that failed.
func TestHandshakeOfAClientThatCloses(t *testing.T) {
	ca := newAuthority(t, "clients")
	u := serve(t, func([]byte) ([]byte, bool) { return nil, false })
	p := u.before(t, func(o *Options) { o.ClientTLS = ca.server(listenHost, false) })
	config := ca.client(false)
	config.ServerName = listenHost
	whole, err := tls.Dial("tcp", p.Bootstrap(), config)
	if err != nil {
		t.Fatal(err)
	}
	whole.Close()
	p.ended(t, 1)
	half, err := net.Dial("tcp", p.Bootstrap())
	if err != nil {
		t.Fatal(err)
	}
	half.Write(hello(t))
	half.Close()
	p.ended(t, 2)
	onlyProblem(t, p, "")
}

func onlyProblem(t *testing.T, p *Proxy, want string) {
	t.Helper()
	problems := p.Observed().Problems
	if want == "" && len(problems) > 0 || want != "" && (len(problems) != 1 || !strings.Contains(problems[0], want)) {
		t.Errorf("problems %q, want one with %q", problems, want)
	}
}

// What may be wrong between the proxy and a broker. The error names the node, its
// address, and what to set.
func TestHandshakeWithABrokerFails(t *testing.T) {
	ca, other := newAuthority(t, "brokers"), newAuthority(t, "others")
	kafka := func(config *tls.Config) func(*testing.T) string {
		return func(t *testing.T) string {
			k, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.TLS(config))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(k.Close)
			return k.ListenAddrs()[0]
		}
	}
	speaks := func(reply string) func(*testing.T) string {
		return func(t *testing.T) string {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan bool)
			go func() {
				defer close(done)
				conn, err := l.Accept()
				if err != nil {
					return
				}
				conn.Read(make([]byte, 1<<10))
				io.WriteString(conn, reply)
				conn.Close()
			}()
			t.Cleanup(func() { l.Close(); <-done })
			return l.Addr().String()
		}
	}
	for _, tt := range []struct {
		name   string
		broker func(*testing.T) string
		speak  *tls.Config
		want   string
	}{
		{"another CA", kafka(ca.server(listenHost, false)), other.client(false), "unknown authority: give the CA of the cluster"},
		{"another name", kafka(ca.server("broker.example", false)), ca.client(false), "doesn't contain any IP SANs: dial the node by a name that its certificate has"},
		{"no certificate, TLS 1.3", kafka(ca.server(listenHost, true)), ca.client(false), "the broker refused: tls: certificate required: give the certificate and key"},
		{"a plaintext listener", speaks(""), ca.client(false), "it hung up, as a listener without TLS does: set security.protocol to PLAINTEXT"},
		{"an HTTP server", speaks("HTTP/1.1 400 Bad Request\r\n"), ca.client(false), "it looks like HTTP"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr := tt.broker(t)
			p := startProxy(t, Options{Upstreams: map[int32]string{7: addr}, Clock: clock(), BrokerTLS: tt.speak})
			client := dialNode(t, p, 7)
			client.send(kmsg.NewPtrApiVersionsRequest())
			if err := client.closed(); err != nil && !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("the client's connection ended with %v", err)
			}
			client.conn.Close()
			p.ended(t, 1)
			onlyProblem(t, p, tt.want)
			for _, problem := range p.Observed().Problems {
				if !strings.Contains(problem, "node 7") {
					t.Errorf("problem %q does not name node 7", problem)
				}
			}
		})
	}
}

// The name that a certificate has to bear is that of the broker's own address.
func TestServerNameIsTheBrokersHost(t *testing.T) {
	ca := newAuthority(t, "brokers")
	k, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.TLS(ca.server("localhost", false)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Close)
	_, port, _ := net.SplitHostPort(k.ListenAddrs()[0])
	for _, tt := range []struct {
		host, serverName string
		problem          bool
	}{{"localhost", "", false}, {"127.0.0.1", "", true}, {"127.0.0.1", "localhost", false}} {
		config := ca.client(false)
		config.ServerName = tt.serverName
		p := startProxy(t, Options{Upstreams: map[int32]string{0: net.JoinHostPort(tt.host, port)}, Clock: clock(), BrokerTLS: config})
		client := dialNode(t, p, 0)
		client.send(kmsg.NewPtrApiVersionsRequest())
		if _, err := client.from.next(); (err != nil) != tt.problem {
			t.Errorf("%+v: %v, problems %q", tt, err, p.Observed().Problems)
		}
	}
}

// The ends of a connection are what they are without TLS: a half close lets the
// answer come, a fault resets, and the client is told of an end at once.
func TestEndsOverTLS(t *testing.T) {
	ca := newAuthority(t, "clients")
	dial := func(p *Proxy) *rawClient {
		config := ca.client(false)
		config.ServerName = listenHost
		conn, err := tls.Dial("tcp", p.Bootstrap(), config)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		conn.SetDeadline(time.Now().Add(deadline))
		return &rawClient{t: t, conn: conn, from: newFrameReader(conn, "proxy")}
	}
	vendor := frame([]byte("\x27\x11\x00\x00\x00\x00\x00\x09\x00\x00"))
	hangUp := make(chan bool)
	u := serve(t, func(frame []byte) ([]byte, bool) { return opaque(frame, nil), <-hangUp })
	p := u.before(t, func(o *Options) {
		o.ClientTLS = ca.server(listenHost, false)
		o.Engine = plan(fault.Rule{Action: fault.ResetConnection, Select: nth("Metadata", 1)})
	})
	half := dial(p)
	half.conn.Write(vendor)
	if err := half.conn.(*tls.Conn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	hangUp <- true
	if _, err := half.from.next(); err != nil {
		t.Fatalf("no answer after a half close: %v", err)
	}
	if err := half.closed(); err != nil {
		t.Errorf("after a half close: %v", err)
	}
	told := dial(p)
	told.conn.Write(vendor)
	hangUp <- false
	start := time.Now()
	if _, err := told.from.next(); err != nil {
		t.Fatal(err)
	}
	if err := told.closed(); err != nil || time.Since(start) >= lingerTimeout {
		t.Errorf("the broker hung up, the client saw %v after %v", err, time.Since(start))
	}
	if rest, err := io.ReadAll(told.conn.(*tls.Conn).NetConn()); err != nil || len(rest) > 0 || time.Since(start) >= lingerTimeout {
		t.Errorf("below TLS came %d bytes and %v after %v, want the end of TCP at once", len(rest), err, time.Since(start))
	}
	reset := dial(p)
	reset.send(kmsg.NewPtrMetadataRequest())
	if err := reset.closed(); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the connection ended with %v, want a reset", err)
	}
	if problems := p.Observed().Problems; len(problems) > 0 {
		t.Errorf("problems: %q", problems)
	}
}
