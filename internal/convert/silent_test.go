package convert

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/config"
	"kcompare/internal/source"
)

// silent is the options for defaults alone, in the order in which they are written.
func silent(t *testing.T, client string, role source.Role, settings map[string]string) (goBlock, []string) {
	t.Helper()
	b, wrong := read(blockOf(client, role, 1, settings), role)
	if wrong != nil {
		t.Fatal(wrong)
	}
	b.fill(Franz)
	g := translate(b)
	var codes []string
	for _, o := range g.options {
		if o.silent {
			codes = append(codes, strings.TrimPrefix(o.code, "kgo."))
		}
	}
	return g, codes
}

const doubled = "RetryBackoffFn(doubling(100*time.Millisecond, time.Second))"

// TestSilentSources: what a source does not say, and kgo would do otherwise. The lists
// were compared with what the wire shows of both (config-gotchas: the least that must
// always be set), and BrokerMaxReadBytes, which does not show there.
func TestSilentSources(t *testing.T) {
	common := []string{"BrokerMaxReadBytes(100000000)"}
	tests := []struct {
		client   string
		role     source.Role
		settings map[string]string
		want     []string
	}{
		{"python", source.Producer, map[string]string{"bootstrap.servers": "a:1"}, slices.Concat(common, []string{
			`ClientID("rdkafka")`, "DisableIdempotentWrite()", "MaxProduceRequestsInflightPerBroker(1000000)",
			"RecordPartitioner(keyed{kgo.StickyKeyPartitioner(kgo.SaramaHasher(crc32.ChecksumIEEE)), emptyIsNone})",
			"ProducerBatchCompression(kgo.NoCompression())", "ProducerLinger(5*time.Millisecond)", "ProducerBatchMaxBytes(1000000)",
			"ProduceRequestTimeout(30*time.Second)", "RequestTimeoutOverhead(30*time.Second)", "RecordDeliveryTimeout(5*time.Minute)",
			"MaxBufferedRecords(100000)", "MaxBufferedBytes(1073741824)", doubled, "MetadataMinAge(100*time.Millisecond)",
			"AllowAutoTopicCreation()", "UnknownTopicRetries(-1)", "ConnIdleTimeout(15*time.Minute)", "DialTimeout(30*time.Second)",
		})},
		{"librdkafka", source.Producer, map[string]string{"transactional.id": "till"}, slices.Concat(common, []string{
			`ClientID("rdkafka")`, "TransactionTimeout(time.Minute)", "RecordDeliveryTimeout(time.Minute)",
			"RecordPartitioner(keyed{kgo.StickyKeyPartitioner(kgo.SaramaHasher(crc32.ChecksumIEEE)), emptyIsNone})",
			"ProducerBatchCompression(kgo.NoCompression())", "ProducerLinger(5*time.Millisecond)", "ProducerBatchMaxBytes(1000000)",
			"ProduceRequestTimeout(30*time.Second)", "RequestTimeoutOverhead(29900*time.Millisecond)",
			"MaxBufferedRecords(100000)", "MaxBufferedBytes(1073741824)", doubled, "MetadataMinAge(100*time.Millisecond)",
			"AllowAutoTopicCreation()", "UnknownTopicRetries(-1)", "ConnIdleTimeout(15*time.Minute)", "DialTimeout(30*time.Second)",
		})},
		{"librdkafka", source.Consumer, map[string]string{"group.id": "desk"}, slices.Concat(common, []string{
			`ClientID("rdkafka")`, "Balancers(kgo.RangeBalancer(), kgo.RoundRobinBalancer())", "RebalanceTimeout(5*time.Minute)",
			"FetchMaxWait(500*time.Millisecond)", "FetchIsolationLevel(kgo.ReadCommitted())", "ConsumeStartOffset(kgo.NewOffset().AtEnd())",
			"ConsumeResetOffset(kgo.NewOffset().AtEnd())", "GreedyAutoCommit()", "DisableFetchSessions()", "DisableFetchCRCValidation()",
			"ConnIdleTimeout(15*time.Minute)", "DialTimeout(30*time.Second)", "RequestTimeoutOverhead(time.Minute)", doubled,
			"MetadataMinAge(100*time.Millisecond)",
		})},
		{"java", source.Producer, map[string]string{"acks": "all"}, []string{
			"ProducerBatchCompression(kgo.NoCompression())", "ProducerLinger(5*time.Millisecond)", "ProducerBatchMaxBytes(1048576)",
			"ProduceRequestTimeout(30*time.Second)", "RequestTimeoutOverhead(100*time.Millisecond)", "RecordDeliveryTimeout(2*time.Minute)",
			"AllowIdempotentProduceCancellation()", "MaxBufferedBytes(33554432)", doubled, "MetadataMinAge(100*time.Millisecond)",
			"AllowAutoTopicCreation()", "UnknownTopicRetries(-1)", "ConnIdleTimeout(9*time.Minute)",
		}},
		{"java", source.Consumer, map[string]string{"group.id": "desk"}, []string{
			"Balancers(kgo.RangeBalancer(), kgo.CooperativeStickyBalancer())", "RebalanceTimeout(5*time.Minute)", "FetchMaxWait(500*time.Millisecond)",
			"ConsumeStartOffset(kgo.NewOffset().AtEnd())", "ConsumeResetOffset(kgo.NewOffset().AtEnd())", "AllowAutoTopicCreation()",
			"ConnIdleTimeout(9*time.Minute)", "RequestTimeoutOverhead(30*time.Second)", doubled, "MetadataMinAge(100*time.Millisecond)",
		}},
	}
	for _, test := range tests {
		_, got := silent(t, test.client, test.role, test.settings)
		slices.Sort(got)
		slices.Sort(test.want)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s %s %v: %s", test.client, test.role, test.settings, diff)
		}
	}
}

// TestDifferentDefaultsAreAlwaysSet: no setting whose defaults differ is passed over.
func TestDifferentDefaultsAreAlwaysSet(t *testing.T) {
	elsewhere := []string{
		"client.software.name", "client.software.version", // it says which library speaks
		"log_level",      // kgo logs nothing without a logger
		"sasl.mechanism", // has to be given
	}
	producersAlone := []string{"max.in.flight.requests.per.connection", "allow.auto.create.topics"} // consumers of both do the same
	for _, role := range []source.Role{source.Producer, source.Consumer} {
		g, _ := silent(t, "librdkafka", role, map[string]string{"transactional.id": "till", "group.id": "desk"})
		idempotenceOff, _ := silent(t, "librdkafka", role, map[string]string{"bootstrap.servers": "a:1"})
		for _, s := range config.Settings() {
			if s.Relation != config.DifferentDefault || !g.has(s) || slices.Contains(elsewhere, s.Name) {
				continue
			}
			if !g.says(s.Name) && !idempotenceOff.says(s.Name) && (role == source.Producer || !slices.Contains(producersAlone, s.Name)) {
				t.Errorf("%s: %s is passed over", role, s.Name)
			}
		}
	}
}

// says reports whether the setting is an option or a comment.
func (g goBlock) says(key string) bool {
	return slices.ContainsFunc(g.options, func(o goOption) bool { return slices.Contains(o.keys, key) }) ||
		slices.ContainsFunc(g.asides, func(text string) bool { return strings.HasPrefix(text, key+"=") })
}
