package batch

import (
	"errors"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestReadHeaderRefuses(t *testing.T) {
	records, _ := orders(0, 2)
	whole := encode(t, kmsg.RecordBatch{FirstOffset: 9}, kgo.NoCompression(), records...)
	for cut := range len(whole) {
		if h, err := ReadHeader(whole[:cut]); !errors.Is(err, ErrCut) || h != (Header{}) {
			t.Errorf("cut at %d: %+v, error %v", cut, h, err)
		}
	}
	for _, magic := range []int8{0, 1, 3, -1} {
		whole[magicAt] = byte(magic)
		var old *FormatError
		if _, err := ReadHeader(whole); !errors.As(err, &old) || *old != (FormatError{Offset: 9, Magic: magic}) {
			t.Errorf("format %d: error %v", magic, err)
		}
	}
}

// The length may be up to 2 GiB, and does not overflow.
func TestReadHeaderLength(t *testing.T) {
	raw := make([]byte, 200)
	raw[magicAt] = 2
	raw[lengthAt], raw[lengthAt+1], raw[lengthAt+2], raw[lengthAt+3] = 0x7f, 0xff, 0xff, 0xff
	if _, err := ReadHeader(raw); !errors.Is(err, ErrCut) {
		t.Errorf("the largest length: error %v, expected %v", err, ErrCut)
	}
	raw[lengthAt] = 0xff
	if _, err := ReadHeader(raw); err == nil || errors.Is(err, ErrCut) {
		t.Errorf("a negative length: error %v", err)
	}
}
