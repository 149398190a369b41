package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
)

// connect makes both sides ready for frames: the client's, then the broker's.
func (c *conn) connect() error {
	if err := c.client.handshake(c.p.ctx); err != nil {
		return clientRefused(err, c.client.greeted() && !c.p.welcomed.Load())
	}
	c.p.welcomed.Store(c.p.opts.ClientTLS != nil)
	addr := c.p.upstreamOf(c.node)
	if err := c.dial(addr); err != nil {
		return err
	}
	if err := c.broker.handshake(c.p.ctx); err != nil {
		return c.node.refused(addr, err)
	}
	c.node.secured.Store(c.p.opts.BrokerTLS != nil)
	if c.p.opts.tap != nil {
		c.client.duplex, c.broker.duplex = c.p.opts.tap(c.client.duplex, c.broker.duplex)
	}
	return nil
}

// What is to be set where a handshake fails: the names are librdkafka's and
// Java's, which those who see the error have set or left out.
const (
	setClientTLS   = "set security.protocol to SSL or SASL_SSL in the client"
	setClientPlain = "set security.protocol to PLAINTEXT or SASL_PLAINTEXT in the client, or let the proxy speak TLS to clients"
	setBrokerTLS   = "set security.protocol to SSL or SASL_SSL for the cluster"
	setBrokerPlain = "set security.protocol to PLAINTEXT or SASL_PLAINTEXT for the cluster"
	setClientTrust = "let the client trust the proxy's CA (ssl.ca.location, ssl.truststore.location)"
	setBrokerTrust = "give the CA of the cluster (ssl.ca.location, ssl.truststore.location)"
	setBrokerHost  = "dial the node by a name that its certificate has, or set ssl.endpoint.identification.algorithm to none"
	setCertificate = "give the certificate and key that the cluster asks for (ssl.certificate.location and ssl.key.location, ssl.keystore.location)"
)

// clientRefused names the likely cause of a failed handshake with a client. One
// that hung up without a word, as a check for an open port does, has not failed.
// One that hung up in the middle may just be closing, as librdkafka does whatever it
// has begun, so it is suspect only as long as no client has got any further.
// What came is told, never wrapped: that somebody hung up is no news elsewhere.
func clientRefused(err error, suspect bool) error {
	var header tls.RecordHeaderError
	switch {
	case errors.As(err, &header):
		return fmt.Errorf("TLS handshake with a client: %s: %s", looksLike(header.RecordHeader[:]), setClientTLS)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("TLS handshake with a client: not done within %v", handshakeTimeout)
	case unreadable(err):
		return fmt.Errorf("TLS handshake with a client: it refused without encryption, as OpenSSL refuses a certificate: %s", setClientTrust)
	case !hungUp(err):
		return fmt.Errorf("TLS handshake with a client: %w", alertFrom("client", err))
	case suspect:
		return fmt.Errorf("TLS handshake with a client: it hung up in the middle of it: %s", setClientTrust)
	}
	return err
}

// refused names the likely cause of a failed handshake with the node. A node that
// has spoken TLS before and hangs up is going away, which is its own business.
func (n *node) refused(addr string, err error) error {
	at := fmt.Sprintf("connect to node %d at %s: TLS handshake", n.id, addr)
	var header tls.RecordHeaderError
	switch {
	case errors.As(err, &header):
		return fmt.Errorf("%s: %s: %s", at, looksLike(header.RecordHeader[:]), setBrokerPlain)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: not done within %v", at, handshakeTimeout)
	case !hungUp(err):
		return fmt.Errorf("%s: %w%s", at, alertFrom("broker", err), certificateHint(err))
	case !n.secured.Load():
		return fmt.Errorf("%s: it hung up, as a listener without TLS does: %s", at, setBrokerPlain)
	}
	return err
}

// certificateHint is what to do about a certificate that did not pass.
func certificateHint(err error) string {
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	switch {
	case errors.As(err, &unknown):
		return ": " + setBrokerTrust
	case errors.As(err, &host):
		return ": " + setBrokerHost
	}
	return ""
}

// alertFrom explains an alert of TLS by which the other side refused the proxy. In
// TLS 1.3 a broker may do so after the handshake, in place of its first answer.
func alertFrom(whose string, err error) error {
	var alert *net.OpError
	if !errors.As(err, &alert) || alert.Op != "remote error" {
		return err
	}
	hint := ""
	if strings.Contains(alert.Error(), "certificate") {
		hint = ": " + map[string]string{"client": setClientTrust, "broker": setCertificate}[whose]
	}
	return fmt.Errorf("the %s refused: %w%s", whose, alert.Err, hint)
}

// unreadable is what a client says last and nobody can decrypt. crypto/tls speaks of a
// bad record MAC, which over TCP has two causes, and both are a client that goes away:
//   - In the handshake it is an alert of TLS 1.3 that is not encrypted, where the server
//     expects it to be. OpenSSL (3.0.15 in librdkafka 2.11.1) sends it so when it does
//     not trust the certificate that it has just been shown.
//   - Later it is the goodbye of a client in Go that gave up a write, as kgo does when a
//     context ends: crypto/tls has counted the record that was never sent, and the
//     goodbye is encrypted as the one after it.
func unreadable(err error) bool {
	var local *net.OpError
	return errors.As(err, &local) && local.Op == "local error" && strings.Contains(local.Error(), "bad record MAC")
}

func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, net.ErrClosed)
}

// plaintextHint is what to do where TLS came and plaintext was expected.
func plaintextHint(whose string) string {
	if whose == "broker" {
		return setBrokerTLS
	}
	return setClientPlain
}

// What bytes may look like that came first.
const (
	looksTLS   = "it looks like TLS"
	looksHTTP  = "it looks like HTTP"
	looksKafka = "it looks like a Kafka frame in plaintext"
	looksOther = "it looks like neither TLS nor Kafka"
)

// looksLike says what bytes are that came first, where a Kafka frame or a TLS
// record was expected. It takes four of them or more.
func looksLike(b []byte) string {
	switch {
	case b[0] >= 0x14 && b[0] <= 0x17 && b[1] == 0x03:
		return looksTLS
	case isHTTP(string(b[:sizeBytes])):
		return looksHTTP
	case b[0] == 0 && b[1] == 0: // a size below 64 KiB
		return looksKafka
	}
	return looksOther
}

// isHTTP knows the first four bytes of a request line and of a status line.
func isHTTP(start string) bool {
	switch start {
	case "GET ", "POST", "HEAD", "PUT ", "DELE", "OPTI", "PATC", "CONN", "TRAC", "PRI ", "HTTP":
		return true
	}
	return false
}
