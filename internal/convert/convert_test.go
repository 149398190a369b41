package convert

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/source"
)

func convertText(t *testing.T, language source.Language, text string, o Options) (Result, error) {
	t.Helper()
	file, err := source.ReadText(t.Context(), language, "shop", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return Convert(file, o)
}

// lines are those of a text that hold settings.
func lines(text []byte) []string {
	var all []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			all = append(all, line)
		}
	}
	return all
}

// TestFalseFriends: settings that have one name and two meanings, or two names.
func TestFalseFriends(t *testing.T) {
	tests := []struct {
		name string
		from source.Language
		text string
		to   Target
		want []string // lines that the result has
		not  string   // what no line begins with
	}{
		{"Java waits what it tells the broker", source.Properties, "# librdkafka producer\nbootstrap.servers=a:1\nsocket.timeout.ms=20000\nrequest.timeout.ms=7000\n", Java,
			[]string{"request.timeout.ms=20000"}, "socket.timeout.ms"},
		{"the way back", source.Properties, "# java producer\nbootstrap.servers=a:1\nacks=all\nrequest.timeout.ms=20000\n", Librdkafka,
			[]string{"socket.timeout.ms=20000", "request.timeout.ms=20000"}, "-"},
		{"a delivery timeout has room for a request in Java", source.Properties, "# librdkafka producer\nbootstrap.servers=a:1\ndelivery.timeout.ms=30000\nlinger.ms=10\n", Java,
			[]string{"delivery.timeout.ms=30000", "request.timeout.ms=29990"}, "-"},
		{"kilobytes", source.Properties, "# librdkafka producer\nbootstrap.servers=a:1\nqueue.buffering.max.kbytes=2048\n", Java,
			[]string{"buffer.memory=2097152"}, "queue"},
		{"metadata", source.Properties, "# librdkafka producer\nbootstrap.servers=a:1\ntopic.metadata.refresh.interval.ms=9000\nmetadata.max.age.ms=27000\n", Java,
			[]string{"metadata.max.age.ms=9000"}, "topic"},
		{"no offset", source.Properties, "# librdkafka consumer\nbootstrap.servers=a:1\ngroup.id=g\nauto.offset.reset=error\nfetch.wait.max.ms=77\n", Java,
			[]string{"auto.offset.reset=none", "fetch.max.wait.ms=77"}, "fetch.wait"},
		{"assignors", source.Properties, "# java consumer\nbootstrap.servers=a:1\ngroup.id=g\npartition.assignment.strategy=org.apache.kafka.clients.consumer.RoundRobinAssignor\n", Librdkafka,
			[]string{"partition.assignment.strategy=roundrobin"}, "-"},
		{"acks switch idempotence off in Java", source.Properties, "# java producer\nbootstrap.servers=a:1\nacks=1\nkey.serializer=x\n", Librdkafka,
			[]string{"acks=1", "max.in.flight.requests.per.connection=5"}, "enable.idempotence"},
		{"idempotent by default in Java", source.Properties, "# java producer\nbootstrap.servers=a:1\nkey.serializer=x\n", Librdkafka,
			[]string{"enable.idempotence=true", "partitioner=murmur2_random"}, "max.in.flight"},
		{"a default that librdkafka would refuse is left out", source.Properties, "# java producer\nbootstrap.servers=a:1\ntransactional.id=t\nkey.serializer=x\n", Librdkafka,
			[]string{"transactional.id=t"}, "delivery.timeout.ms"},
		{"TLS", source.Properties, "# librdkafka producer\nbootstrap.servers=a:1\nsecurity.protocol=ssl\nssl.ca.location=ca.crt\n", Java,
			[]string{"security.protocol=SSL", "ssl.truststore.type=PEM", "ssl.truststore.location=ca.crt"}, "ssl.ca"},
		{"numbers in Python", source.Properties, "# librdkafka producer\nbootstrap.servers=a:1\nlinger.ms=0.50\nacks=-1\nenable.idempotence=t\nretries=7\n", Python,
			[]string{`"linger.ms": 0.5,`, `"acks": -1,`, `"enable.idempotence": True,`, `"retries": 7,`}, "-"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			result, err := convertText(t, test.from, test.text, Options{To: test.to})
			if err != nil {
				t.Fatal(err)
			}
			got := lines(result.Text)
			for _, want := range test.want {
				if !has(got, want) {
					t.Errorf("no line %q in\n%s", want, result.Text)
				}
			}
			for _, line := range got {
				if strings.HasPrefix(line, test.not) {
					t.Errorf("unexpected line %q in\n%s", line, result.Text)
				}
			}
		})
	}
}

func has(all []string, line string) bool {
	for _, l := range all {
		if l == line {
			return true
		}
	}
	return false
}

