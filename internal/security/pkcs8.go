package security

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/des" //nolint:gosec // an old key must be read before it can be replaced
	"crypto/pbkdf2"
	"crypto/sha1" //nolint:gosec // as above
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"hash"
)

// Encrypted keys of PKCS #8, with the schemes that OpenSSL and Java's keytool write:
// PBES2 of PBKDF2 and a block cipher in CBC mode (RFC 8018, 6.2 and appendix A). The
// ciphers are those of the standard library; what is here reads their parameters.
// github.com/youmark/pkcs8 (a2c0da244d78) does not do: it does not know HMAC with SHA-384
// or SHA-512, nor the length of the key that Java writes among the parameters, and
// panics where data or initialization vector have a wrong length.

type encryptedKey struct {
	Algorithm pkix.AlgorithmIdentifier
	Data      []byte
}

type pbes2 struct {
	Derivation, Scheme pkix.AlgorithmIdentifier
}

type pbkdf2Params struct {
	Salt       []byte
	Iterations int
	Length     int                      `asn1:"optional"`
	PRF        pkix.AlgorithmIdentifier `asn1:"optional"`
}

var (
	oidPBES2  = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 5, 13}
	oidPBKDF2 = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 5, 12}
)

// prfs are HMAC with each of these hashes; the empty one is the default.
var prfs = map[string]func() hash.Hash{
	"": sha1.New, "1.2.840.113549.2.7": sha1.New, "1.2.840.113549.2.9": sha256.New,
	"1.2.840.113549.2.10": sha512.New384, "1.2.840.113549.2.11": sha512.New,
}

// scheme is a block cipher and the length of its key.
type scheme struct {
	length int
	cipher func([]byte) (cipher.Block, error)
}

var schemes = map[string]scheme{
	"2.16.840.1.101.3.4.1.2":  {16, aes.NewCipher},
	"2.16.840.1.101.3.4.1.22": {24, aes.NewCipher},
	"2.16.840.1.101.3.4.1.42": {32, aes.NewCipher},
	"1.2.840.113549.3.7":      {24, des.NewTripleDESCipher},
}

// mostIterations bounds the time that a key of somebody else's can cost: some seconds.
const mostIterations = 10_000_000

var errOtherScheme = errors.New("encrypted with another scheme than PBES2 with PBKDF2 and AES or 3DES in CBC mode; convert it: openssl pkcs8 -topk8 -v2 aes256 -in OLD -out NEW")

// decryptPKCS8 is the PrivateKeyInfo in an EncryptedPrivateKeyInfo.
func decryptPKCS8(der []byte, password string) ([]byte, error) {
	if password == "" {
		return nil, errors.New("ssl.key.password is missing")
	}
	var key encryptedKey
	var params pbes2
	if _, err := asn1.Unmarshal(der, &key); err != nil {
		return nil, fmt.Errorf("expected an encrypted key of PKCS #8: %w", err)
	}
	if !key.Algorithm.Algorithm.Equal(oidPBES2) {
		return nil, errOtherScheme
	}
	if _, err := asn1.Unmarshal(key.Algorithm.Parameters.FullBytes, &params); err != nil {
		return nil, fmt.Errorf("expected parameters of PBES2: %w", err)
	}
	mode, err := params.mode(password)
	if err != nil {
		return nil, err
	}
	return decryptCBC(mode, key.Data)
}

// mode is the cipher with the key that the password gives.
func (p pbes2) mode(password string) (cipher.BlockMode, error) {
	var kdf pbkdf2Params
	var iv []byte
	if _, err := asn1.Unmarshal(p.Derivation.Parameters.FullBytes, &kdf); err != nil || !p.Derivation.Algorithm.Equal(oidPBKDF2) {
		return nil, errOtherScheme
	}
	prf, known := prfs[kdf.PRF.Algorithm.String()]
	s, known2 := schemes[p.Scheme.Algorithm.String()]
	if !known || !known2 {
		return nil, errOtherScheme
	}
	if kdf.Iterations < 1 || kdf.Iterations > mostIterations {
		return nil, fmt.Errorf("%d iterations of PBKDF2, expected 1 to %d", kdf.Iterations, mostIterations)
	}
	secret, err := pbkdf2.Key(prf, password, kdf.Salt, kdf.Iterations, s.length)
	if err != nil {
		return nil, err
	}
	block, err := s.cipher(secret)
	if err != nil {
		return nil, err
	}
	if _, err := asn1.Unmarshal(p.Scheme.Parameters.FullBytes, &iv); err != nil || len(iv) != block.BlockSize() {
		return nil, fmt.Errorf("expected an initialization vector of %d bytes", block.BlockSize())
	}
	return cipher.NewCBCDecrypter(block, iv), nil
}

// decryptCBC takes the padding off. What a wrong password gives is no key.
func decryptCBC(mode cipher.BlockMode, data []byte) ([]byte, error) {
	size := mode.BlockSize()
	if len(data) == 0 || len(data)%size != 0 {
		return nil, fmt.Errorf("%d bytes, expected whole blocks of %d", len(data), size)
	}
	clear := make([]byte, len(data))
	mode.CryptBlocks(clear, data)
	padding := int(clear[len(clear)-1])
	if padding < 1 || padding > size {
		return nil, errors.New("ssl.key.password does not fit")
	}
	clear = clear[:len(clear)-padding]
	if _, err := x509.ParsePKCS8PrivateKey(clear); err != nil {
		return nil, errors.New("ssl.key.password does not fit")
	}
	return clear, nil
}
