package brokerdiff

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// clientID is the client.id under which the questions appear in a broker's log.
const clientID = "kcompare-brokerdiff"

// maxFrame bounds an answer, in bytes.
const maxFrame = 64 << 20

// conn is a connection on which requests go out in the version that a situation
// wants. A client library would choose its own.
type conn struct {
	net    net.Conn
	next   int32 // correlation id
	format *kmsg.RequestFormatter
}

// dial connects; every later call has to be done when ctx ends.
func dial(ctx context.Context, addr string) (*conn, error) {
	var dialer net.Dialer
	c, err := dialer.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	if deadline, ok := ctx.Deadline(); ok {
		if err := c.SetDeadline(deadline); err != nil {
			return nil, err
		}
	}
	return &conn{net: c, format: kmsg.NewRequestFormatter(kmsg.FormatterClientID(clientID))}, nil
}

func (c *conn) close() { _ = c.net.Close() }

// send writes a request for which there may be no answer (acks=0).
func (c *conn) send(req kmsg.Request) error {
	c.next++
	if _, err := c.net.Write(c.format.AppendRequest(nil, req, c.next)); err != nil {
		return fmt.Errorf("send %s: %w", kmsg.NameForKey(req.Key()), err)
	}
	return nil
}

// ask sends a request and reads its answer. Where the broker closed the
// connection instead the error wraps io.EOF.
func (c *conn) ask(req kmsg.Request) (kmsg.Response, error) {
	if err := c.send(req); err != nil {
		return nil, err
	}
	resp, err := c.receive(req)
	if err != nil {
		return nil, fmt.Errorf("answer to %s v%d: %w", kmsg.NameForKey(req.Key()), req.GetVersion(), err)
	}
	return resp, nil
}

func (c *conn) receive(req kmsg.Request) (kmsg.Response, error) {
	var size [4]byte
	if _, err := io.ReadFull(c.net, size[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(size[:])
	if n < 4 || n > maxFrame {
		return nil, fmt.Errorf("a frame of %d bytes: expected 4 to %d", n, maxFrame)
	}
	frame := make([]byte, n)
	if _, err := io.ReadFull(c.net, frame); err != nil {
		return nil, err
	}
	if id := int32(binary.BigEndian.Uint32(frame)); id != c.next {
		return nil, fmt.Errorf("correlation id %d: expected %d", id, c.next)
	}
	resp := req.ResponseKind()
	resp.SetVersion(req.GetVersion())
	return resp, resp.ReadFrom(body(resp, frame[4:]))
}

// body is what follows the tags of a header: flexible versions have them, but for
// ApiVersions, which a client has to read before it knows versions (KIP-511). No
// broker sends any.
func body(resp kmsg.Response, rest []byte) []byte {
	const apiVersions = 18
	if resp.IsFlexible() && resp.Key() != apiVersions && len(rest) > 0 {
		return rest[1:]
	}
	return rest
}
