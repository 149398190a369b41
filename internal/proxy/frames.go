package proxy

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Kafka's framing: four bytes of size, then so many bytes.
const (
	sizeBytes = 4
	maxFrame  = 512 << 20 // far above any message.max.bytes in use
	growStep  = 1 << 20   // no more memory than this is taken on the word of a size alone
)

// readAhead takes in many small frames by one read. What a large frame has beyond
// it is read straight to its place, so a large buffer would only be copied more.
const readAhead = 8 << 10

// frameReader reads frames of one direction of a connection into one buffer.
type frameReader struct {
	from  *bufio.Reader
	whose string // "client", "broker": for errors
	seen  bool   // a frame was read before
	buf   []byte
}

func newFrameReader(r io.Reader, whose string) *frameReader {
	return &frameReader{from: bufio.NewReaderSize(r, readAhead), whose: whose}
}

// next is the next frame, its size included, valid until the next call. io.EOF
// means that the other side ended the connection between two frames.
func (f *frameReader) next() ([]byte, error) {
	f.buf = slices.Grow(f.buf[:0], sizeBytes)[:sizeBytes]
	if _, err := io.ReadFull(f.from, f.buf); err != nil {
		return nil, f.unread("a frame", err)
	}
	size, err := frameSize(f.buf, f.whose, !f.seen)
	if err != nil {
		return nil, fmt.Errorf("read a frame from the %s: %w", f.whose, err)
	}
	f.seen = true
	for missing := size; missing > 0; {
		part := min(missing, max(growStep, cap(f.buf)-len(f.buf)))
		start := len(f.buf)
		f.buf = slices.Grow(f.buf, part)[:start+part]
		if _, err := io.ReadFull(f.from, f.buf[start:]); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, f.unread(fmt.Sprintf("a frame of %d bytes", size), err)
		}
		missing -= part
	}
	return f.buf, nil
}

// unread says on which side reading failed: what TLS says of an error fits both. The
// end between two frames is no failure.
func (f *frameReader) unread(what string, err error) error {
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	return fmt.Errorf("read %s from the %s: %w", what, f.whose, alertFrom(f.whose, err))
}

var errFrame = errors.New("not a Kafka frame")

// frameSize reads the size of a frame. A TLS record on a plaintext connection
// reads as a frame of some 350 MB, so the first frame is looked at for that; HTTP
// reads as one of more than a gigabyte.
func frameSize(b []byte, whose string, first bool) (int, error) {
	size := binary.BigEndian.Uint32(b)
	switch {
	case first && looksLike(b) == looksTLS:
		return 0, fmt.Errorf("%w: %s, and the proxy speaks plaintext to the %s: %s", errFrame, looksTLS, whose, plaintextHint(whose))
	case size <= maxFrame:
		return int(size), nil
	case looksLike(b) == looksHTTP:
		return 0, fmt.Errorf("%w: %s: expected a Kafka client and a Kafka broker", errFrame, looksHTTP)
	}
	return 0, fmt.Errorf("%w: it claims %d bytes, expected at most %d", errFrame, size, maxFrame)
}

// requestHeader is the header of a request (KIP-482), and where its body starts.
type requestHeader struct {
	key, version int16
	correlation  int32
	client       string
	body         int // offset in the frame
}

// parseRequestHeader reads the header of a frame. The client id has the same
// place and shape in every header version; only the tags behind it do not.
func parseRequestHeader(frame []byte) (requestHeader, error) {
	r := kbin.Reader{Src: frame[min(sizeBytes, len(frame)):]}
	h := requestHeader{key: r.Int16(), version: r.Int16(), correlation: r.Int32()}
	if h.key != int16(kmsg.ControlledShutdown) || h.version > 0 { // that one has no client id
		if id := r.NullableString(); id != nil {
			h.client = *id
		}
	}
	if req := newRequest(h.key, h.version); req != nil && req.IsFlexible() {
		kmsg.SkipTags(&r)
	}
	if err := r.Complete(); err != nil {
		return requestHeader{}, fmt.Errorf("read a request header: %w", err)
	}
	h.body = len(frame) - len(r.Src)
	return h, nil
}

// newRequest is an empty request of that version, nil for an API that kmsg does
// not know. Versions beyond kmsg's are the caller's business.
func newRequest(key, version int16) kmsg.Request {
	req := kmsg.RequestForKey(key)
	if req != nil {
		req.SetVersion(version)
	}
	return req
}

// responseBody is where the body of an answer starts. The header of ApiVersions
// is never flexible, so that a client can read it before it knows the broker.
func responseBody(frame []byte, resp kmsg.Response) (int, error) {
	r := kbin.Reader{Src: frame[min(sizeBytes, len(frame)):]}
	r.Int32()
	if resp.IsFlexible() && resp.Key() != int16(kmsg.ApiVersions) {
		kmsg.SkipTags(&r)
	}
	if err := r.Complete(); err != nil {
		return 0, fmt.Errorf("read a response header: %w", err)
	}
	return len(frame) - len(r.Src), nil
}

// correlationOf is the first field of every answer.
func correlationOf(frame []byte) (int32, error) {
	if len(frame) < sizeBytes+4 {
		return 0, fmt.Errorf("read a response header: %d bytes: expected a correlation id", len(frame)-sizeBytes)
	}
	return int32(binary.BigEndian.Uint32(frame[sizeBytes:])), nil
}

// appendFrame makes a frame of a header that already stands somewhere (without
// its size) and a body.
func appendFrame(dst, header []byte, body interface{ AppendTo([]byte) []byte }) []byte {
	dst = append(dst[:0], 0, 0, 0, 0)
	dst = append(dst, header...)
	dst = body.AppendTo(dst)
	binary.BigEndian.PutUint32(dst, uint32(len(dst)-sizeBytes))
	return dst
}
