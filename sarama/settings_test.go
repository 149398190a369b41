package sarama

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
	"kcompare/internal/config"
)

// pairs reads "key=value key=value".
func pairs(text string) map[string]string {
	m := map[string]string{}
	for pair := range strings.FieldsSeq(text) {
		key, value, _ := strings.Cut(pair, "=")
		m[key] = value
	}
	return m
}

func translated(t *testing.T, role drivers.Role, s drivers.Settings) translation {
	t.Helper()
	tr, err := translate(role, s)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// Every rule and every harmless value is for a setting that the catalogue has and that
// means something outside of librdkafka; and none has both.
func TestRulesAreOfTheCatalogue(t *testing.T) {
	check := func(key string) {
		if s, known := config.Lookup(key); !known || s.Name != key || s.Relation == config.NotApplicable {
			t.Errorf("%s is no canonical setting that a driver is asked for", key)
		}
	}
	for key := range rules {
		check(key)
		if _, both := harmless[key]; both {
			t.Errorf("%s has a rule and a harmless value", key)
		}
	}
	for key := range harmless {
		check(key)
	}
}

// What has neither is an error that names the key and the client.
func TestSettingsWithoutARule(t *testing.T) {
	var lacking []string
	for _, s := range config.Settings() {
		_, has := rules[s.Name]
		_, fixed := harmless[s.Name]
		if !has && !fixed && s.Relation != config.NotApplicable && s.Type != config.Refused {
			lacking = append(lacking, s.Name)
		}
	}
	slices.Sort(lacking)
	if diff := cmp.Diff(strings.Fields(unsupportedSettings), lacking); diff != "" {
		t.Errorf("settings without a rule (-want +got):\n%s", diff)
	}
}

// TestFields: what each setting becomes, beside the default.
func TestFields(t *testing.T) {
	const p, tp, c = drivers.RoleProducer, drivers.RoleTransactionalProducer, drivers.RoleConsumer
	type conf = *sarama.Config
	tests := []struct {
		role     drivers.Role
		settings string
		field    func(conf) any
		want     any
	}{
		{p, "client.id=orders", func(c conf) any { return c.ClientID }, "orders"},
		{p, "socket.timeout.ms=70", func(c conf) any { return []any{c.Net.ReadTimeout, c.Net.WriteTimeout} }, []any{70 * time.Millisecond, 70 * time.Millisecond}},
		{p, "socket.keepalive.enable=false", func(c conf) any { return c.Net.KeepAlive }, time.Duration(-1)},
		{p, "socket.keepalive.enable=true", func(c conf) any { return c.Net.KeepAlive }, time.Duration(0)},
		{p, "client.dns.lookup=resolve_canonical_bootstrap_servers_only", func(c conf) any { return c.Net.ResolveCanonicalBootstrapServers }, true},
		{p, "api.version.request=false", func(c conf) any { return c.ApiVersionsRequest }, false},
		{p, "metadata.max.age.ms=500", func(c conf) any { return c.Metadata.RefreshFrequency }, 500 * time.Millisecond},
		{p, "metadata.max.age.ms=500 topic.metadata.refresh.interval.ms=200", func(c conf) any { return c.Metadata.RefreshFrequency }, 200 * time.Millisecond},
		{p, "topic.metadata.refresh.interval.ms=-1", func(c conf) any { return c.Metadata.RefreshFrequency }, time.Duration(0)},
		{p, "topic.metadata.refresh.sparse=true", func(c conf) any { return c.Metadata.Full }, false},
		{p, "allow.auto.create.topics=false", func(c conf) any { return c.Metadata.AllowAutoTopicCreation }, false},
		{p, "retry.backoff.ms=10 retry.backoff.max.ms=25", backoffs, []any{10 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond, 25 * time.Millisecond}},
		{p, "retry.backoff.ms=10", backoffs, []any{10 * time.Millisecond, 10 * time.Millisecond, 10 * time.Millisecond, 10 * time.Millisecond}},
		{p, "reconnect.backoff.ms=10 reconnect.backoff.max.ms=20", backoffs, []any{10 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond, 20 * time.Millisecond}},
		{p, "retry.backoff.ms=10 retry.backoff.max.ms=20", attemptsOf, []int{37, 250, 400}},
		{p, "retry.backoff.ms=1000 retry.backoff.max.ms=5000", attemptsOf, []int{3, 50, 4}},
		{p, "client.id=x", attemptsOf, []int{3, 50, 4}},
		{p, "acks=all", func(c conf) any { return c.Producer.RequiredAcks }, sarama.WaitForAll},
		{p, "acks=1", func(c conf) any { return c.Producer.RequiredAcks }, sarama.WaitForLocal},
		{p, "acks=0", func(c conf) any { return c.Producer.RequiredAcks }, sarama.NoResponse},
		{p, "max.in.flight.requests.per.connection=7", func(c conf) any { return c.Net.MaxOpenRequests }, 7},
		{p, "enable.idempotence=true", idempotentFields, []any{true, sarama.WaitForAll, 1}},
		{p, "enable.idempotence=true max.in.flight.requests.per.connection=5", idempotentFields, []any{true, sarama.WaitForAll, 1}},
		{p, "enable.idempotence=false", idempotentFields, []any{false, sarama.WaitForLocal, 5}},
		{tp, "transactional.id=t", idempotentFields, []any{true, sarama.WaitForAll, 1}},
		{tp, "transactional.id=t transaction.timeout.ms=7000", func(c conf) any { return c.Producer.Transaction.Timeout }, 7 * time.Second},
		{p, "retries=7", func(c conf) any { return c.Producer.Retry.Max }, 7},
		{p, "retries=2147483647", func(c conf) any { return c.Producer.Retry.Max }, mostRetries},
		{p, "retries=2147483647 delivery.timeout.ms=2000 retry.backoff.ms=500", func(c conf) any { return c.Producer.Retry.Max }, 4},
		{p, "retries=7 delivery.timeout.ms=2000 retry.backoff.ms=500", func(c conf) any { return c.Producer.Retry.Max }, 7},
		{p, "request.timeout.ms=1234", func(c conf) any { return c.Producer.Timeout }, 1234 * time.Millisecond},
		{p, "linger.ms=2.5", func(c conf) any { return c.Producer.Flush.Frequency }, 2500 * time.Microsecond},
		{p, "batch.size=1000 linger.ms=5", func(c conf) any { return c.Producer.Flush.Bytes }, 1000},
		{p, "batch.size=1000", func(c conf) any { return c.Producer.Flush.Bytes }, 0},
		{p, "batch.num.messages=9", func(c conf) any { return c.Producer.Flush.MaxMessages }, 9},
		{p, "message.max.bytes=2000", func(c conf) any { return c.Producer.MaxMessageBytes }, 2000},
		{c, "message.max.bytes=2000", func(c conf) any { return c.Producer.MaxMessageBytes }, 1 << 20},
		{p, "compression.type=gzip compression.level=7", compressionFields, []any{sarama.CompressionGZIP, 7}},
		{p, "compression.level=7", compressionFields, []any{sarama.CompressionNone, sarama.CompressionLevelDefault}},
		{p, "client.id=x", func(c conf) any { return c.Version }, sarama.MaxVersion},
		{c, "client.rack=r", func(c conf) any { return c.RackID }, "r"},
		{c, "group.instance.id=i", func(c conf) any { return c.Consumer.Group.InstanceId }, "i"},
		{c, "session.timeout.ms=6000 heartbeat.interval.ms=100", func(c conf) any {
			return []any{c.Consumer.Group.Session.Timeout, c.Consumer.Group.Heartbeat.Interval}
		}, []any{6 * time.Second, 100 * time.Millisecond}},
		{c, "max.poll.interval.ms=45000", func(c conf) any { return c.Consumer.Group.Rebalance.Timeout }, 45 * time.Second},
		{c, "partition.assignment.strategy=roundrobin,range", strategyNames, []string{"roundrobin", "range"}},
		{c, "partition.assignment.strategy=cooperative-sticky", strategyNames, []string{"cooperative-sticky"}},
		{c, "client.id=x", func(c conf) any { return c.Consumer.Offsets.AutoCommit.Enable }, false},
		{c, "enable.auto.commit=true group.id=g auto.commit.interval.ms=200", autoCommitFields, []any{true, 200 * time.Millisecond}},
		{c, "enable.auto.commit=true group.id=g auto.commit.interval.ms=0", autoCommitFields, []any{false, time.Second}},
		{c, "auto.offset.reset=earliest", func(c conf) any { return c.Consumer.Offsets.Initial }, sarama.OffsetOldest},
		{c, "auto.offset.reset=latest", func(c conf) any { return c.Consumer.Offsets.Initial }, sarama.OffsetNewest},
		{c, "isolation.level=read_committed", func(c conf) any { return c.Consumer.IsolationLevel }, sarama.ReadCommitted},
		{c, "isolation.level=read_uncommitted", func(c conf) any { return c.Consumer.IsolationLevel }, sarama.ReadUncommitted},
		{c, "fetch.wait.max.ms=77", func(c conf) any { return c.Consumer.MaxWaitTime }, 77 * time.Millisecond},
		{c, "fetch.min.bytes=3 fetch.max.bytes=4000000 max.partition.fetch.bytes=5000", func(c conf) any {
			return []any{c.Consumer.Fetch.Min, c.Consumer.Fetch.MaxBytes, c.Consumer.Fetch.Default}
		}, []any{int32(3), int32(4000000), int32(5000)}},
	}
	for _, tt := range tests {
		got := tt.field(translated(t, tt.role, drivers.Settings{Config: pairs(tt.settings)}).conf)
		if diff := cmp.Diff(tt.want, got, cmp.Comparer(func(a, b sarama.KafkaVersion) bool { return a == b })); diff != "" {
			t.Errorf("%s of a %s (-want +got):\n%s", tt.settings, tt.role, diff)
		}
	}
}

func backoffs(c *sarama.Config) any {
	f := c.Producer.Retry.BackoffFunc
	return []any{f(0, 9), f(1, 9), f(2, 9), f(math.MaxInt32, 9)}
}

func attemptsOf(c *sarama.Config) any {
	return []int{c.Metadata.Retry.Max, c.Producer.Transaction.Retry.Max, c.Consumer.Group.Rebalance.Retry.Max}
}

func idempotentFields(c *sarama.Config) any {
	return []any{c.Producer.Idempotent, c.Producer.RequiredAcks, c.Net.MaxOpenRequests}
}

func compressionFields(c *sarama.Config) any {
	return []any{c.Producer.Compression, c.Producer.CompressionLevel}
}

func autoCommitFields(c *sarama.Config) any {
	return []any{c.Consumer.Offsets.AutoCommit.Enable, c.Consumer.Offsets.AutoCommit.Interval}
}

func strategyNames(c *sarama.Config) any {
	var names []string
	for _, s := range c.Consumer.Group.Rebalance.GroupStrategies {
		names = append(names, s.Name())
	}
	return names
}

// Settings that sarama cannot express name the key, the client, and no secret.
func TestUnsupported(t *testing.T) {
	tests := []struct {
		role     drivers.Role
		settings string
		key      string
	}{
		{drivers.RoleProducer, "acks=2", "acks"},
		{drivers.RoleProducer, "broker.address.family=v6", "broker.address.family"},
		{drivers.RoleProducer, "queuing.strategy=lifo", "queuing.strategy"},
		{drivers.RoleProducer, "enable.gapless.guarantee=true enable.idempotence=true", "enable.gapless.guarantee"},
		{drivers.RoleConsumer, "group.protocol=consumer group.id=g", "group.protocol"},
		{drivers.RoleConsumer, "auto.offset.reset=error", "auto.offset.reset"},
		{drivers.RoleConsumer, "check.crcs=false", "check.crcs"},
		{drivers.RoleConsumer, "fetch.wait.max.ms=0", "fetch.wait.max.ms"},
		{drivers.RoleConsumer, "security.protocol=sasl_plaintext sasl.mechanism=GSSAPI sasl.username=u sasl.password=p", "sasl.mechanism"},
	}
	for _, tt := range tests {
		_, err := translate(tt.role, drivers.Settings{Config: pairs(tt.settings)})
		var unsupported *drivers.UnsupportedError
		if !errors.As(err, &unsupported) || unsupported.Key != tt.key || unsupported.Client != client {
			t.Errorf("%s: expected an error of %s, got: %v", tt.settings, tt.key, err)
		}
	}
}

// TestBare: what the driver adds of its own stays out of a bare client, and what is set
// stays in.
func TestBare(t *testing.T) {
	for _, bare := range []bool{false, true} {
		s := drivers.Settings{Config: map[string]string{}, Bare: bare}
		p := translated(t, drivers.RoleProducer, s).conf
		if _, wrapped := p.Producer.Partitioner("t").(explicit); wrapped == bare {
			t.Errorf("bare %v: the driver's partitioner is there: %v", bare, wrapped)
		}
		if own := p.Version == sarama.DefaultVersion; own != bare {
			t.Errorf("bare %v: the protocol is that of %s", bare, p.Version)
		}
		c := translated(t, drivers.RoleConsumer, s).conf
		if c.Consumer.Offsets.AutoCommit.Enable != bare {
			t.Errorf("bare %v: automatic commits are on: %v", bare, c.Consumer.Offsets.AutoCommit.Enable)
		}
	}
	set := translated(t, drivers.RoleProducer, drivers.Settings{Config: pairs("partitioner=fnv1a"), Bare: true})
	if _, wrapped := set.conf.Producer.Partitioner("t").(explicit); !wrapped {
		t.Error("the partitioner that is set is not there")
	}
}

func TestOneRecordPerBatch(t *testing.T) {
	got := translated(t, drivers.RoleProducer, drivers.Settings{Config: pairs("linger.ms=5"), OneRecordPerBatch: true})
	if got.conf.Producer.Flush.MaxMessages != 1 {
		t.Errorf("a request has %d records at most, want 1", got.conf.Producer.Flush.MaxMessages)
	}
}

// TestCatalogueHasTheDefaults: the defaults that the catalogue has of this version are
// those of a bare client, as far as fields of sarama.Config have them.
func TestCatalogueHasTheDefaults(t *testing.T) {
	const name = "sarama"
	bare := func(role drivers.Role, settings map[string]string) *sarama.Config {
		return translated(t, role, drivers.Settings{Config: settings, Bare: true}).conf
	}
	for role, of := range map[drivers.Role]config.Role{drivers.RoleProducer: config.Producer, drivers.RoleConsumer: config.Consumer} {
		defaults := config.Defaults(name, fallback, of)
		if len(defaults) == 0 {
			t.Fatalf("the catalogue has no defaults of %s %s for a %s", name, fallback, role)
		}
		own := fieldsOf(bare(role, nil))
		delete(defaults, "client.software.name") // of ApiVersions, no field
		for key, value := range defaults {
			if _, set := rules[key]; !set {
				t.Errorf("%s has no rule", key)
				continue
			}
			if diff := cmp.Diff(own, fieldsOf(bare(role, map[string]string{key: value}))); diff != "" {
				t.Errorf("%s=%s of a %s is not sarama's default (-default +set):\n%s", key, value, role, diff)
			}
		}
	}
}

// fieldsOf is every field of a configuration that can be printed and compared.
func fieldsOf(c *sarama.Config) map[string]any {
	key := &sarama.ProducerMessage{Key: sarama.StringEncoder("order-1"), Partition: drivers.AnyPartition}
	at, _ := c.Producer.Partitioner("t").Partition(key, 1000)
	producer := map[string]any{
		"acks": c.Producer.RequiredAcks, "bytes": c.Producer.MaxMessageBytes, "timeout": c.Producer.Timeout.String(),
		"codec": c.Producer.Compression, "idempotent": c.Producer.Idempotent, "linger": c.Producer.Flush.Frequency.String(),
		"flush bytes": c.Producer.Flush.Bytes, "most": c.Producer.Flush.MaxMessages, "transaction": c.Producer.Transaction.Timeout.String(),
		"retries": c.Producer.Retry.Max, "in flight": c.Net.MaxOpenRequests, "partition": at,
	}
	consumer := map[string]any{
		"commit": c.Consumer.Offsets.AutoCommit.Enable, "interval": c.Consumer.Offsets.AutoCommit.Interval.String(),
		"initial": c.Consumer.Offsets.Initial, "fetch": c.Consumer.Fetch, "wait": c.Consumer.MaxWaitTime.String(),
		"isolation": c.Consumer.IsolationLevel, "strategies": strategyNames(c), "session": c.Consumer.Group.Session.Timeout.String(),
		"heartbeat": c.Consumer.Group.Heartbeat.Interval.String(), "rebalance": c.Consumer.Group.Rebalance.Timeout.String(),
	}
	return map[string]any{
		"client": c.ClientID, "topics": c.Metadata.AllowAutoTopicCreation, "producer": producer, "consumer": consumer,
	}
}

// unsupportedSettings are those of the catalogue that sarama has nothing like.
const unsupportedSettings = `
	broker.address.ttl client.software.name client.software.version coordinator.query.interval.ms fetch.queue.backoff.ms
	https.ca.location https.ca.pem max.poll.records metadata.recovery.rebootstrap.trigger.ms plugin.library.paths queued.min.messages
	sasl.kerberos.kinit.cmd sasl.kerberos.min.time.before.relogin
	sasl.oauthbearer.assertion.algorithm sasl.oauthbearer.assertion.claim.aud sasl.oauthbearer.assertion.claim.exp.seconds
	sasl.oauthbearer.assertion.claim.iss sasl.oauthbearer.assertion.claim.jti.include sasl.oauthbearer.assertion.claim.nbf.seconds
	sasl.oauthbearer.assertion.claim.sub sasl.oauthbearer.assertion.file sasl.oauthbearer.assertion.jwt.template.file
	sasl.oauthbearer.assertion.private.key.file sasl.oauthbearer.assertion.private.key.passphrase
	sasl.oauthbearer.assertion.private.key.pem sasl.oauthbearer.sub.claim.name
	ssl.crl.location ssl.engine.id ssl.engine.location ssl.providers ssl.sigalgs.list topic.blacklist
`
