package convert

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"kcompare/internal/source"
)

// samplesSecured has TLS and SASL, with files that are really there.
func samplesSecured(t *testing.T) []sample {
	t.Helper()
	certificate, key := files(t)
	text, err := os.ReadFile(certificate)
	if err != nil {
		t.Fatal(err)
	}
	user := map[string]string{"sasl.username": "shop", "sasl.password": "value of SASL_PASSWORD"}
	var all []sample
	for _, more := range []map[string]string{
		{"security.protocol": "ssl"},
		{"security.protocol": "ssl", "enable.ssl.certificate.verification": "false"},
		{"security.protocol": "ssl", "ssl.endpoint.identification.algorithm": "none"},
		{"security.protocol": "ssl", "ssl.ca.location": certificate, "ssl.endpoint.identification.algorithm": "none"},
		{"security.protocol": "ssl", "ssl.ca.pem": string(text)},
		{"security.protocol": "SSL", "ssl.ca.location": certificate, "ssl.certificate.location": certificate, "ssl.key.location": key},
		{"security.protocol": "sasl_plaintext", "sasl.mechanism": "PLAIN", "sasl.username": user["sasl.username"], "sasl.password": user["sasl.password"]},
		{"security.protocol": "sasl_ssl", "sasl.mechanism": "SCRAM-SHA-256", "sasl.username": user["sasl.username"], "sasl.password": user["sasl.password"]},
		{"security.protocol": "sasl_ssl", "sasl.mechanism": "SCRAM-SHA-512", "sasl.username": user["sasl.username"], "sasl.password": user["sasl.password"]},
	} {
		all = append(all, sample{source.Producer, more}, sample{source.Consumer, more})
	}
	return all
}

// files are a certificate and its key, in PEM.
func files(t *testing.T) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "shop"},
		NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<32, 0), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, about, about, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", keyDER)
}
