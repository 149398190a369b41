package batch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/evidence"
)

func TestIdentities(t *testing.T) {
	foreign := kmsg.Record{Value: []byte("no headers")}
	bad, unsent := mustOrder(1), mustOrder(1)
	bad.Headers = []kmsg.Header{{Key: evidence.IDHeader, Value: []byte("orders")}}
	unsent.Headers = unsent.Headers[:1]
	for _, tt := range []struct {
		name    string
		records []kmsg.Record
		want    string
		err     string
	}{
		{"none", nil, "[]", ""},
		{"some", []kmsg.Record{mustOrder(2), mustOrder(3)}, "[orders/2 orders/3]", ""},
		{"a foreign batch", []kmsg.Record{foreign, mustOrder(1)}, "[]", ""},
		{"a foreign record among ours", []kmsg.Record{mustOrder(1), foreign, mustOrder(2)}, "[orders/1 orders/2]", ""},
		{"a broken id", []kmsg.Record{mustOrder(1), bad}, "[orders/1]", `record 1: kc-id "orders": expected`},
		{"an id without a send", []kmsg.Record{unsent}, "[]", `record 0: kc-send "": expected`},
	} {
		raw := encode(t, kmsg.RecordBatch{}, kgo.NoCompression(), tt.records...)
		h, err := ReadHeader(raw)
		if err != nil {
			t.Fatal(err)
		}
		ids, sends, err := NewParser().Identities(h, raw)
		if got := fmt.Sprint(ids); got != tt.want || len(ids) != len(sends) {
			t.Errorf("%s: %s with %d sends, want %s", tt.name, got, len(sends), tt.want)
		}
		if (err != nil) != (tt.err != "") || err != nil && !strings.HasPrefix(err.Error(), tt.err) {
			t.Errorf("%s: error %v, want %s...", tt.name, err, tt.err)
		}
	}
}

func mustOrder(n int) kmsg.Record {
	record, _ := order(n)
	return record
}

// Roles are shared by records, and never mixed up, however many there are.
func TestRoles(t *testing.T) {
	var s identities
	for n := range 3 * mostRoles {
		for _, role := range []string{"orders", fmt.Sprintf("role-%d", n), "payments"} {
			id, err := s.recordID([]byte(role + "/7"))
			if want := (evidence.RecordID{Role: role, N: 7}); id != want || err != nil {
				t.Fatalf("%+v, error %v, want %+v", id, err, want)
			}
		}
	}
	if len(s.roles) > mostRoles {
		t.Errorf("%d roles are remembered, want at most %d", len(s.roles), mostRoles)
	}
}

// Whatever stands in a header is read as package evidence reads it.
func FuzzIdentities(f *testing.F) {
	for _, s := range []string{
		"payments/42", "a/b/1", "1/42/5f3a9c01", "1/2/FF", "+1/+2/3", "01/02/000000003", "/", "//", "a/", "/1", "a/-1",
		"a/999999999", "a/1000000000", "1/2/ffffffff", "1/2/100000000", "1/2/3/4", "a/9999999999999999999", "1/2/", "\xff/1",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var s identities
		id, err := s.recordID(text)
		wantID, wantErr := evidence.ParseRecordID(string(text))
		if id != wantID || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("kc-id %q: %+v, %v, want %+v, %v", text, id, err, wantID, wantErr)
		}
		send, err := s.sendID(text)
		wantSend, wantErr := evidence.ParseSendID(string(text))
		if diff := cmp.Diff(wantSend, send); diff != "" || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("kc-send %q: %v, want %v, -want +got:\n%s", text, err, wantErr, diff)
		}
	})
}
