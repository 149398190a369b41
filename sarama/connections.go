package sarama

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/IBM/sarama"
)

// connections are those of one client. sarama's own close waits for answers until its
// timeouts, and pauses between attempts; Close of this driver waits for no broker, so
// it cuts the connections, and there are no more pauses.
type connections struct {
	dialer net.Dialer
	ctx    context.Context // ends with cut
	end    context.CancelFunc

	mu   sync.Mutex
	open []net.Conn // as sarama has them; closed ones too
}

// connect makes a client's connections ours.
func connect(conf *sarama.Config) *connections {
	ctx, end := context.WithCancel(context.Background())
	c := &connections{
		dialer: net.Dialer{Timeout: conf.Net.DialTimeout, KeepAlive: conf.Net.KeepAlive},
		ctx:    ctx, end: end,
	}
	conf.Net.Proxy.Enable, conf.Net.Proxy.Dialer = true, c
	c.hurry(conf)
	return c
}

// hurry ends pauses after cut. One thing is otherwise with a computed pause than with a
// constant one: sarama waits it in full, and not 20 ms, while the transaction before is
// still ending (transaction_manager.go, publishTxnPartitions).
func (c *connections) hurry(conf *sarama.Config) {
	produce, metadata, transact := &conf.Producer.Retry, &conf.Metadata.Retry, &conf.Producer.Transaction.Retry
	produce.BackoffFunc = c.pauses(produce.Backoff, produce.BackoffFunc)
	metadata.BackoffFunc = c.pauses(metadata.Backoff, metadata.BackoffFunc)
	transact.BackoffFunc = c.pauses(transact.Backoff, transact.BackoffFunc)
}

func (c *connections) pauses(constant time.Duration, computed func(retries, most int) time.Duration) func(int, int) time.Duration {
	return func(retries, most int) time.Duration {
		switch {
		case c.ctx.Err() != nil:
			return 0
		case computed != nil:
			return computed(retries, most)
		}
		return constant
	}
}

// Dial is what sarama calls in the place of its own net.Dialer.
func (c *connections) Dial(network, address string) (net.Conn, error) {
	conn, err := c.dialer.DialContext(c.ctx, network, address)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() != nil {
		_ = conn.Close()
		return nil, net.ErrClosed
	}
	c.open = append(c.open, conn)
	return conn, nil
}

// cut closes all connections and refuses new ones.
func (c *connections) cut() {
	c.end()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.open {
		_ = conn.Close() // which it may be already
	}
	c.open = nil
}
