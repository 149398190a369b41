// Options that depend on the program's own settings.
package shop

import (
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

type settings struct {
	Brokers []string
	Group   string
	Fast    bool
	Linger  time.Duration
}

func options(s settings) []kgo.Opt {
	opts := []kgo.Opt{
		kgo.SeedBrokers(s.Brokers...),
		kgo.ProducerLinger(s.Linger),
		kgo.MetadataMinAge(100 * time.Millisecond),
	}
	if s.Fast {
		opts = append(opts,
			kgo.RequiredAcks(kgo.LeaderAck()),
			kgo.DisableIdempotentWrite(),
			kgo.MaxProduceRequestsInflightPerBroker(5),
		)
	}
	if s.Group != "" {
		opts = append(opts, kgo.ConsumerGroup(s.Group), kgo.ConsumeTopics("orders"), kgo.AutoCommitMarks())
	}
	return opts
}

func open(s settings, more ...kgo.Opt) (*kgo.Client, error) {
	return kgo.NewClient(append(options(s), more...)...)
}
