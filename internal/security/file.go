package security

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"kcompare/drivers"
	"kcompare/internal/config"
)

// Settings is what a file of client settings says about security.
type Settings struct {
	// Client is for client libraries, by canonical name, with certificates and keys
	// as text, so that no file is read again. It has secrets in it.
	Client map[string]string

	// Ignored has a sentence for each line that is not about security and was passed
	// over: "client.properties:3: client.id: ...". No values.
	Ignored []string

	// Secrets is every value that must not appear anywhere, and what was found
	// inside: the passwords of a jaas line, the lines of a key in the clear.
	Secrets []string
}

// ReadFile reads the file of --command-config: .properties, by librdkafka's names or
// Java's. Each error begins with the file and, where there is one, the line. Settings
// that are wrong are a *drivers.ConfigError, what kcompare cannot do at all is a
// *drivers.UnsupportedError; neither repeats a secret.
func ReadFile(path string) (Settings, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Settings{}, fmt.Errorf("read client settings: %w", err)
	}
	lines, err := parseProperties(string(text))
	if err != nil {
		return Settings{}, fmt.Errorf("%s:%w", path, err)
	}
	f := file{path: path, at: map[string]int{}, said: map[string]string{}, spelled: map[string]string{}}
	if err := f.read(lines); err != nil {
		return Settings{}, f.located(err)
	}
	client, err := f.client()
	if err != nil {
		return Settings{}, f.located(err)
	}
	return Settings{Client: client, Ignored: f.ignored, Secrets: f.allSecrets(client)}, nil
}

// file is what the lines of one said, by canonical name, and by Java's where there is
// no canonical one.
type file struct {
	path    string
	said    map[string]string
	at      map[string]int    // the line of each, by the name that it has there too
	spelled map[string]string // the name that it has there
	ignored []string
	secrets []string
}

// javaOnly are settings of Java's clients that become others here.
var javaOnly = []string{
	"sasl.jaas.config", "sasl.login.callback.handler.class",
	"ssl.truststore.location", "ssl.truststore.password", "ssl.truststore.type", "ssl.keystore.type",
}

// usable are the canonical settings that a file may have. Others about security have
// no meaning that all libraries share.
var usable = []string{
	"security.protocol",
	"ssl.ca.location", "ssl.ca.pem", "ssl.certificate.location", "ssl.certificate.pem",
	"ssl.key.location", "ssl.key.pem", "ssl.key.password", "ssl.keystore.location", "ssl.keystore.password",
	"enable.ssl.certificate.verification", "ssl.endpoint.identification.algorithm",
	"sasl.mechanism", "sasl.username", "sasl.password",
	"enable.sasl.oauthbearer.unsecure.jwt", "sasl.oauthbearer.config", "sasl.oauthbearer.method",
	"sasl.oauthbearer.client.credentials.client.id", "sasl.oauthbearer.client.credentials.client.secret",
	"sasl.oauthbearer.token.endpoint.url", "sasl.oauthbearer.scope", "sasl.oauthbearer.extensions",
}

// besides are settings that files for a cluster often have beside security. They shape
// a client, and trials set those themselves.
var besides = []string{
	"acks", "bootstrap.servers", "client.dns.lookup", "client.id", "connections.max.idle.ms",
	"default.api.timeout.ms", "group.id", "key.deserializer", "key.serializer", "metadata.broker.list",
	"reconnect.backoff.max.ms", "reconnect.backoff.ms", "request.timeout.ms", "retries",
	"retry.backoff.max.ms", "retry.backoff.ms", "session.timeout.ms", "socket.timeout.ms",
	"value.deserializer", "value.serializer",
}

func (f *file) read(lines []line) error {
	for _, l := range lines {
		f.at[l.key] = l.at
		if slices.Contains(besides, l.key) {
			f.ignored = append(f.ignored, fmt.Sprintf("%s:%d: %s: not about security, ignored", f.path, l.at, l.key))
			continue
		}
		name, err := nameOf(l.key)
		if err != nil {
			return err
		}
		if other, twice := f.spelled[name]; twice {
			return wrong("two names of one setting, give only one of them", l.key, other)
		}
		f.spelled[name], f.said[name], f.at[name] = l.key, l.value, l.at
		if setting, known := config.Lookup(name); known && setting.Secret() || strings.Contains(name, "password") {
			f.secrets = append(f.secrets, l.value)
		}
	}
	return nil
}

// nameOf is the name under which a setting is kept.
func nameOf(key string) (string, error) {
	if slices.Contains(javaOnly, key) {
		return key, nil
	}
	setting, known := config.Lookup(key)
	switch {
	case known && slices.Contains(usable, setting.Name):
		return setting.Name, nil
	case strings.HasPrefix(key, "ssl.") || strings.HasPrefix(key, "sasl."):
		return "", wrong("not a security setting that all clients share"+nearest(key), key)
	case known:
		return "", wrong("not a security setting; give it with -X", key)
	}
	return "", wrong("unknown setting"+nearest(key), key)
}