// TestSecrets: neither a password nor a key is in any target, in no comment.
func TestSecrets(t *testing.T) {
	const secret = "hunter2"
	for _, text := range []string{
		"# librdkafka producer\nbootstrap.servers=a:1\nsecurity.protocol=sasl_ssl\nsasl.mechanism=PLAIN\nsasl.username=u\nsasl.password=hunter2\nssl.key.password=hunter2\nssl.key.pem=hunter2\nsasl.oauthbearer.config=hunter2\n",
		"# java producer\nbootstrap.servers=a:1\nkey.serializer=x\nsecurity.protocol=SASL_SSL\nsasl.mechanism=PLAIN\nssl.keystore.password=hunter2\nssl.truststore.password=hunter2\n" +
			"sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username=\"u\" password=\"hunter2\";\nmy.password=hunter2\n",
	} {
		for _, to := range Targets() {
			result, err := convertText(t, source.Properties, text, Options{To: Target(to)})
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(result.Text), secret) {
				t.Errorf("%s:\n%s", to, result.Text)
			}
			if !strings.Contains(string(result.Text), "SASL_PASSWORD") {
				t.Errorf("%s: nothing stands for the password:\n%s", to, result.Text)
			}
			for _, l := range result.Lost {
				if strings.Contains(l.Value, secret) || strings.Contains(l.Reason, secret) {
					t.Errorf("%s: %+v", to, l)
				}
			}
		}
	}
}

func TestErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"# librdkafka\nbootstrap.servers=a:1\nacks=all\nlinger.mss=5\n", "shop:4: linger.mss: librdkafka knows no such setting, did you mean linger.ms?"},
		{"# librdkafka\nbootstrap.servers=a:1\nacks=all\nretries=-5\n", `shop:4: retries: is "-5", expected integer 0 .. 2147483647`},
		{"# librdkafka\nbootstrap.servers=a:1\nacks=1\nrequest.required.acks=all\n", "shop:4: request.required.acks: is another name of acks (line 3), give only one of them"},
		{"# librdkafka\nbootstrap.servers=a:1\nacks=1\nenable.idempotence=true\n", "shop:4: acks and enable.idempotence: idempotence needs acks=all; set it, or enable.idempotence=false"},
		{"# librdkafka\nbootstrap.servers=a:1\ngroup.id=g\npartition.assignment.strategy=range,cooperative-sticky\n",
			"shop:4: partition.assignment.strategy: librdkafka mixes no cooperative assignor with eager ones; cooperative-sticky alone, or the eager ones"},
		{"# librdkafka\nbootstrap.servers=a:1\nclient.id=x\n", "shop:2: nothing tells whether these are settings of a producer or a consumer; say so with --role=producer or --role=consumer"},
		{"process.roles=broker\nnode.id=1\n", "shop: has settings of a broker, expected those of a client"},
		{"colour=red\n", "shop: has no settings of a Kafka client"},
	}
	for _, test := range tests {
		_, err := convertText(t, source.Properties, test.text, Options{To: Python})
		var wrong *Error
		if !errors.As(err, &wrong) {
			t.Errorf("%q: %v, expected an *Error", test.text, err)
			continue
		}
		if diff := cmp.Diff(test.want, wrong.Error()); diff != "" {
			t.Errorf("%q: %s", test.text, diff)
		}
	}
}

// TestBothRoles: one client of kgo is a producer and a consumer elsewhere.
func TestBothRoles(t *testing.T) {
	entry := func(option, canonical, value string) source.Entry {
		return source.Entry{Key: option, Value: source.Value{Kind: source.Text, Text: value}, Canonical: canonical, CanonicalValue: value}
	}
	file := source.File{Path: "etl.go", Blocks: []source.Block{{Client: "franz", Class: "NewGroupTransactSession", At: source.Pos{Line: 3}, Entries: []source.Entry{
		entry("SeedBrokers", "bootstrap.servers", "a:1"), entry("TransactionalID", "transactional.id", "etl"),
		entry("ConsumerGroup", "group.id", "etl"), {Key: "ConsumeTopics", Value: source.Value{Kind: source.Text, Text: "in"}},
	}}}}
	result, err := Convert(file, Options{To: Python})
	if err != nil {
		t.Fatal(err)
	}
	got := lines(result.Text)
	for _, want := range []string{"PRODUCER = {", "CONSUMER = {", `"transactional.id": "etl",`, `"group.id": "etl",`, `"compression.type": "snappy",`, `"isolation.level": "read_uncommitted",`} {
		if !has(got, want) {
			t.Errorf("no line %q in\n%s", want, result.Text)
		}
	}
	only, err := Convert(file, Options{To: Python, Role: source.Consumer})
	if err != nil || has(lines(only.Text), "PRODUCER = {") {
		t.Errorf("asked for the consumer alone, got %v\n%s", err, only.Text)
	}
}
