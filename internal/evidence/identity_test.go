package evidence_test

import (
	"encoding/json"
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
