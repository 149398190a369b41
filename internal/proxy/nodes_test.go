package proxy

import (
	"strings"
	"testing"
)

// The first listener stands where it was asked for; the others do not want its
// port. Ports below 32768 are not given to anybody who does not ask for them.
func TestListen(t *testing.T) {
	var p *Proxy
	var want string
	for port := 21_092; p == nil; port++ {
		var err error
		want = loopback(port).String()
		p, err = Start(Options{Upstreams: map[int32]string{-1: "127.0.0.1:1", 2: "127.0.0.1:2"}, Clock: clock(), Listen: want})
		if err != nil && (port > 21_192 || !strings.Contains(err.Error(), "in use")) {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { p.Close() })
	if first, _, _ := strings.Cut(p.Bootstrap(), ","); first != want || p.nodes[-1].listener.Addr().String() != want {
		t.Errorf("listens on %s, node -1 on %s, want %s first", p.Bootstrap(), p.nodes[-1].listener.Addr(), want)
	}

	taken := p.nodes[2].listener.Addr().String()
	for _, tt := range []struct{ listen, want string }{
		{taken, "listen for node 0: " + taken + " is in use by another program: give another port, or 0 for a free one, with --listen"},
		{"0.0.0.0:9092", `listen on "0.0.0.0:9092": expected 127.0.0.1:9092, because that is where clients are told to connect`},
		{":9092", `listen on ":9092": expected 127.0.0.1:9092`},
		{"localhost:9092", `expected 127.0.0.1:9092`},
		{"192.0.2.1:9092", `expected 127.0.0.1:9092`},
		{"9092", `listen on "9092": expected host and port, such as 127.0.0.1:9092`},
		{"127.0.0.1:kafka", `expected a port from 0 (a free one) to 65535, not "kafka"`},
		{"127.0.0.1:65536", `expected a port from 0 (a free one) to 65535, not "65536"`},
	} {
		p, err := Start(Options{Upstreams: map[int32]string{0: "127.0.0.1:1"}, Clock: clock(), Listen: tt.listen})
		if err == nil {
			p.Close()
			t.Errorf("listens on %q: %s", tt.listen, p.Bootstrap())
		} else if !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: error %v, want %s", tt.listen, err, tt.want)
		}
	}
}
