package evidence_test

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"strings"
	"testing"

	"kcompare/internal/evidence"
)

func TestIdentityRoundTrip(t *testing.T) {
	id := evidence.RecordID{Role: "payments", N: 42}
	if got, err := evidence.ParseRecordID(id.String()); err != nil || got != id {
		t.Errorf("ParseRecordID(%q) = %v, %v", id, got, err)
	}
	send := evidence.SendID{Instance: 1, Ordinal: 42, Sum: 0x0f3a9c01}
	if got := send.String(); got != "1/42/0f3a9c01" {
		t.Errorf("SendID is %q", got)
	}
	if got, err := evidence.ParseSendID(send.String()); err != nil || got != send {
		t.Errorf("ParseSendID(%q) = %v, %v", send, got, err)
	}
}

func TestIdentityInJSON(t *testing.T) {
	for _, rec := range []evidence.LogRecord{
		{Offset: 3, ID: evidence.RecordID{Role: "payments", N: 42}, Send: evidence.SendID{Instance: 1, Ordinal: 7, Sum: 9}},
		{Offset: 4, Foreign: true},
	} {
		text, err := json.Marshal(rec)
		if err != nil {
			t.Fatal(err)
		}
		var got evidence.LogRecord
		if err := json.Unmarshal(text, &got); err != nil || got != rec {
			t.Errorf("%s reads as %+v, %v", text, got, err)
		}
	}
}

func TestIdentityRefuses(t *testing.T) {
	for _, s := range []string{"", "payments", "payments/", "/1", "payments/-1", "payments/x"} {
		if id, err := evidence.ParseRecordID(s); err == nil {
			t.Errorf("ParseRecordID(%q) = %v, expected an error", s, id)
		}
	}
	for _, s := range []string{"", "1/2", "1/2/3/4", "-1/2/0", "1/-2/0", "1/2/fffffffff", "1/2/xyz"} {
		if id, err := evidence.ParseSendID(s); err == nil {
			t.Errorf("ParseSendID(%q) = %v, expected an error", s, id)
		}
	}
}

func TestChecksumKeepsFieldsApart(t *testing.T) {
	id := evidence.RecordID{Role: "payments", N: 1}
	sum := evidence.Checksum([]byte("ab"), []byte("c"), id)
	for name, other := range map[string]uint32{
		"bytes moved from key to value": evidence.Checksum([]byte("a"), []byte("bc"), id),
		"another value":                 evidence.Checksum([]byte("ab"), []byte("d"), id),
		"another record":                evidence.Checksum([]byte("ab"), []byte("c"), evidence.RecordID{Role: "payments", N: 2}),
	} {
		if other == sum {
			t.Errorf("%s: the checksum does not notice", name)
		}
	}
}

// The sum is CRC-32C over lengths, key, value and id, as records have carried it
// since the first evidence was written. To compute it takes no memory.
func TestChecksum(t *testing.T) {
	var summer evidence.Summer
	table := crc32.MakeTable(crc32.Castagnoli)
	for _, test := range []struct {
		key, value string
		id         evidence.RecordID
	}{
		{"", "", evidence.RecordID{}},
		{"k", "", evidence.RecordID{Role: "orders"}},
		{"order-0042", "payment-0042", evidence.RecordID{Role: "payments", N: 42}},
		{strings.Repeat("k", 99), strings.Repeat("v", 12_345), evidence.RecordID{Role: "größe/x", N: math.MaxInt}},
		{"k", "v", evidence.RecordID{Role: "r", N: math.MinInt}},
	} {
		text := fmt.Sprintf("%d:%s%d:%s%s", len(test.key), test.key, len(test.value), test.value, test.id)
		want := crc32.Checksum([]byte(text), table)
		key, value := []byte(test.key), []byte(test.value)
		if got := evidence.Checksum(key, value, test.id); got != want {
			t.Errorf("%.60s: %08x, expected %08x", text, got, want)
		}
		if got := summer.Sum(key, value, test.id); got != want {
			t.Errorf("%s: a used Summer says %08x, expected %08x", text, got, want)
		}
		if n := testing.AllocsPerRun(10, func() { summer.Sum(key, value, test.id) }); n > 0 {
			t.Errorf("%.60s: %v allocations, expected none", text, n)
		}
	}
}

func FuzzParseRecordID(f *testing.F) {
	f.Add("payments/42")
	f.Add("a/b/1")
	f.Fuzz(func(t *testing.T, s string) {
		id, err := evidence.ParseRecordID(s)
		if err != nil {
			return
		}
		if again, err := evidence.ParseRecordID(id.String()); err != nil || again != id {
			t.Errorf("%q reads as %v, which reads as %v, %v", s, id, again, err)
		}
	})
}

func FuzzParseSendID(f *testing.F) {
	f.Add("1/42/5f3a9c01")
	f.Fuzz(func(t *testing.T, s string) {
		id, err := evidence.ParseSendID(s)
		if err != nil {
			return
		}
		if again, err := evidence.ParseSendID(id.String()); err != nil || again != id {
			t.Errorf("%q reads as %v, which reads as %v, %v", s, id, again, err)
		}
	})
}
