package security

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"

	"github.com/pavlo-v-chernykh/keystore-go/v4"
	"software.sslmate.com/src/go-pkcs12"
)

// Java's key stores. What a file is shows in its first bytes, as for Java, which has
// read PKCS #12 under the name of JKS since version 8.

var (
	jksMagic   = []byte{0xfe, 0xed, 0xfe, 0xed}
	jceksMagic = []byte{0xce, 0xce, 0xce, 0xce}
	pemBegin   = []byte("-----BEGIN ")
)

var errNoStore = errors.New("expected PEM, JKS or PKCS #12; convert it: " +
	"keytool -importkeystore -srckeystore OLD -destkeystore NEW -deststoretype PKCS12")

// keyStore is the one key of a store and the certificates that go with it, in PEM.
// The key's own password is the store's where it is not given.
func keyStore(raw []byte, password, keyPassword string) (certificate, key string, err error) {
	if keyPassword == "" {
		keyPassword = password
	}
	switch {
	case bytes.Contains(raw, pemBegin):
		return pemStore(string(raw), keyPassword)
	case bytes.HasPrefix(raw, jksMagic):
		return jksKey(raw, password, keyPassword)
	case bytes.HasPrefix(raw, jceksMagic), len(raw) == 0 || raw[0] != 0x30:
		return "", "", errNoStore
	}
	private, own, chain, err := pkcs12.DecodeChain(raw, password)
	if err != nil {
		return "", "", fmt.Errorf("read a PKCS #12 store: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return "", "", fmt.Errorf("read a PKCS #12 store: %w", err)
	}
	return certificatesPEM(append([]*x509.Certificate{own}, chain...)), keyPEM(der), nil
}

func pemStore(text, password string) (certificate, key string, err error) {
	if certificate = certificates(text); certificate == "" {
		return "", "", errors.New("expected certificates in PEM, found none")
	}
	key, err = privateKey(text, password)
	return certificate, key, err
}

// trustStore is the certificates that a store trusts, in PEM.
func trustStore(raw []byte, password string) (string, error) {
	switch {
	case bytes.Contains(raw, pemBegin):
		if found := certificates(string(raw)); found != "" {
			return found, nil
		}
		return "", errors.New("expected certificates in PEM, found none")
	case bytes.HasPrefix(raw, jksMagic):
		return jksCertificates(raw, password)
	case bytes.HasPrefix(raw, jceksMagic), len(raw) == 0 || raw[0] != 0x30:
		return "", errNoStore
	}
	found, err := pkcs12.DecodeTrustStore(raw, password)
	if err != nil {
		return "", fmt.Errorf("read a PKCS #12 store: %w", err)
	}
	return certificatesPEM(found), nil
}

func openJKS(raw []byte, password string) (keystore.KeyStore, error) {
	store := keystore.New(keystore.WithOrderedAliases())
	if err := store.Load(bytes.NewReader(raw), []byte(password)); err != nil {
		return store, fmt.Errorf("read a JKS store: %w", err)
	}
	return store, nil
}

func jksKey(raw []byte, password, keyPassword string) (certificate, key string, err error) {
	store, err := openJKS(raw, password)
	if err != nil {
		return "", "", err
	}
	for _, alias := range store.Aliases() {
		if !store.IsPrivateKeyEntry(alias) {
			continue
		}
		entry, err := store.GetPrivateKeyEntry(alias, []byte(keyPassword))
		if err != nil {
			return "", "", fmt.Errorf("read the key %s of a JKS store: %w", alias, err)
		}
		for _, c := range entry.CertificateChain {
			certificate += string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Content}))
		}
		return certificate, keyPEM(entry.PrivateKey), nil
	}
	return "", "", errors.New("expected a private key in a JKS store, found none")
}

func jksCertificates(raw []byte, password string) (string, error) {
	store, err := openJKS(raw, password)
	if err != nil {
		return "", err
	}
	var found string
	for _, alias := range store.Aliases() {
		if entry, err := store.GetTrustedCertificateEntry(alias); err == nil {
			found += string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: entry.Certificate.Content}))
		}
	}
	if found == "" {
		return "", errors.New("expected trusted certificates in a JKS store, found none")
	}
	return found, nil
}

func certificatesPEM(all []*x509.Certificate) string {
	var text string
	for _, c := range all {
		text += string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}))
	}
	return text
}

func keyPEM(der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}
