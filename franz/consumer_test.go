package franz

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"

	"kcompare/drivers"
)

// fill writes ten records to orders-0 and returns how to reach them.
func fill(t *testing.T, config map[string]string) {
	t.Helper()
	p, err := New().NewProducer(drivers.Settings{Config: config})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for i := range 10 {
		p.Produce(t.Context(), drivers.Record{Topic: "orders", Partition: 0, Value: []byte(strconv.Itoa(i))}, func(d drivers.Delivery) {
			if d.Err != nil {
				t.Error(d.Err)
			}
		})
	}
	if err := p.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func newTestConsumer(t *testing.T, config map[string]string) drivers.Consumer {
	t.Helper()
	c, err := New().NewConsumer(drivers.Settings{Config: config})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// next is the offset of the next record that comes.
func next(t *testing.T, c drivers.Consumer) int64 {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	records, err := c.Poll(ctx)
	if err != nil || len(records) == 0 {
		t.Fatalf("expected a record, got none: %v", err)
	}
	return records[0].Offset
}

// A seek before kgo has begun with the partition is not lost.
func TestSeekBeforeTheFirstPoll(t *testing.T) {
	cluster := newSeen(t)
	config := map[string]string{"bootstrap.servers": cluster.servers()}
	fill(t, config)
	for range 20 { // kgo begins some time after Assign
		c := newTestConsumer(t, config)
		err := errors.Join(c.Assign(t.Context(), []drivers.Position{at(0, drivers.OffsetStart)}), c.Seek(t.Context(), at(0, 7)))
		if err != nil {
			t.Fatal(err)
		}
		if got := next(t, c); got != 7 {
			t.Fatalf("after a seek to 7 came offset %d", got)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A second assignment replaces the first, and its positions.
func TestAssignAgain(t *testing.T) {
	cluster := newSeen(t)
	config := map[string]string{"bootstrap.servers": cluster.servers()}
	fill(t, config)
	c := newTestConsumer(t, config)
	for _, from := range []int64{2, 5} {
		if err := c.Assign(t.Context(), []drivers.Position{at(0, from)}); err != nil {
			t.Fatal(err)
		}
		if got := next(t, c); got != from {
			t.Errorf("assigned from %d came offset %d", from, got)
		}
	}
	if err := c.Assign(t.Context(), []drivers.Position{at(1, 0)}); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Positions(); len(got) > 0 || err != nil {
		t.Errorf("positions of a new assignment: %v, %v", got, err)
	}
}

func TestConsumerRefusals(t *testing.T) {
	cluster := newSeen(t)
	c := newTestConsumer(t, map[string]string{"bootstrap.servers": cluster.servers()})
	ctx := t.Context()
	if err := c.Assign(ctx, []drivers.Position{at(0, 0)}); err != nil {
		t.Fatal(err)
	}
	_, committed := c.Committed(ctx, []drivers.TopicPartition{at(0, 0).TopicPartition})
	for name, err := range map[string]error{
		"subscribe without a group": c.Subscribe(ctx, []string{"orders"}),
		"seek elsewhere":            c.Seek(ctx, at(1, 0)),
		"seek to the end":           c.Seek(ctx, at(0, drivers.OffsetEnd)),
		"commit without a group":    c.Commit(ctx, []drivers.Position{at(0, 0)}),
		"committed without a group": committed,
	} {
		if got := drivers.ClassOf(err); got != drivers.Application {
			t.Errorf("%s: class %q of %v", name, got, err)
		}
	}
	if got, err := c.GroupMetadata(); got != (drivers.GroupMetadata{}) || err != nil {
		t.Errorf("metadata without a group: %+v, %v", got, err)
	}
}

// Committed offsets of a consumer that only assigned, in a group of its own.
func TestCommitWithoutMembership(t *testing.T) {
	cluster := newSeen(t)
	config := map[string]string{"bootstrap.servers": cluster.servers(), "group.id": "shop", "group.instance.id": "till"}
	c := newTestConsumer(t, config)
	if err := errors.Join(c.Assign(t.Context(), []drivers.Position{at(0, 0)}), c.Commit(t.Context(), []drivers.Position{at(0, 4)})); err != nil {
		t.Fatal(err)
	}
	got, err := c.Committed(t.Context(), []drivers.TopicPartition{at(1, 0).TopicPartition, at(0, 0).TopicPartition})
	if d := cmp.Diff([]drivers.Position{at(0, 4)}, got); d != "" || err != nil {
		t.Errorf("%v %s", err, d)
	}
	metadata, err := c.GroupMetadata()
	want := drivers.GroupMetadata{Group: "shop", Generation: -1, Instance: "till"}
	if metadata != want || err != nil {
		t.Errorf("got %+v, %v, want %+v", metadata, err, want)
	}
}

// With enable.auto.commit=true what one poll returned is committed by Close.
func TestAutoCommit(t *testing.T) {
	cluster := newSeen(t)
	config := map[string]string{"bootstrap.servers": cluster.servers()}
	fill(t, config)
	config["group.id"], config["auto.offset.reset"] = "shop", "earliest"
	for _, tc := range []struct {
		auto string
		want []drivers.Position
	}{{"false", nil}, {"true", []drivers.Position{at(0, 10)}}} {
		config["enable.auto.commit"] = tc.auto
		c := newTestConsumer(t, config)
		if err := c.Subscribe(t.Context(), []string{"orders"}); err != nil {
			t.Fatal(err)
		}
		for read := int64(0); read < 10; {
			next(t, c)
			now, err := c.Positions()
			if err != nil {
				t.Fatal(err)
			}
			read = now[0].Offset
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		reader := newTestConsumer(t, config)
		got, err := reader.Committed(t.Context(), []drivers.TopicPartition{at(0, 0).TopicPartition})
		if d := cmp.Diff(tc.want, got); d != "" || err != nil {
			t.Errorf("enable.auto.commit=%s: %v %s", tc.auto, err, d)
		}
	}
}

// Close ends a Poll that waits.
func TestCloseWhilePolling(t *testing.T) {
	cluster := newSeen(t)
	c := newTestConsumer(t, map[string]string{"bootstrap.servers": cluster.servers(), "group.id": "shop"})
	if err := c.Subscribe(t.Context(), []string{"orders"}); err != nil {
		t.Fatal(err)
	}
	polled := make(chan error, 1)
	go func() {
		_, err := c.Poll(t.Context())
		polled <- err
	}()
	if err := errors.Join(c.Close(), c.Close()); err != nil {
		t.Error(err)
	}
	select {
	case err := <-polled:
		if drivers.ClassOf(err) != drivers.Fatal {
			t.Errorf("poll of a closed consumer: class %q of %v", drivers.ClassOf(err), err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("poll did not end with Close")
	}
}

func TestSASL(t *testing.T) {
	for _, mechanism := range []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"} {
		cluster := newSeen(t, kfake.EnableSASL(), kfake.Superuser(mechanism, "shop", "hunter2"))
		fill(t, map[string]string{
			"bootstrap.servers": cluster.servers(), "security.protocol": "SASL_PLAINTEXT",
			"sasl.mechanism": mechanism, "sasl.username": "shop", "sasl.password": "hunter2",
		})
	}
}

// The certificate is for another name than the address that is dialled.
func TestTLS(t *testing.T) {
	cert, ca := selfSigned(t)
	cluster := newSeen(t, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{cert}, ClientAuth: tls.RequestClientCert}))
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, ca, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		settings map[string]string
		works    bool
	}{
		"authority from text": {map[string]string{"ssl.ca.pem": string(ca), "ssl.endpoint.identification.algorithm": "none"}, true},
		"authority from file": {map[string]string{"ssl.ca.location": file, "ssl.endpoint.identification.algorithm": "none"}, true},
		"wrong name":          {map[string]string{"ssl.ca.pem": string(ca)}, false},
		"unknown authority":   {map[string]string{"ssl.endpoint.identification.algorithm": "none"}, false},
		"no verification":     {map[string]string{"enable.ssl.certificate.verification": "false"}, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tc.settings["bootstrap.servers"], tc.settings["security.protocol"] = cluster.servers(), "ssl"
			p, err := New().NewProducer(drivers.Settings{Config: tc.settings})
			if err != nil {
				t.Fatal(err)
			}
			delivered := make(chan drivers.Delivery, 1)
			p.Produce(t.Context(), drivers.Record{Topic: "orders", Partition: 0}, func(d drivers.Delivery) { delivered <- d })
			patience := 10 * time.Second
			if !tc.works {
				patience = 300 * time.Millisecond // kgo goes on trying
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			err = errors.Join(p.Flush(ctx), p.Close())
			if d := <-delivered; (d.Outcome == drivers.Acked) != tc.works {
				t.Errorf("%+v: %v", d, err)
			}
		})
	}
}

func selfSigned(t *testing.T) (tls.Certificate, []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"broker.test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 9)},
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}
