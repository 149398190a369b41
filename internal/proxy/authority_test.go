package proxy

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"testing"
	"time"
)

// authority is a CA of one test.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	a := &authority{t: t}
	a.cert, a.key = a.sign(&x509.Certificate{
		Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	})
	return a
}

// sign makes a certificate, by itself where there is no CA yet.
func (a *authority) sign(template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	template.SerialNumber, template.NotBefore, template.NotAfter = big.NewInt(time.Now().UnixNano()), time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(raw)
	if err != nil {
		a.t.Fatal(err)
	}
	return cert, key
}

// issue makes a certificate for a host name or address.
func (a *authority) issue(host string) tls.Certificate {
	a.t.Helper()
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: host}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{host}
	}
	cert, key := a.sign(template)
	return tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: key}
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// server is what a server of that name speaks, with client certificates of the
// same CA or without.
func (a *authority) server(host string, mutual bool) *tls.Config {
	config := &tls.Config{Certificates: []tls.Certificate{a.issue(host)}}
	if mutual {
		config.ClientAuth, config.ClientCAs = tls.RequireAndVerifyClientCert, a.pool()
	}
	return config
}

// client is what a client of such a server speaks.
func (a *authority) client(mutual bool) *tls.Config {
	config := &tls.Config{RootCAs: a.pool()}
	if mutual {
		config.Certificates = []tls.Certificate{a.issue("the proxy")}
	}
	return config
}

const (
	user     = "kcompare-user"
	password = "hunter2-is-no-password"
)
