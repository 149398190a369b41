package security

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"regexp"
)

// material is the certificates and the key that settings name, in PEM, with the key
// in the clear. What is not given is empty.
type material struct {
	ca, certificate, key string
}

// material reads every file that the settings name.
func (g given) material() (material, error) {
	var m material
	ca, key, err := g.text("ssl.ca.pem", "ssl.ca.location")
	if err != nil {
		return m, err
	}
	if m.ca = certificates(ca); key != "" && m.ca == "" {
		return m, wrong("expected certificates in PEM, found none", key)
	}
	if g["ssl.keystore.location"] != "" {
		return m, g.fromStore(&m)
	}
	return m, g.fromPEM(&m)
}

// fromPEM takes the client's own certificate and key from two texts or files.
func (g given) fromPEM(m *material) error {
	certificate, _, err := g.text("ssl.certificate.pem", "ssl.certificate.location")
	if err != nil {
		return err
	}
	private, key, err := g.text("ssl.key.pem", "ssl.key.location")
	if err != nil {
		return err
	}
	if certificate == "" && private == "" {
		return nil
	}
	if m.certificate = certificates(certificate); m.certificate == "" || private == "" {
		return wrong("expected a certificate and its key in PEM, one of them is missing", g.ownKeys()...)
	}
	if m.key, err = privateKey(private, g["ssl.key.password"]); err != nil {
		return wrong(err.Error(), key)
	}
	return nil
}

// fromStore takes both from a key store.
func (g given) fromStore(m *material) error {
	raw, err := readFile("ssl.keystore.location", g["ssl.keystore.location"])
	if err != nil {
		return err
	}
	m.certificate, m.key, err = keyStore([]byte(raw), g["ssl.keystore.password"], g["ssl.key.password"])
	if err != nil {
		return wrong(err.Error(), "ssl.keystore.location")
	}
	return nil
}

// text is the value of one setting, or what stands in the file that the other one
// names. key is the one that was given.
func (g given) text(inline, location string) (text, key string, err error) {
	switch {
	case g[inline] != "":
		return reflowed(g[inline]), inline, nil
	case g[location] != "":
		text, err := readFile(location, g[location])
		return text, location, err
	}
	return "", "", nil
}

var (
	beginLine = regexp.MustCompile(`(-----BEGIN [^-]+-----)\s*`)
	endLine   = regexp.MustCompile(`\s*(-----END [^-]+-----)\s*`)
)

// reflowed gives PEM its lines back. A value of a .properties file often has it in one
// line, with blanks or nothing between what were lines, and Java reads that
// (KIP-651).
func reflowed(text string) string {
	return endLine.ReplaceAllString(beginLine.ReplaceAllString(text, "$1\n"), "\n$1\n")
}

func readFile(key, path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", wrong("expected a readable file: "+err.Error(), key)
	}
	return string(text), nil
}

// ownKeys are the settings that name the client's certificate and key.
func (g given) ownKeys() []string {
	for _, keys := range [][]string{{"ssl.keystore.location"}, {"ssl.certificate.location", "ssl.key.location"}} {
		for _, key := range keys {
			if g[key] != "" {
				return keys
			}
		}
	}
	return []string{"ssl.certificate.pem", "ssl.key.pem"}
}

// certificates is the certificates of a text in PEM, without what else stands there,
// such as the human-readable lines that openssl writes around them.
func certificates(text string) string {
	var found []byte
	for block, rest := pem.Decode([]byte(text)); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		if _, err := x509.ParseCertificate(block.Bytes); err == nil {
			found = append(found, pem.EncodeToMemory(&pem.Block{Type: block.Type, Bytes: block.Bytes})...)
		}
	}
	return string(found)
}

// privateKey is the first key of a text in PEM, in the clear.
func privateKey(text, password string) (string, error) {
	for block, rest := pem.Decode([]byte(text)); block != nil; block, rest = pem.Decode(rest) {
		switch {
		case block.Type == "ENCRYPTED PRIVATE KEY":
			der, err := decryptPKCS8(block.Bytes, password)
			if err != nil {
				return "", fmt.Errorf("decrypt the key: %w", err)
			}
			return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), nil
		case block.Headers["DEK-Info"] != "":
			return "", errors.New("the key is encrypted in the way of old versions of OpenSSL; convert it: openssl pkcs8 -topk8 -v2 aes256 -in OLD -out NEW")
		case block.Type == "PRIVATE KEY", block.Type == "RSA PRIVATE KEY", block.Type == "EC PRIVATE KEY":
			return string(pem.EncodeToMemory(block)), nil
		}
	}
	return "", errors.New("expected a private key in PEM, found none")
}
