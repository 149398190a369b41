package explain

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/config"
	"kcompare/internal/convert"
	"kcompare/internal/source"
)

// settings reads "key=value key".
func settings(text string) []Asked {
	var all []Asked
	for word := range strings.FieldsSeq(text) {
		name, value, given := strings.Cut(word, "=")
		a := Asked{Name: name}
		if given {
			a.Value = &value
		}
		all = append(all, a)
	}
	return all
}

func explained(t *testing.T, text string) []Explanation {
	t.Helper()
	all, err := Explain(settings(text), Clients())
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return all
}

// TestNames: what a person may type, and which settings it is.
func TestNames(t *testing.T) {
	tests := map[string]string{
		"linger.ms": "linger.ms", "queue.buffering.max.ms=5": "linger.ms=5", "linger": "linger.ms",
		"ProducerLinger": "linger.ms", "kgo.ProducerLinger()": "linger.ms", "producerlinger=5ms": "linger.ms=5",
		"linger_ms=5": "linger.ms=5", "LINGER_MS_CONFIG=5": "linger.ms=5", "ProducerConfig.LINGER_MS_CONFIG": "linger.ms",
		"lingerMs": "linger.ms", "Linger.MS": "linger.ms", "idempotence": "enable.idempotence", "isolation": "isolation.level",
		"enableAutoCommit=false":         "enable.auto.commit=false",
		"bootstrap_servers":              "bootstrap.servers",
		"ProducerBatchMaxBytes=16384":    "batch.size=16384 message.max.bytes=16384",
		"DisableIdempotentWrite=true":    "enable.idempotence=false",
		"MaxBufferedBytes=1048576":       "queue.buffering.max.kbytes=1024",
		"buffer.memory=1048576":          "queue.buffering.max.kbytes=1024",
		"BUFFER_MEMORY_CONFIG=1048576":   "queue.buffering.max.kbytes=1024",
		"max.block.ms":                   "topic.metadata.propagation.max.ms",
		"max.request.size":               "message.max.bytes",
		"fetch.max.wait.ms":              "fetch.wait.max.ms",
		"SASL":                           "SASL",
		"withpools":                      "WithPools",
		"default.api.timeout.ms":         "default.api.timeout.ms",
		"go.delivery.reports":            "go.delivery.reports",
		"on_delivery":                    "on_delivery",
		"request.timeout.ms":             "request.timeout.ms",
		"enable_sasl_queue":              "enable_sasl_queue",
		"acks=1 enable.idempotence=true": "acks=1 enable.idempotence=true",
	}
	for typed, want := range tests {
		var got []string
		for _, e := range explained(t, typed) {
			text := e.Key
			if e.Value != nil {
				text += "=" + *e.Value
			}
			if name, _, _ := strings.Cut(typed, "="); len(settings(typed)) == 1 && name != e.Key && e.Note == "" {
				t.Errorf("%s: nothing says that it is taken for %s", typed, e.Key)
			}
			got = append(got, text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s is taken for %s, want %s", typed, got, want)
		}
	}
}

func TestUnknown(t *testing.T) {
	tests := map[string]string{
		"linger.mss":                           "linger.mss: unknown setting, did you mean linger.ms?",
		"ProducerLingr":                        "ProducerLingr: unknown setting, did you mean ProducerLinger?",
		"lingr":                                "lingr: unknown setting, did you mean linger.ms?",
		"Lingr":                                "Lingr: unknown setting, did you mean linger.ms?",
		"idempotance":                          "idempotance: unknown setting, did you mean enable.idempotence?",
		"isolaton":                             "isolaton: unknown setting, did you mean isolation.level?",
		"auto_comit":                           "auto_comit: unknown setting, expected one of auto.commit.enable, auto.commit.interval.ms",
		"timout":                               "timout: unknown setting, expected one of ",
		"mx":                                   "mx: unknown setting, `config defaults` lists them all",
		"rocketmq":                             "rocketmq: unknown setting, `config defaults` lists them all",
		"min.insync.replicas":                  "min.insync.replicas: is a setting of topics, not of clients",
		"num.network.threads":                  "num.network.threads: is a setting of brokers, not of clients",
		"kerberos":                             "kerberos: unknown setting, expected one of sasl.kerberos.keytab, ",
		"linger.ms=1 queue.buffering.max.ms=2": "linger.ms: given twice, as queue.buffering.max.ms too; give only one value",
	}
	for typed, want := range tests {
		_, err := Explain(settings(typed), Clients())
		var wrong *config.Error
		if !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", typed, err, want)
		}
	}
}

