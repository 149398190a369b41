package broker

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
)

// explain says what was expected of a broker where the first connection to it went
// wrong, and what to do. The library's own words follow.
func (a Access) explain(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); ctx.Err() != nil && !errors.Is(err, cause) {
		return fmt.Errorf("%w: %w", cause, err)
	}
	for _, reason := range []string{a.encryption(err), a.login(err)} {
		if reason != "" {
			return fmt.Errorf("%s: %w", reason, err)
		}
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("nobody listens there: %w", err)
	case errors.Is(err, io.EOF): // a kgo.ErrFirstReadEOF too
		return fmt.Errorf("it hung up; expected a Kafka broker %s: %w", a.words(), err)
	}
	return err
}

// encryption is the reason of errors that are about TLS.
func (a Access) encryption(err error) string {
	var (
		noTLS   tls.RecordHeaderError
		unknown x509.UnknownAuthorityError
		name    x509.HostnameError
		invalid x509.CertificateInvalidError
	)
	switch text := err.Error(); {
	case errors.As(err, &noTLS):
		return "expected TLS, it speaks something else; without encryption security.protocol is PLAINTEXT or SASL_PLAINTEXT"
	case errors.As(err, &unknown):
		return "its certificate is not of an authority that ssl.ca.location (or the trust store) has"
	case errors.As(err, &name):
		return "its certificate is for another name; name the broker as it does, or set ssl.endpoint.identification.algorithm=none"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "its certificate is expired, or not valid yet"
	case strings.Contains(text, "remote error: tls:"): // crypto/tls has no type for the alert of the other side
		return a.refused(time.Now())
	case strings.Contains(text, "immediately after a dial"): // kgo, errors.go, ErrFirstReadEOF
		return "expected TLS, it hung up; without encryption security.protocol is PLAINTEXT or SASL_PLAINTEXT"
	case a.TLS == nil && strings.Contains(text, "tls alert record"): // kgo, broker.go, parseReadSize
		return "expected plain text, it speaks TLS; set security.protocol to SSL or SASL_SSL"
	}
	return ""
}

// refused is the reason of a broker that ended the TLS of a client. Kafka says little
// more: certificate_unknown for one that is expired as for one of a stranger.
func (a Access) refused(now time.Time) string {
	var own *tls.Certificate
	if a.TLS.GetClientCertificate != nil {
		own, _ = a.TLS.GetClientCertificate(&tls.CertificateRequestInfo{}) // what security.TLS makes never fails
	}
	switch {
	case own == nil:
		return "it wants a certificate of the client, and there is none; set ssl.certificate.location and ssl.key.location"
	case own.Leaf != nil && now.After(own.Leaf.NotAfter):
		return "the client's certificate (ssl.certificate.location) has expired, on " + own.Leaf.NotAfter.UTC().Format(time.DateTime)
	}
	return "it refuses the client's certificate (ssl.certificate.location); it has to be of an authority that the broker trusts"
}

// login is the reason of errors that are about SASL.
func (a Access) login(err error) string {
	switch {
	case errors.Is(err, kerr.SaslAuthenticationFailed):
		return fmt.Sprintf("login with %s failed; check user and password, or token", a.SASL.Name())
	case errors.Is(err, kerr.UnsupportedSaslMechanism):
		return fmt.Sprintf("it has no %s for login; check sasl.mechanism", a.SASL.Name())
	case errors.Is(err, kerr.IllegalSaslState):
		return "it takes no login there; security.protocol without one is SSL or PLAINTEXT"
	}
	return ""
}

// words is what the broker was expected to speak, and what it may want instead.
func (a Access) words() string {
	switch {
	case a.TLS == nil && a.SASL == nil:
		return "in plain text without login; it may want TLS or SASL (security.protocol)"
	case a.SASL == nil:
		return "with TLS and without login; it may want SASL (security.protocol)"
	case a.TLS == nil:
		return "in plain text with " + a.SASL.Name() + "; it may want TLS (security.protocol), or another login"
	}
	return "with TLS and " + a.SASL.Name() + "; it may want another login"
}
