package batch

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/evidence"
)

// visited writes down what a visitor gets, and stops at a record.
type visited struct {
	said []string
	stop int64
}

var errEnough = errors.New("enough")

func (v *visited) Batch(h Header, control string) error {
	v.said = append(v.said, fmt.Sprintf("batch %d %d %s", h.BaseOffset, h.ProducerID, control))
	return nil
}

func (v *visited) Record(offset int64, key, value []byte) error {
	if offset == v.stop {
		return errEnough
	}
	v.said = append(v.said, fmt.Sprintf("%d %s %s", offset, key, value))
	return nil
}

// TestVisit: it reads what Parse reads, in every codec, markers and foreign records
// included, takes as many bytes, and refuses the same.
func TestVisit(t *testing.T) {
	records, _ := orders(0, 3)
	foreign := kmsg.Record{Value: []byte("no headers, and no key")}
	commit := kmsg.Record{Key: []byte{0, 0, 0, 1}, Value: make([]byte, 6)}
	var raw []byte
	for _, codec := range codecs() {
		raw = append(raw, encode(t, kmsg.RecordBatch{FirstOffset: int64(len(raw)), ProducerID: 7}, codec, append(records, foreign)...)...)
	}
	raw = append(raw, encode(t, kmsg.RecordBatch{FirstOffset: int64(len(raw)), Attributes: controlBit | transactionalBit}, kgo.NoCompression(), commit)...)
	corrupt := append([]byte{}, raw...)
	corrupt[len(corrupt)-1] ^= 1
	for name, raw := range map[string][]byte{
		"whole": raw, "cut": raw[:len(raw)-5], "corrupt": corrupt, "nothing": nil,
		"another format": append(append([]byte{}, raw...), make([]byte, 20)...),
		"bad records":    odd(2, 1, kmsg.Record{OffsetDelta: 0}),
	} {
		batches, n, wrong := parse(NewParser(), raw)
		v := &visited{stop: -1}
		m, err := NewParser().Visit(raw, v)
		if fmt.Sprint(err) != fmt.Sprint(wrong) || n != m {
			t.Errorf("%s: parsed %d bytes, error %v; visited %d, error %v", name, n, wrong, m, err)
		}
		if name == "bad records" {
			continue // Parse hands on no batch in which something is wrong
		}
		if diff := cmp.Diff(shortened(batches), withoutValues(v.said)); diff != "" {
			t.Errorf("%s: -parsed +visited:\n%s", name, diff)
		}
	}
}

func shortened(batches []evidence.Batch) []string {
	var said []string
	for _, b := range batches {
		said = append(said, fmt.Sprintf("batch %d %d %s", b.BaseOffset, b.ProducerID, b.Control))
		for _, r := range b.Records {
			said = append(said, fmt.Sprintf("%d %s", r.Offset, r.Key))
		}
	}
	return said
}

func withoutValues(said []string) []string {
	var all []string
	for _, s := range said {
		if words := strings.SplitN(s, " ", 3); words[0] != "batch" {
			s = words[0] + " " + words[1]
		}
		all = append(all, s)
	}
	return all
}

// TestVisitStops: the error of a visitor is returned as it is, and its batch was not read.
func TestVisitStops(t *testing.T) {
	records, _ := orders(0, 3)
	first := encode(t, kmsg.RecordBatch{}, kgo.NoCompression(), records...)
	raw := slices.Concat(first, encode(t, kmsg.RecordBatch{FirstOffset: 3}, kgo.NoCompression(), records...))
	v := &visited{stop: 4}
	if n, err := NewParser().Visit(raw, v); err != errEnough || n != len(first) {
		t.Errorf("%d bytes, error %v; expected %d and the visitor's own", n, err, len(first))
	}
	want := []string{
		"batch 0 0 ", "0 order-0000 payment-0000", "1 order-0001 payment-0001", "2 order-0002 payment-0002", "batch 3 0 ", "3 order-0000 payment-0000",
	}
	if diff := cmp.Diff(want, v.said); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
