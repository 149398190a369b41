package security_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/broker"
	"kcompare/internal/evidence"
	"kcompare/internal/proxy"
	"kcompare/internal/security"
	"kcompare/internal/security/securitytest"
	"kcompare/librdkafka"
)

// patience bounds what must happen.
const patience = 30 * time.Second

// way is one way into a secured Kafka.
type way struct{ listener, mechanism string }

func (w way) String() string { return strings.TrimSuffix(w.listener+" "+w.mechanism, " ") }

// ways are all of them.
func ways() []way {
	all := []way{{securitytest.Mutual, ""}}
	for _, m := range securitytest.Mechanisms {
		all = append(all, way{securitytest.Secure, m}, way{securitytest.Login, m})
	}
	return all
}

// TestKafka: the reader and the real libraries get in each way, with settings that
// were read from a file.
func TestKafka(t *testing.T) {
	k := securitytest.StartKafka(t)
	for i, w := range ways() {
		t.Run(w.String(), func(t *testing.T) {
			read, err := security.ReadFile(securitytest.WriteProperties(t, k.Settings(w.listener, w.mechanism)))
			if err != nil {
				t.Fatal(err)
			}
			topic := fmt.Sprintf("kcompare-orders-%d", i)
			external := find(t, k, w, read.Client)
			want := evidence.Broker{Kind: "external", Software: "Kafka 4.4, guessed from its API versions", Nodes: 1}
			if diff := cmp.Diff(want, external.Info()); diff != "" {
				t.Errorf("info (-want +got):\n%s", diff)
			}
			r := newReader(t, external)
			if _, err := r.CreateTopics(within(t), []broker.Topic{{Name: topic, Partitions: 1}}); err != nil {
				t.Fatal(err)
			}
			playAll(t, k.Bootstrap(w.listener), topic, read.Client)
			playThroughProxy(t, external, topic, read.Client)
		})
	}
	t.Run("tokens of an endpoint", func(t *testing.T) { testOIDC(t, k) })
	t.Run("refusals", func(t *testing.T) { testRefusals(t, k) })
}

// playAll plays with every library.
func playAll(t *testing.T, bootstrap, topic string, settings map[string]string) {
	t.Helper()
	for _, d := range clients(t) {
		for _, p := range play(t, d, bootstrap, topic, settings) {
			t.Error(p)
		}
	}
}

// playThroughProxy is the same through the proxy, which ends the TLS of the clients and
// reads what they say.
func playThroughProxy(t *testing.T, c broker.Cluster, topic string, settings map[string]string) {
	t.Helper()
	p, authority := startProxy(t, c)
	playAll(t, p.Bootstrap(), topic, authority.ThroughProxy(settings))
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	seen := p.Observed()
	for _, api := range []string{"Produce", "Fetch"} {
		if !slices.ContainsFunc(seen.Trace.Exchanges, func(e evidence.Exchange) bool { return e.API == api && e.Delivered }) {
			t.Errorf("the trace has no %s that was answered", api)
		}
	}
}

