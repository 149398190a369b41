package proxy

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"
)

// TestSocketKeepsToNetConn plays what the proxy relies on against a plain connection.
func TestSocketKeepsToNetConn(t *testing.T) {
	large := bytes.Repeat([]byte("kcompare"), 1<<20) // more than the kernel takes at once
	for _, c := range []struct {
		name string
		play func(own duplex, other *net.TCPConn) error
		want error
	}{
		{"a write of what the kernel does not take at once", func(own duplex, other *net.TCPConn) error {
			got := make(chan []byte)
			go func() {
				read, _ := io.ReadAll(other)
				got <- read
			}()
			n, err := own.Write(large)
			_ = own.CloseWrite()
			if !bytes.Equal(<-got, large) || n != len(large) {
				return errors.New("other bytes came")
			}
			return err
		}, nil},
		{"reads of what comes in pieces", func(own duplex, other *net.TCPConn) error {
			go func() {
				_, _ = other.Write(large)
				_ = other.CloseWrite()
			}()
			got, err := io.ReadAll(own)
			if !bytes.Equal(got, large) {
				return errors.New("other bytes came")
			}
			return err
		}, nil},
		{"a read into nothing", func(own duplex, _ *net.TCPConn) error {
			_, err := own.Read(nil)
			return err
		}, nil},
		{"a read after the end", func(own duplex, other *net.TCPConn) error {
			_ = other.CloseWrite()
			_, err := own.Read(make([]byte, 1))
			return err
		}, io.EOF},
		{"a read at its deadline", func(own duplex, _ *net.TCPConn) error {
			_ = own.SetReadDeadline(time.Now())
			_, err := own.Read(make([]byte, 1))
			return err
		}, os.ErrDeadlineExceeded},
		{"a read that waits as the connection is closed", func(own duplex, _ *net.TCPConn) error {
			ended := make(chan error)
			go func() {
				_, err := own.Read(make([]byte, 1))
				ended <- err
			}()
			_ = own.Close()
			return <-ended
		}, net.ErrClosed},
		{"a write that waits as the connection is closed", func(own duplex, _ *net.TCPConn) error {
			ended := make(chan error)
			go func() {
				_, err := own.Write(bytes.Repeat(large, 8))
				ended <- err
			}()
			_ = own.Close()
			return <-ended
		}, net.ErrClosed},
		{"a read after a reset", func(own duplex, other *net.TCPConn) error {
			_ = other.SetLinger(0)
			_ = other.Close()
			_, err := own.Read(make([]byte, 1))
			return err
		}, syscall.ECONNRESET},
		{"a write after the own end", func(own duplex, _ *net.TCPConn) error {
			_ = own.CloseWrite()
			_, err := own.Write([]byte{1})
			return err
		}, syscall.EPIPE},
	} {
		t.Run(c.name, func(t *testing.T) {
			own, other := tcpPair(t)
			if err := c.play(newSocket(own), other); !errors.Is(err, c.want) {
				t.Errorf("got %v, expected %v", err, c.want)
			}
		})
	}
}

// tcpPair is the two ends of a connection on loopback.
func tcpPair(t *testing.T) (_, _ *net.TCPConn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	one, err1 := net.Dial("tcp", l.Addr().String())
	other, err2 := l.Accept()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	t.Cleanup(func() { one.Close(); other.Close() })
	return one.(*net.TCPConn), other.(*net.TCPConn)
}
