package proxy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/batch"
	"kcompare/internal/fault"
)

func TestFrameReader(t *testing.T) {
	big := bytes.Repeat([]byte("0123456789abcdef"), 200_000) // 3.2 MB: grows in steps
	for _, tt := range []struct {
		name string
		in   []byte
		want [][]byte
		err  error
	}{
		{"nothing", nil, nil, io.EOF},
		{"two frames", []byte("\x00\x00\x00\x02ab\x00\x00\x00\x01c"), [][]byte{[]byte("\x00\x00\x00\x02ab"), []byte("\x00\x00\x00\x01c")}, io.EOF},
		{"an empty frame", []byte("\x00\x00\x00\x00"), [][]byte{{0, 0, 0, 0}}, io.EOF},
		{"a big frame", frame(big), [][]byte{frame(big)}, io.EOF},
		{"half a size", []byte("\x00\x00"), nil, io.ErrUnexpectedEOF},
		{"a size alone", []byte("\x00\x00\x00\x02"), nil, io.ErrUnexpectedEOF},
		{"half a frame", []byte("\x00\x00\x00\x02a"), nil, io.ErrUnexpectedEOF},
		{"too much", []byte("\x20\x00\x00\x01"), nil, errFrame},
		{"negative", []byte("\xff\xff\xff\xff"), nil, errFrame},
		{"a TLS hello", []byte("\x16\x03\x01\x02\x00\x01"), nil, errFrame},
		{"HTTP", []byte("GET / HTTP/1.1\r\n"), nil, errFrame},
		{"a TLS alert", []byte("\x15\x03\x03\x00\x02\x02"), nil, errFrame},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got [][]byte
			f := newFrameReader(iotest.HalfReader(bytes.NewReader(tt.in)), "client")
			for {
				one, err := f.next()
				if err != nil {
					if !errors.Is(err, tt.err) {
						t.Errorf("error %v, want %v", err, tt.err)
					}
					break
				}
				got = append(got, bytes.Clone(one))
			}
			if !slices.EqualFunc(tt.want, got, bytes.Equal) {
				t.Errorf("got %d frames %.40q, want %d frames %.40q", len(got), got, len(tt.want), tt.want)
			}
		})
	}
}

// What went wrong is told as it is, with the side where it did, also in the middle of
// a frame.
func TestFrameReaderNamesTheSide(t *testing.T) {
	broken := errors.New("broken")
	for _, in := range []string{"", "\x00\x00\x00\x00", "\x00\x00\x00\x02", "\x00\x00\x00\x02a"} {
		f := newFrameReader(io.MultiReader(strings.NewReader(in), iotest.ErrReader(broken)), "broker")
		var err error
		for err == nil {
			_, err = f.next()
		}
		if !errors.Is(err, broken) || !strings.Contains(err.Error(), "from the broker: ") {
			t.Errorf("after %q: error %v, want one that names the broker and what was broken", in, err)
		}
	}
}

func frame(body []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

// Only the first frame may be taken for TLS: a later one of 369 MB is allowed.
func TestTLSIsSeenAtTheFirstFrameOnly(t *testing.T) {
	if _, err := frameSize([]byte{0x16, 0x03, 0x01, 0x02}, "client", true); err == nil || !strings.Contains(err.Error(), "looks like TLS") {
		t.Errorf("first frame: error %v, want one that names TLS", err)
	}
	if size, err := frameSize([]byte{0x16, 0x03, 0x01, 0x02}, "client", false); err != nil || size != 0x16030102 {
		t.Errorf("later frame: size %d, error %v", size, err)
	}
}

// A size is no reason to take memory before the bytes are there.
func TestFrameReaderTrustsNoSize(t *testing.T) {
	f := newFrameReader(strings.NewReader("\x1f\xff\xff\xff"+"abc"), "client")
	if _, err := f.next(); err == nil {
		t.Fatal("half a frame was taken for a whole one")
	}
	if cap(f.buf) > 4*growStep {
		t.Errorf("%d bytes of memory for 3 bytes of input", cap(f.buf))
	}
}

func TestRequestHeaderOfEveryAPI(t *testing.T) {
	for key := range int16(kmsg.MaxKey + 1) {
		req := kmsg.RequestForKey(key)
		if req == nil {
			continue
		}
		for version := range req.MaxVersion() + 1 {
			req.SetVersion(version)
			frame := kmsg.NewRequestFormatter(kmsg.FormatterClientID("app")).AppendRequest(nil, req, 77)
			want := requestHeader{key: key, version: version, correlation: 77, client: "app", body: len(frame) - len(req.AppendTo(nil))}
			if key == int16(kmsg.ControlledShutdown) && version == 0 {
				want.client, want.body = "", len(frame) // kmsg writes the bare header alone
			}
			got, err := parseRequestHeader(frame)
			if err != nil || got != want {
				t.Errorf("%s v%d: %+v, error %v, want %+v", apiName(key), version, got, err, want)
			}
		}
	}
}

// FuzzFrames feeds the parsers of everything that comes first on a connection.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x02ab"))
	f.Add([]byte("\x16\x03\x01\x02\x00\x01"))
	for _, key := range []int16{0, 3, 18, 10_001} {
		if req := newRequest(key, 9); req != nil {
			f.Add(kmsg.NewRequestFormatter(kmsg.FormatterClientID("app")).AppendRequest(nil, req, 1))
		}
	}
	f.Add(kmsg.NewRequestFormatter().AppendRequest(nil, produceTo(9, 1, "orders", map[int32][]byte{0: batchOf(payment(1))}), 1))
	f.Fuzz(func(t *testing.T, in []byte) {
		p := &Proxy{record: newRecorder(Options{Clock: clock(), Keep: 1, Engine: fault.NewEngine(nil, 0)}), topics: newTopics(nil)}
		reader := newFrameReader(bytes.NewReader(in), "client")
		read := 0
		for {
			one, err := reader.next()
			if err != nil {
				break
			}
			if read += len(one); read > len(in) {
				t.Fatalf("%d bytes of frames out of %d", read, len(in))
			}
			h, err := parseRequestHeader(one)
			if err == nil && (h.body < sizeBytes || h.body > len(one)) {
				t.Fatalf("the body starts at %d of %d", h.body, len(one))
			}
			_, _ = p.readRequest(one, batch.NewParser())
			_, _ = correlationOf(one)
		}
	})
}