// TestEveryNameIsExplained: no name of any client's table ends in an error, and what is
// known of a setting is told.
func TestEveryNameIsExplained(t *testing.T) {
	for _, v := range config.Versions() {
		if !slices.Contains([]string{"librdkafka", "franz-go", "kafka-clients"}, v.Library) {
			continue
		}
		for _, p := range v.Properties() {
			if _, err := Explain([]Asked{{Name: p.Name}}, Clients()); err != nil {
				t.Errorf("%s %s: %v", v.Library, v.Name, err)
			}
		}
	}
	for _, s := range config.Settings() {
		e := explained(t, s.Name)[0]
		if e.Does == "" || e.For == "" || e.Type == "" || e.Range == "" || e.Wire == "" || e.Means == "" || e.Gotcha == "" || len(e.Clients) < 3 {
			t.Errorf("%s: something is not told: %+v", s.Name, e)
		}
	}
}

// TestEveryDefaultHasAnEquivalent: the default of librdkafka in the words of franz-go is
// code, nothing, or a reason; never an error of this program.
func TestEveryDefaultHasAnEquivalent(t *testing.T) {
	for _, s := range config.Settings() {
		word, _, _ := strings.Cut(s.Default, " ")
		if s.Type == config.Refused || strings.HasPrefix(word, "(") || s.Name == "metadata.request.timeout.ms" {
			continue
		}
		for _, e := range explained(t, s.Name+"="+word) {
			for _, c := range e.Clients {
				if len(c.Equivalent) > 0 && c.Lost != "" {
					t.Errorf("%s=%s is both %q and lost (%s) in %s", s.Name, word, c.Equivalent, c.Lost, c.Client)
				}
				for _, line := range c.Equivalent {
					if c.Client == "franz" && !strings.HasPrefix(line, "kgo.") {
						t.Errorf("%s=%s is %q in franz-go", s.Name, word, line)
					}
				}
			}
		}
	}
}

// TestWords is values in the words of each client.
func TestWords(t *testing.T) {
	tests := map[string][3]string{ // franz, librdkafka (the newest), java
		"linger.ms=5":             {"kgo.ProducerLinger(5*time.Millisecond)", "linger.ms=5", "linger.ms=5"},
		"linger.ms=70000":         {"lost: kgo takes 60000 ms or less", "linger.ms=70000", "linger.ms=70000"},
		"acks=all":                {"kgo.RequiredAcks(kgo.AllISRAcks())", "acks=all", "acks=all"},
		"acks=2":                  {"lost: kgo takes 0, 1 and all", "acks=2", "lost: only 0, 1 and all are in Java"},
		"session.timeout.ms=6000": {"kgo.SessionTimeout(6*time.Second)", "session.timeout.ms=6000", "session.timeout.ms=6000"},
		"max.poll.records=10":     {"lost: there is nothing like it", "max.poll.records=10", "max.poll.records=10"},
		"sasl.password=hunter2":   {"lost: has no effect without security.protocol=sasl_ssl or sasl_plaintext", "sasl.password=${SASL_PASSWORD}", "lost: Java takes it in sasl.jaas.config, with the login module of sasl.mechanism"},
		"enable.idempotence=true": {"", "enable.idempotence=true", "enable.idempotence=true"},
		"isolation.level=read":    {"", `lost: is "read", expected one of read_uncommitted, read_committed`, ""},
	}
	for typed, want := range tests {
		e := explained(t, typed)[0]
		var got [3]string
		for _, c := range e.Clients {
			text := strings.Join(c.Equivalent, ", ")
			if c.Lost != "" {
				text = "lost: " + c.Lost
			}
			got[slices.Index(Clients(), c.Client)] = text
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", typed, d)
		}
	}
}

// TestVersions: versions of librdkafka stand in one row where they agree.
func TestVersions(t *testing.T) {
	tests := map[string][]string{
		"linger.ms":          {"2.11.1 2.16.0: linger.ms 5 0 .. 900000"},
		"fetch.min.bytes":    {"2.11.1: fetch.min.bytes 1 1 .. 100000000", "2.16.0: fetch.min.bytes 1 0 .. 2147483647"},
		"max.poll.records=5": {"2.11.1:  - - lost: no such setting in this version", "2.16.0: max.poll.records 500 1 .. 2147483647"},
	}
	for typed, want := range tests {
		var got []string
		for _, c := range explained(t, typed)[0].Clients {
			if c.Client != "librdkafka" {
				continue
			}
			text := strings.Join(c.Versions, " ") + ": " + strings.Join(c.Names, " ") + " " + c.Default + " " + c.Range
			if c.Lost != "" {
				text += " lost: " + c.Lost
			}
			got = append(got, text)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", typed, d)
		}
	}
}

