package security_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/broker"
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
			r := newReader(t, external)
			if _, err := r.CreateTopics(within(t), []broker.Topic{{Name: topic, Partitions: 1}}); err != nil {
				t.Fatal(err)
			}
			for _, d := range clients(t) {
				for _, p := range play(t, d, k.Bootstrap(w.listener), topic, read.Client) {
					t.Error(p)
				}
			}
		})
	}
	t.Run("refusals", func(t *testing.T) { testRefusals(t, k) })
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
	config := maps.Clone(settings)
	config["bootstrap.servers"] = bootstrap
	var log lines
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

func testRefusals(t *testing.T, k *securitytest.Kafka) {}
