// Package converttest holds kgo options in generated Go code to those of the driver, for
// the same settings. Only package convert's test uses it, within a program that it
// compiles from what was generated.
package converttest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"

	"kcompare/drivers"
	"kcompare/franz"
)

// names is every option of kgo that a setting can become.
var names = []string{
	"ClientID", "RequestTimeoutOverhead", "ConnIdleTimeout", "DialTLSConfig", "DialTimeout", "SeedBrokers", "RetryBackoffFn",
	"AllowAutoTopicCreation", "BrokerMaxReadBytes", "MetadataMaxAge", "MetadataMinAge", "SASL", "DisableClientMetrics",
	"RequiredAcks", "DisableIdempotentWrite", "AllowIdempotentProduceCancellation", "MaxProduceRequestsInflightPerBroker",
	"ProducerBatchCompression", "ProducerBatchMaxBytes", "MaxBufferedRecords", "MaxBufferedBytes", "RecordPartitioner",
	"ProduceRequestTimeout", "RecordRetries", "UnknownTopicRetries", "ProducerLinger", "RecordDeliveryTimeout",
	"TransactionalID", "TransactionTimeout", "ConsumeStartOffset", "ConsumeResetOffset", "FetchIsolationLevel",
	"FetchMaxBytes", "FetchMaxPartitionBytes", "FetchMaxWait", "FetchMinBytes", "Rack", "DisableFetchCRCValidation",
	"AutoCommitInterval", "AutoCommitMarks", "Balancers", "ServerSideBalancer", "ConsumerGroup", "DisableAutoCommit",
	"GreedyAutoCommit", "GroupProtocol", "HeartbeatInterval", "InstanceID", "RebalanceTimeout", "SessionTimeout",
}

// Compare builds a client of the options and one of the driver's for the settings, and
// returns each option in which they differ, in words.
func Compare(generated []kgo.Opt, role drivers.Role, settings map[string]string) []string {
	wanted, err := franz.Options(role, drivers.Settings{Config: settings, Bare: true, GiveUpInFlight: settings["delivery.timeout.ms"] != "" && settings["delivery.timeout.ms"] != "0"})
	if err != nil {
		return []string{"driver: " + err.Error()}
	}
	got, err := kgo.NewClient(generated...)
	if err != nil {
		return []string{"generated: " + err.Error()}
	}
	defer got.Close()
	want, err := kgo.NewClient(wanted...)
	if err != nil {
		return []string{"driver: " + err.Error()}
	}
	defer want.Close()
	var differ []string
	for _, name := range names {
		g, w := described(got.OptValue(name)), described(want.OptValue(name))
		if g != w {
			differ = append(differ, fmt.Sprintf("%s: generated %s, the driver has %s", name, g, w))
		}
	}
	return differ
}

// described is the value of an option as text that can be compared.
func described(value any) string {
	switch v := value.(type) {
	case func(int) time.Duration:
		return fmt.Sprint(v(1), v(2), v(3), v(10), v(50))
	case kgo.Partitioner:
		return partitions(v)
	case []kgo.GroupBalancer:
		var all []string
		for _, b := range v {
			all = append(all, b.ProtocolName())
		}
		return strings.Join(all, ",")
	case []sasl.Mechanism:
		return logins(v)
	case func(context.Context, string, string) (any, error):
		return "dialer"
	case *tls.Config:
		return encryption(v)
	}
	return fmt.Sprintf("%+v", value)
}

// partitions is what a partitioner does with keys of all kinds. Where it is free to
// choose, that is said in the place of a partition.
func partitions(p kgo.Partitioner) string {
	topic := p.ForTopic("orders")
	var all []string
	for i := range 100 {
		key := fmt.Appendf(nil, "key-%d", i*i)
		switch i {
		case 0:
			key = nil
		case 1:
			key = []byte{}
		}
		r := &kgo.Record{Topic: "orders", Key: key, Context: context.Background()}
		if !topic.RequiresConsistency(r) {
			all = append(all, "any")
			continue
		}
		if backup, ok := topic.(kgo.TopicBackupPartitioner); ok {
			all = append(all, fmt.Sprint(backup.PartitionByBackup(r, 12, nil)))
			continue
		}
		all = append(all, fmt.Sprint(topic.Partition(r, 12)))
	}
	return strings.Join(all, " ")
}

// logins begins a session with each mechanism; what it would send first says who logs in.
func logins(all []sasl.Mechanism) string {
	var text []string
	for _, m := range all {
		_, first, err := m.Authenticate(context.Background(), "localhost")
		if name, _, random := strings.Cut(string(first), ",r="); random { // SCRAM's nonce
			first = []byte(name)
		}
		text = append(text, fmt.Sprintf("%s %q %v", m.Name(), first, err))
	}
	return strings.Join(text, ";")
}

func ownCertificate(c *tls.Config) *x509.Certificate {
	if c.GetClientCertificate == nil {
		return nil
	}
	pair, err := c.GetClientCertificate(nil)
	if err != nil {
		return nil
	}
	return pair.Leaf
}

func encryption(c *tls.Config) string {
	if c == nil {
		return "none"
	}
	text := fmt.Sprintf("min %x, skip %v, own check %v", c.MinVersion, c.InsecureSkipVerify, c.VerifyConnection != nil)
	if c.RootCAs != nil {
		text += ", roots" // of which authority they are shows where the client's own certificate is one of it
		if own := ownCertificate(c); own != nil {
			_, err := own.Verify(x509.VerifyOptions{Roots: c.RootCAs})
			text += fmt.Sprint(" ", err)
		}
	}
	if c.GetClientCertificate != nil {
		own, err := c.GetClientCertificate(nil)
		text += fmt.Sprintf(", own %x %v", own.Certificate, err)
	}
	return text
}