// nearest proposes a name for a mistyped one.
func nearest(key string) string {
	names := slices.Concat(javaOnly, usable, besides)
	for _, name := range usable {
		setting, _ := config.Lookup(name)
		names = append(names, setting.Aliases...)
	}
	if near := config.Nearest(key, names); near != "" {
		return ", did you mean " + near + "?"
	}
	return ""
}

// located puts the file and line of the first key in front of an error that names it.
func (f *file) located(err error) error {
	var bad *drivers.ConfigError
	var other *drivers.UnsupportedError
	var keys []string
	switch {
	case errors.As(err, &bad):
		keys = bad.Keys
	case errors.As(err, &other):
		keys = []string{other.Key}
	}
	for _, key := range keys {
		if at := f.at[key]; at > 0 {
			return fmt.Errorf("%s:%d: %w", f.path, at, err)
		}
	}
	return fmt.Errorf("%s: %w", f.path, err)
}

// client is the settings for client libraries, found good.
func (f *file) client() (map[string]string, error) {
	g := given(maps.Clone(f.said))
	for _, step := range []func(given) error{f.jaas, f.trust, f.check, f.texts} {
		if err := step(g); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// trust turns Java's trust store into ssl.ca.pem.
func (f *file) trust(g given) error {
	path, password := g["ssl.truststore.location"], g["ssl.truststore.password"]
	for _, key := range []string{"ssl.truststore.type", "ssl.keystore.type"} {
		if kind := g[key]; kind != "" && !slices.Contains([]string{"JKS", "PKCS12", "PEM"}, strings.ToUpper(kind)) {
			return wrong(fmt.Sprintf("is %q, expected JKS, PKCS12 or PEM", kind), key)
		}
		delete(g, key) // a store's first bytes say what it is
	}
	delete(g, "ssl.truststore.location")
	delete(g, "ssl.truststore.password")
	if path == "" {
		return nil
	}
	for _, key := range []string{"ssl.ca.location", "ssl.ca.pem"} {
		if g[key] != "" {
			return wrong("two ways to say whom to trust, give only one of them", "ssl.truststore.location", f.spelled[key])
		}
	}
	raw, err := readFile("ssl.truststore.location", path)
	if err != nil {
		return err
	}
	if g["ssl.ca.pem"], err = trustStore([]byte(raw), password); err != nil {
		return wrong(err.Error(), "ssl.truststore.location")
	}
	return nil
}

// check refuses what would come to nothing, or to a surprise.
func (f *file) check(g given) error {
	if value, told := g["ssl.endpoint.identification.algorithm"]; told && value == "" {
		g["ssl.endpoint.identification.algorithm"] = "none" // Java's way to say so
	}
	var bad *config.Error
	if err := config.Check(g, config.Producer); errors.As(err, &bad) {
		return wrong(bad.Reason, bad.Keys...)
	}
	for _, key := range slices.Sorted(maps.Keys(g)) {
		switch {
		case strings.Contains(key, "sasl.") && !g.authenticated():
			return wrong("needs security.protocol=SASL_SSL or SASL_PLAINTEXT, without which librdkafka ignores it and connects in plain text", f.written(key)...)
		case strings.Contains(key, "ssl.") && !g.encrypted():
			return wrong("needs security.protocol=SSL or SASL_SSL, without which it means nothing", f.written(key)...)
		}
	}
	return nil
}

// written is the key as it stands in the file, or the one that it was made of.
func (f *file) written(key string) []string {
	switch {
	case f.spelled[key] != "":
		return []string{f.spelled[key]}
	case key == "ssl.ca.pem":
		return []string{"ssl.truststore.location"}
	}
	return []string{"sasl.jaas.config"}
}

// texts puts certificates and keys in the place of files.
func (f *file) texts(g given) error {
	if _, err := TLS(g); err != nil {
		return err
	}
	if _, err := Mechanism("kcompare", g, nil); err != nil {
		return err
	}
	m, err := g.material()
	if err != nil || !g.encrypted() {
		return err
	}
	for _, key := range []string{
		"ssl.ca.location", "ssl.certificate.location", "ssl.key.location", "ssl.key.password",
		"ssl.keystore.location", "ssl.keystore.password",
	} {
		delete(g, key)
	}
	for key, text := range map[string]string{"ssl.ca.pem": m.ca, "ssl.certificate.pem": m.certificate, "ssl.key.pem": m.key} {
		if text != "" {
			g[key] = text
		}
	}
	return nil
}

// allSecrets adds the lines of a key to what the file itself had: as a whole it hardly
// ever appears, with its line ends written in another way.
func (f *file) allSecrets(client map[string]string) []string {
	secrets := f.secrets
	for line := range strings.Lines(client["ssl.key.pem"]) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "-----") {
			secrets = append(secrets, line)
		}
	}
	secrets = slices.DeleteFunc(secrets, func(s string) bool { return s == "" })
	slices.Sort(secrets)
	return slices.Compact(secrets)
}
