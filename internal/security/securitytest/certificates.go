package securitytest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"net"
	"testing"
	"time"
)

// CA is a certificate authority of a test, with certificates of 127.0.0.1.
type CA struct {
	PEM string // its certificate

	cert *x509.Certificate
	key  crypto.Signer
}

// Pair is a certificate and its key, both in PEM.
type Pair struct {
	Certificate, Key string
}

// NewCA makes one that is valid now.
func NewCA(t testing.TB) *CA {
	t.Helper()
	ca := &CA{key: newKey(t)}
	template := template("test authority", time.Now())
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	ca.cert = sign(t, template, template, ca.key, ca.key)
	ca.PEM = block("CERTIFICATE", ca.cert.Raw)
	return ca
}

// Issue makes a certificate for servers and clients at 127.0.0.1.
func (ca *CA) Issue(t testing.TB, name string) Pair { return ca.issue(t, template(name, time.Now())) }

// IssueExpired makes one whose time was over yesterday.
func (ca *CA) IssueExpired(t testing.TB, name string) Pair {
	return ca.issue(t, template(name, time.Now().AddDate(0, 0, -2)))
}

func (ca *CA) issue(t testing.TB, template *x509.Certificate) Pair {
	t.Helper()
	key := newKey(t)
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	cert := sign(t, template, ca.cert, key, ca.key)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return Pair{Certificate: block("CERTIFICATE", cert.Raw), Key: block("PRIVATE KEY", der)}
}

// Config is a server's that shows the pair.
func (p Pair) Config(t testing.TB) *tls.Config {
	t.Helper()
	pair, err := tls.X509KeyPair([]byte(p.Certificate), []byte(p.Key))
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
}

// Pool is a pool of the authority alone.
func (ca *CA) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(ca.cert)
	return pool
}

// template is a certificate that is valid for a day from an hour before.
func template(name string, from time.Time) *x509.Certificate {
	return &x509.Certificate{
		Subject:   pkix.Name{CommonName: name},
		NotBefore: from.Add(-time.Hour), NotAfter: from.Add(23 * time.Hour),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func sign(t testing.TB, template, parent *x509.Certificate, key, by crypto.Signer) *x509.Certificate {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), by)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

func block(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}
