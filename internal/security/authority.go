package security

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"maps"
	"net"
	"strings"
	"time"
)

// Authority is a certificate authority for one run. It lets the proxy end the TLS of
// clients, which would otherwise hide what they say. Its keys are in memory only, and
// it signs nothing after NewAuthority.
type Authority struct {
	PEM    string      // its certificate, for ssl.ca.pem
	Server *tls.Config // of a server on 127.0.0.1 and localhost
}

// authorityLife is longer than any run.
const authorityLife = 30 * 24 * time.Hour

// NewAuthority makes keys and certificates that are valid around now. The keys come
// from the system's own randomness, which crypto/ecdsa insists on since Go 1.26.
func NewAuthority(now time.Time) (*Authority, error) {
	ca := &x509.Certificate{
		Subject:   pkix.Name{CommonName: "kcompare, for one run"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(authorityLife), // another clock may be behind
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("new authority: %w", err)
	}
	if ca, err = issue(ca, ca, caKey.Public(), caKey); err != nil {
		return nil, fmt.Errorf("new authority: %w", err)
	}
	server, err := serverPair(ca, caKey)
	if err != nil {
		return nil, fmt.Errorf("new authority: %w", err)
	}
	return &Authority{
		PEM:    certificatesPEM([]*x509.Certificate{ca}),
		Server: &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{server}},
	}, nil
}

func serverPair(ca *x509.Certificate, caKey crypto.Signer) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	own, err := issue(&x509.Certificate{
		Subject:   pkix.Name{CommonName: "kcompare proxy"},
		NotBefore: ca.NotBefore, NotAfter: ca.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}, ca, key.Public(), caKey)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{own.Raw}, PrivateKey: key, Leaf: own}, nil
}

func issue(template, parent *x509.Certificate, key crypto.PublicKey, by crypto.Signer) (*x509.Certificate, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key, by)
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}

// ThroughProxy is what a client of a secured cluster sets to be a client of the proxy
// in front of it: the same login, but TLS with the proxy, whose authority it trusts.
// The certificate of its own that the cluster may ask for is the proxy's business.
// Plaintext stays plaintext.
func (a *Authority) ThroughProxy(client map[string]string) map[string]string {
	settings := maps.Clone(client)
	maps.DeleteFunc(settings, func(key, _ string) bool {
		return strings.HasPrefix(key, "ssl.") || key == "enable.ssl.certificate.verification"
	})
	if given(client).encrypted() {
		settings["ssl.ca.pem"] = a.PEM
	}
	return settings
}