// TestTogether: rules that the given values break, and values that are wrong.
func TestTogether(t *testing.T) {
	tests := map[string]string{
		"acks=1 enable.idempotence=true":                    "acks and enable.idempotence",
		"acks=all enable.idempotence=true":                  "",
		"acks enable.idempotence=true":                      "",
		"session.timeout.ms=6000 max.poll.interval.ms=5000": "session.timeout.ms and max.poll.interval.ms",
		"transactional.id=t ProducerLinger=5ms delivery.timeout.ms=120000 transaction.timeout.ms=60000": "delivery.timeout.ms and transaction.timeout.ms",
		"compression.type=snapy": `is "snapy", expected one of none, gzip, snappy, lz4, zstd, did you mean snappy?`,
		"retries=-1":             `is "-1", expected integer 0 .. 2147483647`,
	}
	for typed, want := range tests {
		found := map[string]bool{}
		bad := false
		for _, e := range explained(t, typed) {
			bad = bad || e.Bad()
			if e.Wrong != "" {
				found[e.Wrong] = true
			}
			for _, c := range e.Conflicts {
				if c.Broken {
					found[strings.Join(c.Keys, " and ")] = true
				}
			}
		}
		var got []string
		for text := range found {
			got = append(got, text)
		}
		if strings.Join(got, "; ") != want || bad != (want != "") {
			t.Errorf("%s: %q (bad: %v), want %q", typed, got, bad, want)
		}
	}
}

func TestSecretsAreNotTold(t *testing.T) {
	for _, s := range config.Settings() {
		if !s.Secret() {
			continue
		}
		all := explained(t, s.Name+"=hunter2 security.protocol=sasl_ssl sasl.mechanism=PLAIN sasl.username=u")
		text, err := json.Marshal(all)
		if err != nil || strings.Contains(string(text), "hunter2") {
			t.Errorf("%s: %v %s", s.Name, err, text)
		}
	}
}

// TestDefaultsAreThoseOfTheTables: what `config defaults` shows in canonical words is what
// the tables have, which the libraries said themselves.
func TestDefaultsAreThoseOfTheTables(t *testing.T) {
	compared := 0
	for _, client := range Clients() {
		for _, of := range []source.Role{source.Producer, source.Consumer} {
			for key, word := range convert.Defaults(client, of) {
				s, _ := config.Lookup(key)
				p, has := tableOf(s, client, of)
				number, isNumber := inMillis(p)
				if _, derived := derived[client+" "+key]; derived || !has || !isNumber {
					continue
				}
				compared++
				if got, err := strconv.ParseFloat(word, 64); err != nil || got != number {
					t.Errorf("%s: %s is %s by default, its table has %s of %s", client, key, word, p.Default, p.Name)
				}
			}
		}
	}
	if compared < 100 {
		t.Errorf("%d defaults compared, expected 100 and more", compared)
	}
}

func tableOf(s config.Setting, client string, of source.Role) (config.Property, bool) {
	switch client {
	case "franz":
		return property(inFranz(s))
	case "java":
		letter := map[source.Role]string{source.Producer: "P", source.Consumer: "C"}[of]
		name, _, _ := strings.Cut(s.JavaKey, " (")
		for _, p := range config.Newest("kafka-clients").Properties() {
			if p.Name == name && (p.Applies == "*" || strings.Contains(p.Applies, letter)) {
				return p, true
			}
		}
		return config.Property{}, false
	}
	return config.Newest("librdkafka").Of(s)
}

// inMillis is a default that is a number, or a time in milliseconds.
func inMillis(p config.Property) (float64, bool) {
	switch p.Type {
	case config.Integer, config.Float:
		n, err := strconv.ParseFloat(p.Default, 64)
		return n, err == nil
	case config.Duration:
		d, err := time.ParseDuration(p.Default)
		return float64(d) / float64(time.Millisecond), err == nil
	}
	return 0, false
}

// derived are defaults that follow from others, or whose unit is another one.
var derived = map[string]string{
	"franz socket.timeout.ms":                      "the time that the broker gets is added",
	"franz max.in.flight.requests.per.connection":  "5 with idempotence, whatever the option says",
	"franz retries":                                "more than librdkafka takes",
	"java queue.buffering.max.kbytes":              "bytes",
	"java topic.metadata.refresh.fast.interval.ms": "retry.backoff.ms",
	"java topic.metadata.propagation.max.ms":       "max.block.ms",
}
