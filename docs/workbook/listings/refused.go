// Package listings has settings that libraries do not take: the chapter on production lets
// lint say why.
package listings

import (
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// NewProducer compiles, and always returns an error: kgo checks its options when it starts.
func NewProducer() (*kgo.Client, error) {
	return kgo.NewClient(
		kgo.SeedBrokers("broker1:9092", "broker2:9092", "broker3:9092"),
		kgo.RequiredAcks(kgo.LeaderAck()),
		kgo.ProducerLinger(2*time.Minute),
		kgo.RecordDeliveryTimeout(500*time.Millisecond),
	)
}
