package security

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func testdata(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestMaterial: the same certificate and key come out of all that other programs write.
func TestMaterial(t *testing.T) {
	certificate, key := testdata(t, "certificate.pem"), testdata(t, "clear.pem")
	both := filepath.Join(t.TempDir(), "both.pem")
	if err := os.WriteFile(both, []byte("subject=shop\n"+testdata(t, "aes128.pem")+certificate), 0o600); err != nil {
		t.Fatal(err)
	}
	pemFile := func(name string) given {
		return given{"ssl.certificate.location": "testdata/certificate.pem", "ssl.key.location": "testdata/" + name, "ssl.key.password": "hunter2"}
	}
	tests := map[string]given{
		"in the clear":      pemFile("clear.pem"),
		"AES-256":           pemFile("aes256.pem"),
		"AES-128":           pemFile("aes128.pem"),
		"triple DES":        pemFile("des3.pem"),
		"text":              {"ssl.certificate.pem": certificate, "ssl.key.pem": key},
		"text, no ends":     {"ssl.certificate.pem": strings.ReplaceAll(certificate, "\n", ""), "ssl.key.pem": strings.ReplaceAll(key, "\n", " ")},
		"PEM store":         {"ssl.keystore.location": both, "ssl.key.password": "hunter2"},
		"PKCS #12":          {"ssl.keystore.location": "testdata/store.p12", "ssl.keystore.password": "hunter2"},
		"JKS, one password": {"ssl.keystore.location": "testdata/same.jks", "ssl.keystore.password": "hunter2"},
		"JKS":               {"ssl.keystore.location": "testdata/store.jks", "ssl.keystore.password": "hunter2", "ssl.key.password": "keypass1"},
	}
	for name, g := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := g.material()
			if err != nil {
				t.Fatal(err)
			}
			want := material{certificate: certificate, key: key}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(material{})); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestMaterialRefused(t *testing.T) {
	cert := map[string]string{"ssl.certificate.location": "testdata/certificate.pem"}
	tests := map[string]struct {
		g    given
		want string
	}{
		"wrong password":  {given{"ssl.key.location": "testdata/aes256.pem", "ssl.key.password": "hunter3"}, "ssl.key.location: decrypt the key: ssl.key.password does not fit"},
		"no password":     {given{"ssl.key.location": "testdata/aes256.pem"}, "ssl.key.location: decrypt the key: ssl.key.password is missing"},
		"older scheme":    {given{"ssl.key.location": "testdata/pbe.pem", "ssl.key.password": "hunter2"}, "convert it: openssl pkcs8 -topk8 -v2 aes256"},
		"oldest scheme":   {given{"ssl.key.location": "testdata/dek.pem", "ssl.key.password": "hunter2"}, "convert it: openssl pkcs8 -topk8 -v2 aes256"},
		"no key":          {given{"ssl.key.location": "testdata/certificate.pem"}, "ssl.key.location: expected a private key in PEM, found none"},
		"key alone":       {given{"ssl.certificate.location": "", "ssl.key.location": "testdata/clear.pem"}, "ssl.certificate.location and ssl.key.location: expected a certificate and its key in PEM, one of them is missing"},
		"no file":         {given{"ssl.key.location": "testdata/no.pem"}, "ssl.key.location: expected a readable file: "},
		"directory":       {given{"ssl.ca.location": "testdata"}, "ssl.ca.location: expected a readable file: "},
		"no certificates": {given{"ssl.ca.location": "testdata/clear.pem"}, "ssl.ca.location: expected certificates in PEM, found none"},
		"store password":  {given{"ssl.keystore.location": "testdata/store.p12", "ssl.keystore.password": "hunter3"}, "ssl.keystore.location: read a PKCS #12 store: "},
		"JKS password":    {given{"ssl.keystore.location": "testdata/store.jks", "ssl.keystore.password": "hunter3"}, "ssl.keystore.location: read a JKS store: "},
		"key of JKS":      {given{"ssl.keystore.location": "testdata/store.jks", "ssl.keystore.password": "hunter2"}, "ssl.keystore.location: read the key shop of a JKS store: "},
		"no key in JKS":   {given{"ssl.keystore.location": "testdata/trust.jks", "ssl.keystore.password": "hunter2"}, "expected a private key in a JKS store, found none"},
		"JCEKS":           {given{"ssl.keystore.location": "testdata/trust.jceks", "ssl.keystore.password": "hunter2"}, "convert it: keytool -importkeystore"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for key, value := range cert {
				if _, told := tc.g[key]; !told && tc.g["ssl.keystore.location"] == "" {
					tc.g[key] = value
				}
			}
			_, err := tc.g.material()
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("%v\nexpected an error with %q", err, tc.want)
			}
			for _, secret := range []string{"hunter", "keypass"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("%v: repeats a password", err)
				}
			}
		})
	}
}

func TestTrustStore(t *testing.T) {
	want := testdata(t, "certificate.pem")
	for _, name := range []string{"certificate.pem", "trust.jks", "trust.p12"} {
		got, err := trustStore([]byte(testdata(t, name)), "hunter2")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
	for name, want := range map[string]string{
		"clear.pem": "expected certificates in PEM, found none", "trust.jceks": "convert it: keytool", "README.md": "convert it: keytool",
	} {
		if _, err := trustStore([]byte(testdata(t, name)), "hunter2"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected an error with %q", name, err, want)
		}
	}
}

// FuzzKeys: whatever stands in a file, it is refused and nothing more.
func FuzzKeys(f *testing.F) {
	for _, name := range []string{"aes256.pem", "dek.pem", "store.jks", "store.p12", "trust.jks", "trust.p12"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(_ *testing.T, raw []byte) {
		_, _, _ = keyStore(raw, "hunter2", "keypass1")
		_, _ = trustStore(raw, "hunter2")
		_, _ = decryptPKCS8(raw, "hunter2")
	})
}
