package security

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
)

// readText reads a file of that text, which may name files of testdata. The path is
// taken out of what it says.
func readText(t *testing.T, text string) (Settings, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "client.properties")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := ReadFile(path)
	for i := range s.Ignored {
		s.Ignored[i] = strings.ReplaceAll(s.Ignored[i], path, "FILE")
	}
	if err != nil {
		return s, errorText{strings.ReplaceAll(err.Error(), path, "FILE"), err}
	}
	return s, nil
}

// errorText is an error in other words.
type errorText struct {
	text string
	of   error
}

func (e errorText) Error() string { return e.text }
func (e errorText) Unwrap() error { return e.of }

// body is the lines of a text in PEM that tell something.
func body(text string) []string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[1 : len(lines)-1]
}

var sortedSecrets = cmp.FilterPath(
	func(p cmp.Path) bool { return p.String() == "Secrets" },
	cmp.Transformer("sorted", func(s []string) []string { return slices.Sorted(slices.Values(s)) }))

func TestReadFile(t *testing.T) {
	certificate, key := testdata(t, "certificate.pem"), testdata(t, "clear.pem")
	inLine := strings.ReplaceAll(certificate, "\n", "\\n\\\n")
	tests := map[string]struct {
		text string
		want Settings
	}{
		"nothing": {"# all is plain text\n", Settings{Client: map[string]string{}}},
		"PLAIN by librdkafka's names": {
			"security.protocol=sasl_plaintext\nsasl.mechanisms=PLAIN\nsasl.username=shop\nsasl.password=hunter2\n",
			Settings{
				Client:  map[string]string{"security.protocol": "sasl_plaintext", "sasl.mechanism": "PLAIN", "sasl.username": "shop", "sasl.password": "hunter2"},
				Secrets: []string{"hunter2"},
			},
		},
		"SCRAM by Java's names, and what is beside": {
			"bootstrap.servers=a:9092\nclient.id=till\nsecurity.protocol=SASL_SSL\nsasl.mechanism=SCRAM-SHA-512\n" +
				"sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \\\n  username=\"shop\" password=\"hunter2\";\n" +
				"ssl.truststore.location=testdata/trust.jks\nssl.truststore.password=hunter2\nssl.endpoint.identification.algorithm=\n",
			Settings{
				Client: map[string]string{
					"security.protocol": "SASL_SSL", "sasl.mechanism": "SCRAM-SHA-512", "sasl.username": "shop", "sasl.password": "hunter2",
					"ssl.ca.pem": certificate, "ssl.endpoint.identification.algorithm": "none",
				},
				Ignored: []string{"FILE:1: bootstrap.servers: not about security, ignored", "FILE:2: client.id: not about security, ignored"},
				Secrets: []string{"hunter2", `org.apache.kafka.common.security.scram.ScramLoginModule required username="shop" password="hunter2";`},
			},
		},
		"certificates by location": {
			"security.protocol=SSL\nssl.ca.location=testdata/certificate.pem\nssl.certificate.location=testdata/certificate.pem\n" +
				"ssl.key.location=testdata/aes256.pem\nssl.key.password=hunter2\nenable.ssl.certificate.verification=false\n",
			Settings{
				Client: map[string]string{
					"security.protocol": "SSL", "ssl.ca.pem": certificate, "ssl.certificate.pem": certificate, "ssl.key.pem": key,
					"enable.ssl.certificate.verification": "false",
				},
				Secrets: append(body(key), "hunter2"),
			},
		},
		"Java's stores": {
			"security.protocol=SSL\nssl.truststore.type=PKCS12\nssl.truststore.location=testdata/trust.p12\nssl.truststore.password=hunter2\n" +
				"ssl.keystore.type=JKS\nssl.keystore.location=testdata/store.jks\nssl.keystore.password=hunter2\nssl.key.password=keypass1\n",
			Settings{
				Client:  map[string]string{"security.protocol": "SSL", "ssl.ca.pem": certificate, "ssl.certificate.pem": certificate, "ssl.key.pem": key},
				Secrets: append(body(key), "hunter2", "keypass1"),
			},
		},
		"Java's PEM": {
			"security.protocol=SSL\nssl.truststore.type=PEM\nssl.truststore.certificates=" + inLine + "\n",
			Settings{Client: map[string]string{"security.protocol": "SSL", "ssl.ca.pem": certificate}},
		},
		"an unsecured token by Java's names": {
			"security.protocol=SASL_PLAINTEXT\nsasl.mechanism=OAUTHBEARER\n" +
				`sasl.jaas.config=OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="shop" unsecuredLoginListClaim_scope="|a|b" unsecuredLoginExtension_trace="7" unsecuredLoginLifetimeSeconds="60";` + "\n",
			Settings{
				Client: map[string]string{
					"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "OAUTHBEARER", "enable.sasl.oauthbearer.unsecure.jwt": "true",
					"sasl.oauthbearer.config": "principalClaimName=sub principal=shop scopeClaimName=scope lifeSeconds=60 scope=a,b extension_trace=7",
				},
				Secrets: []string{`OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="shop" unsecuredLoginListClaim_scope="|a|b" unsecuredLoginExtension_trace="7" unsecuredLoginLifetimeSeconds="60";`},
			},
		},
		"a token endpoint by Java's names": {
			"security.protocol=SASL_PLAINTEXT\nsasl.mechanism=OAUTHBEARER\nsasl.oauthbearer.token.endpoint.url=https://id.test/token\n" +
				"sasl.login.callback.handler.class=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler\n" +
				`sasl.jaas.config=OAuthBearerLoginModule required clientId="shop" clientSecret="hunter2" scope="orders" extension_trace="7";` + "\n",
			Settings{
				Client: map[string]string{
					"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "OAUTHBEARER", "sasl.oauthbearer.method": "oidc",
					"sasl.oauthbearer.token.endpoint.url": "https://id.test/token", "sasl.oauthbearer.scope": "orders", "sasl.oauthbearer.extensions": "trace=7",
					"sasl.oauthbearer.client.credentials.client.id": "shop", "sasl.oauthbearer.client.credentials.client.secret": "hunter2",
				},
				Secrets: []string{`OAuthBearerLoginModule required clientId="shop" clientSecret="hunter2" scope="orders" extension_trace="7";`, "hunter2"},
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := readText(t, tc.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got, sortedSecrets); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

const plainLogin = "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\n"

func TestReadFileRefuses(t *testing.T) {
	const oauth = "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=OAUTHBEARER\n"
	tests := map[string]string{
		"sasl.mechansm=PLAIN\n":            "FILE:1: sasl.mechansm: not a security setting that all clients share, did you mean sasl.mechanism?",
		"\nsecurity.protocl=SSL":           "FILE:2: security.protocl: unknown setting, did you mean security.protocol?",
		"linger.ms=5":                      "FILE:1: linger.ms: not a security setting; give it with -X",
		"ssl.cipher.suites=A":              "FILE:1: ssl.cipher.suites: not a security setting that all clients share",
		"sasl.kerberos.service.name=kafka": "FILE:1: sasl.kerberos.service.name: not a security setting that all clients share",
		"security.protocol=TLS":            `FILE:1: security.protocol: is "TLS", expected one of plaintext, ssl, sasl_plaintext, sasl_ssl`,
		"sasl.username=shop":               "FILE:1: sasl.username: needs security.protocol=SASL_SSL or SASL_PLAINTEXT, without which librdkafka ignores it and connects in plain text",
		"ssl.truststore.location=testdata/trust.jks\nssl.truststore.password=hunter2":                           "FILE:1: ssl.truststore.location: needs security.protocol=SSL or SASL_SSL, without which it means nothing",
		"security.protocol=SASL_PLAINTEXT":                                                                      "FILE: sasl.mechanism: is missing, expected one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER",
		"security.protocol=SASL_PLAINTEXT\nsasl.mechanism=GSSAPI\nsasl.username=a\nsasl.password=hunter2":       "FILE:2: sasl.mechanism=GSSAPI cannot be expressed by kcompare: expected one of PLAIN",
		plainLogin + "sasl.username=shop":                                                                       "FILE:3: sasl.username and sasl.password: both are needed for SASL",
		plainLogin + "sasl.password=hunter2\nsasl.mechanisms=PLAIN":                                             "FILE:4: sasl.mechanisms and sasl.mechanism: two names of one setting, give only one of them",
		plainLogin + "sasl.jaas.config=PlainLoginModule required password=\"hunter2\"":                          "FILE:3: sasl.jaas.config: expected MODULE required",
		plainLogin + "sasl.jaas.config=ScramLoginModule required username=a password=\"hunter2\";":              "FILE:3: sasl.jaas.config: ScramLoginModule does not go with sasl.mechanism=PLAIN",
		plainLogin + "sasl.jaas.config=PlainLoginModule required username=a password=hunter2 serviceName=k;":    "FILE:3: sasl.jaas.config: option serviceName of PlainLoginModule has no equal in other clients",
		plainLogin + "sasl.username=b\nsasl.jaas.config=PlainLoginModule required username=a password=hunter2;": "FILE:4: sasl.jaas.config and sasl.username: two names of one setting (username of the login module), give only one of them",
		oauth: "FILE: enable.sasl.oauthbearer.unsecure.jwt and sasl.oauthbearer.method: OAUTHBEARER needs one of them",
		oauth + "sasl.jaas.config=OAuthBearerLoginModule required;":                                                                                               `FILE:3: sasl.jaas.config: unsecuredLoginStringClaim_sub="NAME" is missing`,
		oauth + "sasl.jaas.config=OAuthBearerLoginModule required unsecuredLoginStringClaim_sub=a unsecuredLoginNumberClaim_x=1;":                                 "FILE:3: sasl.jaas.config: option unsecuredLoginNumberClaim_x of OAuthBearerLoginModule has no equal in other clients",
		oauth + "sasl.jaas.config=OAuthBearerLoginModule required unsecuredLoginStringClaim_sub='a b';":                                                           "FILE:3: sasl.jaas.config: librdkafka takes no blanks",
		oauth + "sasl.jaas.config=OAuthBearerLoginModule required;\nsasl.login.callback.handler.class=com.shop.Tokens":                                            "FILE:4: sasl.login.callback.handler.class: com.shop.Tokens is a program that only Java can call",
		oauth + "sasl.login.callback.handler.class=OAuthBearerLoginCallbackHandler":                                                                               "FILE:3: sasl.login.callback.handler.class: needs sasl.jaas.config",
		oauth + "sasl.oauthbearer.method=oidc\nsasl.oauthbearer.token.endpoint.url=http://id.test":                                                                "FILE: sasl.oauthbearer.client.credentials.client.id: needed with sasl.oauthbearer.method=oidc",
		oauth + "sasl.oauthbearer.method=oidc\nsasl.oauthbearer.token.endpoint.url=ftp://a\nsasl.oauthbearer.client.id=a\nsasl.oauthbearer.client.secret=hunter2": "FILE:4: sasl.oauthbearer.token.endpoint.url: expected an address with http or https",
		oauth + "enable.sasl.oauthbearer.unsecure.jwt=true\nsasl.oauthbearer.config=principle=a":                                                                  `FILE:4: sasl.oauthbearer.config: unknown name "principle", expected principal`,
		oauth + "enable.sasl.oauthbearer.unsecure.jwt=true\nsasl.oauthbearer.config=principal=a lifeSeconds=0":                                                    "FILE:4: sasl.oauthbearer.config: lifeSeconds=0: expected a number of seconds",
		"security.protocol=SSL\nssl.ca.location=testdata/no.pem":                                                                                                  "FILE:2: ssl.ca.location: expected a readable file: ",
		"security.protocol=SSL\nssl.certificate.location=testdata/certificate.pem":                                                                                "FILE:2: ssl.certificate.location and ssl.key.location: expected a certificate and its key in PEM, one of them is missing",
		"security.protocol=SSL\nssl.keystore.location=testdata/store.p12\nssl.keystore.password=hunter3":                                                          "FILE:2: ssl.keystore.location: read a PKCS #12 store: ",
		"security.protocol=SSL\nssl.truststore.type=BKS\nssl.truststore.location=testdata/trust.jks":                                                              `FILE:2: ssl.truststore.type: is "BKS", expected JKS, PKCS12 or PEM`,
		"security.protocol=SSL\nssl.ca.location=testdata/certificate.pem\nssl.truststore.location=testdata/trust.jks":                                             "FILE:3: ssl.truststore.location and ssl.ca.location: two ways to say whom to trust",
		"a=b\na=c": "FILE:2: a: set twice, first in line 1: give it once",
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			_, err := readText(t, text)
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Fatalf("%v\nexpected an error that begins with %q", err, want)
			}
			if strings.Contains(err.Error(), "hunter") {
				t.Errorf("%v: repeats a password", err)
			}
			if other := new(drivers.UnsupportedError); !errors.As(err, new(*drivers.ConfigError)) && !errors.As(err, &other) && !strings.Contains(text, "a=b") {
				t.Errorf("%v: expected a *drivers.ConfigError", err)
			}
		})
	}
}

func TestReadFileAbsent(t *testing.T) {
	if _, err := ReadFile("testdata/none.properties"); err == nil || !strings.HasPrefix(err.Error(), "read client settings: open testdata/none.properties") {
		t.Errorf("%v, expected an error that names the file", err)
	}
}
