package broker

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// ReaderClientID is the client.id under which the reader appears in a broker's
// log.
const ReaderClientID = "kcompare-reader"

// retryAfter is the pause before the reader asks again. The broker is on this
// machine or near it, so that asking is cheap.
const retryAfter = 10 * time.Millisecond

// Reader prepares a cluster for a trial and reads its log afterwards. It talks
// to the brokers directly, never through the proxy, and it is not one of the
// contestants: it uses franz-go to route requests and to write what stands in a
// topic before a trial, but reads without its consumer.
//
// Methods may be called concurrently. A broker that answers "not now" is asked
// again until ctx ends, so ctx needs a deadline.
type Reader struct {
	client  *kgo.Client
	nodes   []int32
	dialled *peers
}

// NewReader makes a reader for the nodes of Cluster.Addrs. It does not connect
// yet.
func NewReader(addrs map[int32]string, access Access) (*Reader, error) {
	return newReader(addrs, access, &peers{})
}

// newReader is NewReader for a reader that notes its connections among others, or
// has options of its own.
func newReader(addrs map[int32]string, access Access, dialled *peers, more ...kgo.Opt) (*Reader, error) {
	opts := []kgo.Opt{
		kgo.SeedBrokers(slices.Collect(maps.Values(addrs))...),
		kgo.ClientID(ReaderClientID),
		kgo.Dialer(func(ctx context.Context, network, host string) (net.Conn, error) {
			return dialled.dial(ctx, network, host, access.TLS)
		}),
		kgo.RetryBackoffFn(func(int) time.Duration { return retryAfter }),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),    // for Write
		kgo.ProducerBatchCompression(kgo.NoCompression()), // for Write: not every client can read snappy, kgo's default
		kgo.DisableClientMetrics(),                        // KIP-714 requests have no place in a trial
	}
	if access.SASL != nil {
		opts = append(opts, kgo.SASL(access.SASL))
	}
	client, err := kgo.NewClient(append(opts, more...)...)
	if err != nil {
		return nil, fmt.Errorf("new reader: %w", err)
	}
	return &Reader{client: client, nodes: slices.Sorted(maps.Keys(addrs)), dialled: dialled}, nil
}

// Connections lists the local address of every connection that the reader ever
// opened, for Embedded.Strangers.
func (r *Reader) Connections() []string { return r.dialled.all() }

// Close drops the reader's connections.
func (r *Reader) Close() { r.client.Close() }

// dial is what kgo dials with; it remembers the local address.
func (p *peers) dial(ctx context.Context, network, host string, secure *tls.Config) (net.Conn, error) {
	dialer := net.Dialer{Timeout: 10 * time.Second}
	var conn net.Conn
	var err error
	if secure == nil {
		conn, err = dialer.DialContext(ctx, network, host)
	} else { // which takes the name to verify from host where the settings have none
		conn, err = (&tls.Dialer{NetDialer: &dialer, Config: secure}).DialContext(ctx, network, host)
	}
	if err == nil {
		p.add(conn.LocalAddr().String())
	}
	return conn, err
}

// metadata asks any broker about topics.
func (r *Reader) metadata(ctx context.Context, topics []string) (*kmsg.MetadataResponse, error) {
	return metadataRequest(topics).RequestWith(ctx, r.client)
}

func metadataRequest(topics []string) *kmsg.MetadataRequest {
	req := kmsg.NewPtrMetadataRequest()
	for _, name := range topics {
		topic := kmsg.NewMetadataRequestTopic()
		topic.Topic = &name
		req.Topics = append(req.Topics, topic)
	}
	return req
}

// partitionError is the error of a partition in a metadata answer, that of a
// missing leader included.
func partitionError(p kmsg.MetadataResponseTopicPartition) error {
	if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
		return err
	}
	if p.Leader < 0 {
		return kerr.LeaderNotAvailable
	}
	return nil
}

// again pauses after an error that asking once more may cure, and returns nil;
// otherwise it returns why to give up. An error without a Kafka code is that of
// a connection, or says that something is not there yet.
func again(ctx context.Context, err error) error {
	var code *kerr.Error
	if errors.As(err, &code) && !code.Retriable || errors.Is(err, kgo.ErrClientClosed) {
		return err
	}
	select {
	case <-ctx.Done():
		if errors.Is(err, ctx.Err()) {
			return err
		}
		return fmt.Errorf("%w (last answer: %w)", ctx.Err(), err)
	case <-time.After(retryAfter):
		return nil
	}
}