// startProxy starts one that speaks to clients as the cluster does to it.
func startProxy(t *testing.T, c broker.Cluster) (*proxy.Proxy, *security.Authority) {
	t.Helper()
	authority, err := security.NewAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	opts := proxy.Options{Upstreams: c.Addrs(), Clock: func() time.Duration { return time.Since(began) }, BrokerTLS: c.Access().TLS}
	if opts.BrokerTLS != nil {
		opts.ClientTLS = authority.Server
	}
	p, err := proxy.Start(opts)
	if err != nil {
		t.Fatal(err)
	}
	return p, authority
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// access is what the reader and the proxy need.
func access(t *testing.T, settings map[string]string) broker.Access {
	t.Helper()
	c, err := security.TLS(settings)
	if err != nil {
		t.Fatal(err)
	}
	m, err := security.Mechanism("kcompare", settings, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return broker.Access{TLS: c, SASL: m}
}

func find(t *testing.T, k *securitytest.Kafka, w way, settings map[string]string) *broker.External {
	t.Helper()
	e, err := broker.ConnectExternal(within(t), strings.Split(k.Bootstrap(w.listener), ","), access(t, settings))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func newReader(t *testing.T, c broker.Cluster) *broker.Reader {
	t.Helper()
	r, err := broker.NewReader(c.Addrs(), c.Access())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func clients(t *testing.T) []drivers.Driver {
	t.Helper()
	rdkafka, err := librdkafka.New()
	if err != nil {
		t.Fatalf("librdkafka takes part in these tests: %v", err)
	}
	return []drivers.Driver{franz.New(), rdkafka}
}

// play writes a record and reads it back. It returns what went wrong.
func play(t *testing.T, d drivers.Driver, bootstrap, topic string, settings map[string]string) []string {
	t.Helper()
	return playLogged(t, d, bootstrap, topic, settings, &lines{})
}

func playLogged(t *testing.T, d drivers.Driver, bootstrap, topic string, settings map[string]string, log *lines) []string {
	t.Helper()
	config := change(settings, "bootstrap.servers", bootstrap)
	p, err := d.NewProducer(drivers.Settings{Config: config, Log: log.add})
	if err != nil {
		return []string{d.Client() + ": " + err.Error()}
	}
	defer p.Close()
	delivered := make(chan drivers.Delivery, 1)
	p.Produce(within(t), drivers.Record{Topic: topic, Value: []byte(d.Client())}, func(d drivers.Delivery) { delivered <- d })
	if err := p.Flush(within(t)); err != nil {
		return []string{fmt.Sprintf("%s: %v\n%s", d.Client(), err, log.text())}
	}
	sent := <-delivered
	if sent.Outcome != drivers.Acked {
		return []string{fmt.Sprintf("%s: %+v\n%s", d.Client(), sent, log.text())}
	}
	c, err := d.NewConsumer(drivers.Settings{Config: config, Log: log.add})
	if err != nil {
		return []string{d.Client() + ": " + err.Error()}
	}
	defer c.Close()
	at := drivers.Position{TopicPartition: drivers.TopicPartition{Topic: topic}, Offset: sent.Offset}
	if err := c.Assign(within(t), []drivers.Position{at}); err != nil {
		return []string{d.Client() + ": " + err.Error()}
	}
	records, err := c.Poll(within(t))
	if err != nil || len(records) != 1 || string(records[0].Value) != d.Client() {
		return []string{fmt.Sprintf("%s: read %v, %v\n%s", d.Client(), records, err, log.text())}
	}
	return nil
}

// change is settings with some of them replaced; an empty value takes one away.
func change(settings map[string]string, pairs ...string) map[string]string {
	changed := maps.Clone(settings)
	for i := 0; i < len(pairs); i += 2 {
		changed[pairs[i]] = pairs[i+1]
		if pairs[i+1] == "" {
			delete(changed, pairs[i])
		}
	}
	return changed
}

// refusal is settings that do not get in, and what has to be said of it.
type refusal struct {
	listener string
	settings map[string]string
	want     string            // in the error of ConnectExternal
	said     map[string]string // in the log or the errors of a client; nil: it was not asked
}

func refusals(t *testing.T, k *securitytest.Kafka) map[string]refusal {
	other := securitytest.NewCA(t)
	expired, stranger := k.CA.IssueExpired(t, "expired"), other.Issue(t, "stranger")
	mutual, plain := k.Settings(securitytest.Mutual, ""), k.Settings(securitytest.Secure, "PLAIN")
	scram, oauth := k.Settings(securitytest.Login, "SCRAM-SHA-512"), k.Settings(securitytest.Secure, "OAUTHBEARER")
	const secure, login, certificate = securitytest.Secure, securitytest.Login, securitytest.Mutual
	return map[string]refusal{
		"wrong password": {secure, change(plain, "sasl.password", "no"), "login with PLAIN failed", map[string]string{
			"franz":      "SASL_AUTHENTICATION_FAILED (fatal)",
			"librdkafka": "event _AUTHENTICATION: sasl_ssl://",
		}},
		"wrong user":       {login, change(scram, "sasl.username", "no"), "login with SCRAM-SHA-512 failed", nil},
		"no principal":     {secure, change(oauth, "sasl.oauthbearer.config", "principal=shop principalClaimName=name"), "login with OAUTHBEARER failed", nil},
		"no login":         {login, nil, "it hung up; expected a Kafka broker in plain text without login", nil},
		"TLS, no login":    {secure, mutual, "it hung up; expected a Kafka broker with TLS and without login", nil},
		"login not wanted": {certificate, change(plain, "ssl.certificate.pem", mutual["ssl.certificate.pem"], "ssl.key.pem", mutual["ssl.key.pem"]), "it takes no login there", nil},
		"other authority": {secure, change(plain, "ssl.ca.pem", other.PEM), "not of an authority that ssl.ca.location", map[string]string{
			"franz":      "certificate signed by unknown authority",
			"librdkafka": "broker certificate could not be verified",
		}},
		"no certificate": {certificate, change(mutual, "ssl.certificate.pem", "", "ssl.key.pem", ""), "wants a certificate of the client, and there is none", map[string]string{
			"franz":      "remote error: tls: bad certificate",
			"librdkafka": "alert bad certificate",
		}},
		"expired": {certificate, change(mutual, "ssl.certificate.pem", expired.Certificate, "ssl.key.pem", expired.Key), "has expired, on ", map[string]string{
			"franz":      "remote error: tls: unknown certificate",
			"librdkafka": "alert certificate unknown",
		}},
		"stranger":           {certificate, change(mutual, "ssl.certificate.pem", stranger.Certificate, "ssl.key.pem", stranger.Key), "it refuses the client's certificate", nil},
		"plain text for TLS": {secure, scram, "expected plain text, it speaks TLS", nil},
		"TLS for plain text": {login, plain, "expected TLS, it hung up", nil},
	}
}

// testRefusals also shows what a program is told: franz-go fails the record with the
// reason, librdkafka lets it time out and has the reason in an event alone.
func testRefusals(t *testing.T, k *securitytest.Kafka) {
	for name, tc := range refusals(t, k) {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // the libraries wait until a record has timed out
			_, err := broker.ConnectExternal(within(t), strings.Split(k.Bootstrap(tc.listener), ","), access(t, tc.settings))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v\nexpected an error with %q", err, tc.want)
			}
			for _, d := range clients(t) {
				want, asked := tc.said[d.Client()]
				if !asked {
					continue
				}
				if said := refused(t, d, k.Bootstrap(tc.listener), tc.settings); !strings.Contains(said, want) {
					t.Errorf("%s said nothing of %q:\n%s", d.Client(), want, said)
				}
			}
		})
	}
}

// refused tries to write, and returns all that the library says of it.
func refused(t *testing.T, d drivers.Driver, bootstrap string, settings map[string]string) string {
	t.Helper()
	var log lines
	config := change(settings, "bootstrap.servers", bootstrap, "delivery.timeout.ms", "1000")
	p, err := d.NewProducer(drivers.Settings{Config: config, Log: log.add})
	if err != nil {
		return err.Error()
	}
	defer p.Close()
	p.Produce(within(t), drivers.Record{Topic: "orders"}, func(d drivers.Delivery) { log.add(fmt.Sprintf("%v: %v", d.Outcome, d.Err)) })
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := p.Flush(ctx); err != nil {
		log.add(err.Error())
	}
	return log.text()
}
