package franz

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/twmb/franz-go/pkg/kgo"

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

// built is a client with the options of these settings. It never connects.
func built(t *testing.T, role drivers.Role, s drivers.Settings) *kgo.Client {
	t.Helper()
	tr, err := translate(role, s)
	if err != nil {
		t.Fatal(err)
	}
	opts := tr.opts
	if s.Config["group.id"] != "" {
		opts = slices.Concat(tr.opts, tr.group)
	}
	cl, err := kgo.NewClient(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return cl
}

// Every row of the catalogue is either translated, or there is nothing to
// translate it to; and no rule is for a key that the catalogue lacks.
func TestEverySettingHasARule(t *testing.T) {
	var missing []string
	for _, s := range config.Settings() {
		_, has := rules[s.Name]
		_, fixed := harmless[s.Name]
		nothing := s.Relation == config.NoEquivalent || s.Relation == config.NotApplicable
		if has == nothing || fixed && !nothing {
			missing = append(missing, s.Name+" "+string(s.Relation))
		}
	}
	if len(missing) > 0 {
		t.Errorf("rules and catalogue disagree about %v", missing)
	}
	for _, key := range slices.Concat(slices.Collect(maps.Keys(rules)), slices.Collect(maps.Keys(harmless))) {
		if s, ok := config.Lookup(key); !ok || s.Name != key {
			t.Errorf("%s is no canonical name", key)
		}
	}
}

func TestOptions(t *testing.T) {
	const producer, consumer, txn = drivers.RoleProducer, drivers.RoleConsumer, drivers.RoleTransactionalProducer
	tests := []struct {
		config string
		role   drivers.Role
		opt    any
		want   any
	}{
		{"client.id=shop", producer, kgo.ClientID, "shop"},
		{"bootstrap.servers=127.0.0.1:1,127.0.0.1:2", producer, kgo.SeedBrokers, []string{"127.0.0.1:1", "127.0.0.1:2"}},
		{"receive.message.max.bytes=100000000", producer, kgo.BrokerMaxReadBytes, int32(100000000)},
		{"socket.connection.setup.timeout.ms=30000", producer, kgo.DialTimeout, 30 * time.Second},
		{"connections.max.idle.ms=60000", producer, kgo.ConnIdleTimeout, time.Minute},
		{"connections.max.idle.ms=0", producer, kgo.ConnIdleTimeout, 15 * time.Minute},
		{"connections.max.idle.ms=3600000", producer, kgo.ConnIdleTimeout, 15 * time.Minute},
		{"socket.timeout.ms=60000 request.timeout.ms=30000", producer, kgo.RequestTimeoutOverhead, 30 * time.Second},
		{"socket.timeout.ms=30000 request.timeout.ms=30000", producer, kgo.RequestTimeoutOverhead, 100 * time.Millisecond},
		{"socket.timeout.ms=60000", producer, kgo.RequestTimeoutOverhead, 50 * time.Second},
		{"socket.timeout.ms=60000", consumer, kgo.RequestTimeoutOverhead, time.Minute},
		{"client.rack=a", consumer, kgo.Rack, "a"},
		{"enable.metrics.push=false", producer, kgo.DisableClientMetrics, true},
		{"enable.metrics.push=true", producer, kgo.DisableClientMetrics, false},
		{"topic.metadata.refresh.interval.ms=60000", producer, kgo.MetadataMaxAge, time.Minute},
		{"metadata.max.age.ms=120000", producer, kgo.MetadataMaxAge, 2 * time.Minute},
		{"metadata.max.age.ms=120000 topic.metadata.refresh.interval.ms=60000", producer, kgo.MetadataMaxAge, time.Minute},
		{"topic.metadata.refresh.fast.interval.ms=20", producer, kgo.MetadataMinAge, 20 * time.Millisecond},
		{"topic.metadata.refresh.fast.interval.ms=1", producer, kgo.MetadataMinAge, 10 * time.Millisecond},
		{"topic.metadata.propagation.max.ms=30000", producer, kgo.UnknownTopicRetries, int64(-1)},
		{"topic.metadata.propagation.max.ms=0", producer, kgo.UnknownTopicRetries, int64(4)},
		{"allow.auto.create.topics=true", producer, kgo.AllowAutoTopicCreation, true},

		{"acks=all", producer, kgo.RequiredAcks, kgo.AllISRAcks()},
		{"acks=-1", producer, kgo.RequiredAcks, kgo.AllISRAcks()},
		{"acks=1 enable.idempotence=false", producer, kgo.RequiredAcks, kgo.LeaderAck()},
		{"acks=0 enable.idempotence=false", producer, kgo.RequiredAcks, kgo.NoAck()},
		{"enable.idempotence=true", producer, kgo.DisableIdempotentWrite, false},
		{"enable.idempotence=0", producer, kgo.DisableIdempotentWrite, true},
		{"max.in.flight.requests.per.connection=5", producer, kgo.MaxProduceRequestsInflightPerBroker, 1}, // kgo's "not set", which is 5
		{"max.in.flight.requests.per.connection=7 enable.idempotence=false", producer, kgo.MaxProduceRequestsInflightPerBroker, 7},
		{"retries=30", producer, kgo.RecordRetries, int64(30)},
		{"delivery.timeout.ms=60000", producer, kgo.RecordDeliveryTimeout, time.Minute},
		{"delivery.timeout.ms=0", producer, kgo.RecordDeliveryTimeout, time.Duration(0)},
		{"delivery.timeout.ms=60000", producer, kgo.AllowIdempotentProduceCancellation, false},
		{"request.timeout.ms=30000", producer, kgo.ProduceRequestTimeout, 30 * time.Second},
		{"linger.ms=0.5", producer, kgo.ProducerLinger, 500 * time.Microsecond},
		{"batch.size=16384", producer, kgo.ProducerBatchMaxBytes, int32(16384)},
		{"batch.size=1048576 message.max.bytes=1000000", producer, kgo.ProducerBatchMaxBytes, int32(1000000)},
		{"message.max.bytes=1000000", consumer, kgo.ProducerBatchMaxBytes, int32(1000012)},
		{"compression.type=ZSTD", producer, kgo.ProducerBatchCompression, []kgo.CompressionCodec{kgo.ZstdCompression()}},
		{"compression.type=none", producer, kgo.ProducerBatchCompression, []kgo.CompressionCodec{kgo.NoCompression()}},
		{"compression.type=gzip compression.level=3", producer, kgo.ProducerBatchCompression, []kgo.CompressionCodec{kgo.GzipCompression().WithLevel(3)}},
		{"compression.level=3", producer, kgo.ProducerBatchCompression, []kgo.CompressionCodec{kgo.SnappyCompression(), kgo.NoCompression()}},
		{"queue.buffering.max.messages=100000", producer, kgo.MaxBufferedRecords, int64(100000)},
		{"queue.buffering.max.kbytes=1024", producer, kgo.MaxBufferedBytes, int64(1 << 20)},
		{"transactional.id=pay", txn, kgo.TransactionalID, "pay"},
		{"transactional.id=", producer, kgo.TransactionalID, ""},
		{"transactional.id=pay transaction.timeout.ms=60000", txn, kgo.TransactionTimeout, time.Minute},

		{"group.id=g", consumer, kgo.ConsumerGroup, "g"},
		{"group.id=g group.instance.id=i", consumer, kgo.InstanceID, "i"},
		{"group.id=g group.protocol=consumer", consumer, kgo.ServerSideBalancer, true},
		{"group.id=g group.protocol=classic", consumer, kgo.ServerSideBalancer, false},
		{"group.id=g group.protocol.type=connect", consumer, kgo.GroupProtocol, "connect"},
		{"group.id=g session.timeout.ms=6000", consumer, kgo.SessionTimeout, 6 * time.Second},
		{"group.id=g heartbeat.interval.ms=500", consumer, kgo.HeartbeatInterval, 500 * time.Millisecond},
		{"group.id=g max.poll.interval.ms=300000", consumer, kgo.RebalanceTimeout, 5 * time.Minute},
		{"group.id=g", consumer, kgo.DisableAutoCommit, true}, // the contract's, not kgo's
		{"group.id=g enable.auto.commit=false", consumer, kgo.DisableAutoCommit, true},
		{"group.id=g enable.auto.commit=true", consumer, kgo.DisableAutoCommit, false},
		{"group.id=g enable.auto.commit=true", consumer, kgo.GreedyAutoCommit, true},
		{"group.id=g enable.auto.commit=true auto.commit.interval.ms=0", consumer, kgo.DisableAutoCommit, true},
		{"group.id=g enable.auto.commit=true auto.commit.interval.ms=1000", consumer, kgo.AutoCommitInterval, time.Second},
		{"auto.offset.reset=earliest", consumer, kgo.ConsumeStartOffset, kgo.NewOffset().AtStart()},
		{"auto.offset.reset=earliest", consumer, kgo.ConsumeResetOffset, kgo.NewOffset().AtStart()},
		{"auto.offset.reset=latest", consumer, kgo.ConsumeStartOffset, kgo.NewOffset().AtEnd()},
		{"auto.offset.reset=latest", consumer, kgo.ConsumeResetOffset, kgo.NewOffset().AtEnd()},
		{"auto.offset.reset=error", consumer, kgo.ConsumeStartOffset, kgo.NewOffset().AtCommitted()},
		{"auto.offset.reset=error", consumer, kgo.ConsumeResetOffset, kgo.NoResetOffset()},
		{"isolation.level=read_committed", consumer, kgo.FetchIsolationLevel, int8(1)},
		{"isolation.level=read_uncommitted", consumer, kgo.FetchIsolationLevel, int8(0)},
		{"check.crcs=false", consumer, kgo.DisableFetchCRCValidation, true},
		{"fetch.wait.max.ms=500", consumer, kgo.FetchMaxWait, 500 * time.Millisecond},
		{"fetch.min.bytes=7", consumer, kgo.FetchMinBytes, int32(7)},
		{"fetch.max.bytes=70000000", consumer, kgo.FetchMaxBytes, int32(70000000)},
		{"max.partition.fetch.bytes=2097152", consumer, kgo.FetchMaxPartitionBytes, int32(2097152)},
		{"linger.ms=5 fetch.wait.max.ms=500", producer, kgo.FetchMaxWait, 5 * time.Second}, // the other role's
	}
	for _, tc := range tests {
		t.Run(tc.config, func(t *testing.T) {
			got := built(t, tc.role, drivers.Settings{Config: pairs(tc.config)}).OptValue(tc.opt)
			if acks, ok := got.(kgo.Acks); ok {
				if acks != tc.want {
					t.Errorf("got %v, want %v", acks, tc.want)
				}
				return
			}
			if d := cmp.Diff(tc.want, got, cmp.AllowUnexported(kgo.Offset{}, kgo.CompressionCodec{}), cmpopts.EquateComparable(kgo.Acks{})); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestGroupBalancers(t *testing.T) {
	tests := map[string][]string{
		"group.id=g partition.assignment.strategy=range,roundrobin":        {"range", "roundrobin"},
		"group.id=g partition.assignment.strategy=cooperative-sticky":      {"cooperative-sticky"},
		"group.id=g group.protocol=consumer group.remote.assignor=range":   {"range"},
		"group.id=g group.protocol=consumer group.remote.assignor=uniform": {"sticky"},
		"group.id=g group.protocol=consumer":                               {"cooperative-sticky"},
	}
	for text, want := range tests {
		cl := built(t, drivers.RoleConsumer, drivers.Settings{Config: pairs(text)})
		var got []string
		for _, b := range cl.OptValue(kgo.Balancers).([]kgo.GroupBalancer) {
			got = append(got, b.ProtocolName())
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", text, d)
		}
	}
}

func TestRetryBackoff(t *testing.T) {
	tests := map[string][]time.Duration{
		"retry.backoff.ms=100 retry.backoff.max.ms=1000":                          {100, 100, 200, 400, 800, 1000, 1000},
		"retry.backoff.ms=50":                                                     {50, 50, 100, 200, 400, 800, 1600},
		"retry.backoff.max.ms=300":                                                {250, 250, 300, 300, 300, 300, 300},
		"reconnect.backoff.ms=10 reconnect.backoff.max.ms=20":                     {10, 10, 20, 20, 20, 20, 20},
		"reconnect.backoff.ms=10 reconnect.backoff.max.ms=40 retry.backoff.ms=20": {20, 20, 40, 40, 40, 40, 40},
		"retry.backoff.ms=500 retry.backoff.max.ms=100":                           {100, 100, 100, 100, 100, 100, 100},
	}
	for text, want := range tests {
		cl := built(t, drivers.RoleProducer, drivers.Settings{Config: pairs(text)})
		wait := cl.OptValue(kgo.RetryBackoffFn).(func(int) time.Duration)
		var got []time.Duration
		for fails := range len(want) {
			got = append(got, wait(fails)/time.Millisecond)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", text, d)
		}
		if d := wait(math.MaxInt32); d > 5*time.Second {
			t.Errorf("%s: %v after many failures", text, d)
		}
	}
}

func TestUnsupported(t *testing.T) {
	tests := map[string]drivers.UnsupportedError{
		"max.in.flight.requests.per.connection=1": {Key: "max.in.flight.requests.per.connection", Value: "1", Reason: "franz-go always has 5 requests in flight with enable.idempotence=true"},
		"acks=2":                                {Key: "acks", Value: "2", Reason: "franz-go takes 0, 1 and all"},
		"linger.ms=60001":                       {Key: "linger.ms", Value: "60001", Reason: "franz-go takes 60000 ms or less"},
		"delivery.timeout.ms=999":               {Key: "delivery.timeout.ms", Value: "999", Reason: "franz-go takes 1000 ms or more"},
		"batch.size=100":                        {Key: "batch.size", Value: "100", Reason: "franz-go takes 512 or more"},
		"batch.num.messages=1":                  {Key: "batch.num.messages", Value: "1", Reason: "franz-go has nothing like it"},
		"statistics.interval.ms=1000":           {Key: "statistics.interval.ms", Value: "1000", Reason: "franz-go has nothing like it"},
		"socket.nagle.disable=false":            {Key: "socket.nagle.disable", Value: "false", Reason: "franz-go always does as with true"},
		"topic.metadata.refresh.interval.ms=-1": {Key: "topic.metadata.refresh.interval.ms", Value: "-1", Reason: "franz-go takes 10 ms or more"},
	}
	tests["security.protocol=sasl_ssl sasl.mechanism=GSSAPI sasl.username=u sasl.password=p"] = drivers.UnsupportedError{
		Key: "sasl.mechanism", Value: "GSSAPI", Reason: "expected one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER"}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			want.Client = "franz"
			_, err := New().Differences(drivers.RoleProducer, drivers.Settings{Config: pairs(text)})
			var got *drivers.UnsupportedError
			if !errors.As(err, &got) {
				t.Fatalf("got %v, want an UnsupportedError", err)
			}
			if d := cmp.Diff(want, *got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestConfigErrors(t *testing.T) {
	tests := map[string]struct {
		role drivers.Role
		keys []string
	}{
		"acks=1 enable.idempotence=true": {drivers.RoleProducer, []string{"acks", "enable.idempotence"}},
		"no.such.key=1":                  {drivers.RoleProducer, []string{"no.such.key"}},
		"client.id=a":                    {drivers.RoleTransactionalProducer, []string{"transactional.id"}},
		"security.protocol=sasl_plaintext sasl.mechanism=PLAIN sasl.username=u": {drivers.RoleProducer, []string{"sasl.username", "sasl.password"}},
		"security.protocol=ssl ssl.ca.location=/no/such/file":                   {drivers.RoleProducer, []string{"ssl.ca.location"}},
		"security.protocol=ssl ssl.ca.pem=nonsense":                             {drivers.RoleProducer, []string{"ssl.ca.pem"}},
		"security.protocol=ssl ssl.certificate.pem=nonsense":                    {drivers.RoleProducer, []string{"ssl.certificate.pem", "ssl.key.pem"}},
	}
	for text, tc := range tests {
		t.Run(text, func(t *testing.T) {
			_, err := New().Differences(tc.role, drivers.Settings{Config: pairs(text)})
			var got *drivers.ConfigError
			if !errors.As(err, &got) {
				t.Fatalf("got %v, want a ConfigError", err)
			}
			if d := cmp.Diff(tc.keys, got.Keys); d != "" {
				t.Error(d)
			}
		})
	}
}

// kgo's own refusal comes from the constructor, without a connection.
func TestLibraryRefusal(t *testing.T) {
	s := drivers.Settings{Config: pairs("group.id=g session.timeout.ms=6000 heartbeat.interval.ms=7000")}
	_, err := New().NewConsumer(s)
	if got := drivers.ClassOf(err); got != drivers.Application {
		t.Errorf("got class %q of %v, want %s", got, err, drivers.Application)
	}
	if _, err := New().Differences(drivers.RoleConsumer, s); err != nil {
		t.Errorf("Differences refused what only kgo refuses: %v", err)
	}
}

func TestDifferences(t *testing.T) {
	tests := map[string]struct {
		role drivers.Role
		s    drivers.Settings
		keys []string
	}{
		"exact settings": {drivers.RoleProducer, drivers.Settings{Config: pairs("acks=all linger.ms=5 enable.idempotence=true queue.buffering.max.messages=1000")}, nil},
		"the scenario's": {drivers.RoleProducer, drivers.Settings{Config: pairs(
			"retries=30 delivery.timeout.ms=60000 retry.backoff.ms=20 retry.backoff.max.ms=50 reconnect.backoff.ms=20 reconnect.backoff.max.ms=50 topic.metadata.refresh.fast.interval.ms=20")},
			[]string{"delivery.timeout.ms", "reconnect.backoff.max.ms", "reconnect.backoff.ms", "retries", "retry.backoff.ms", "topic.metadata.refresh.fast.interval.ms"}},
		"without idempotence": {drivers.RoleProducer, drivers.Settings{Config: pairs("enable.idempotence=false retries=30 delivery.timeout.ms=60000")}, nil},
		"one record a batch":  {drivers.RoleProducer, drivers.Settings{Config: pairs("compression.type=lz4 batch.size=16384"), OneRecordPerBatch: true}, []string{"batch.size"}},
		"keyless records":     {drivers.RoleProducer, drivers.Settings{Config: pairs("partitioner=murmur2_random")}, []string{"partitioner"}},
		"consumer":            {drivers.RoleConsumer, drivers.Settings{Config: pairs("retries=30 group.id=g max.poll.interval.ms=300000 enable.auto.commit=false")}, []string{"max.poll.interval.ms"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := New().Differences(tc.role, tc.s)
			if err != nil {
				t.Fatal(err)
			}
			var keys []string
			for _, line := range got {
				key, _, _ := strings.Cut(line, ": ")
				keys = append(keys, key)
			}
			if d := cmp.Diff(tc.keys, keys); d != "" {
				t.Error(d)
			}
		})
	}
}
