package probe

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/fingerprint"
	"kcompare/internal/source"
)

// TestCompare: each setting of a block beside the clients that it is about.
func TestCompare(t *testing.T) {
	producer := fingerprint.Fingerprint{
		ClientID: "shop", Requests: map[string]int64{"Produce": 1},
		Traits: []fingerprint.Trait{{Key: "acks", Value: "all", Precision: fingerprint.Exact}, {Key: "client.id", Value: "shop", Precision: fingerprint.Exact}},
	}
	careless := fingerprint.Fingerprint{
		ClientID: "log", Requests: map[string]int64{"Produce": 1},
		Traits: []fingerprint.Trait{{Key: "acks", Value: "1", Precision: fingerprint.Exact}, {Key: "client.id", Value: "log", Precision: fingerprint.Exact}},
	}
	consumer := fingerprint.Fingerprint{
		ClientID: "till", Requests: map[string]int64{"Fetch": 1},
		Traits: []fingerprint.Trait{{Key: "fetch.min.bytes", Value: "1", Precision: fingerprint.Exact}},
	}
	entry := func(key, value string) source.Entry {
		return source.Entry{Key: key, KeyAt: source.Pos{Line: 3, Column: 5}, Value: source.Value{Kind: source.Text, Text: value}}
	}
	uuid := source.Entry{Key: "transactional.id", KeyAt: source.Pos{Line: 3, Column: 5}, Value: source.Value{Kind: source.Computed}}
	linger := source.Entry{Key: "ProducerLinger", Canonical: "linger.ms", CanonicalValue: "5", KeyAt: source.Pos{Line: 3, Column: 5}}
	const at = "app.py:3:5"
	for name, tt := range map[string]struct {
		block source.Block
		seen  []fingerprint.Fingerprint
		want  []Compared
	}{
		"the same, by an alias": {
			source.Block{Role: source.Producer, Entries: []source.Entry{entry("request.required.acks", "-1")}},
			[]fingerprint.Fingerprint{producer, consumer},
			[]Compared{{Key: "acks", Result: fingerprint.Same, Expected: "-1", Observed: map[string]string{"shop": "all"}, At: at}},
		},
		"one of two does otherwise": {
			source.Block{Entries: []source.Entry{entry("acks", "all")}},
			[]fingerprint.Fingerprint{producer, careless},
			[]Compared{{Key: "acks", Result: fingerprint.Different, Expected: "all", Observed: map[string]string{"shop": "all", "log": "1"}, At: at}},
		},
		"the one that the block names": {
			source.Block{Entries: []source.Entry{entry("acks", "all"), entry("client.id", "shop")}},
			[]fingerprint.Fingerprint{producer, careless},
			[]Compared{
				{Key: "acks", Result: fingerprint.Same, Expected: "all", Observed: map[string]string{"shop": "all"}, At: at},
				{Key: "client.id", Result: fingerprint.Same, Expected: "shop", Observed: map[string]string{"shop": "shop"}, At: at},
			},
		},
		"of another role": {
			source.Block{Role: source.Consumer, Entries: []source.Entry{entry("fetch.min.bytes", "2"), entry("session.timeout.ms", "6000")}},
			[]fingerprint.Fingerprint{producer},
			[]Compared{
				{Key: "fetch.min.bytes", Result: fingerprint.NotSeen, Expected: "2", Observed: map[string]string{}, Reason: "no client of this kind was seen", At: at},
				{Key: "session.timeout.ms", Result: fingerprint.NotSeen, Expected: "6000", Observed: map[string]string{}, Reason: "no client of this kind was seen", At: at},
			},
		},
		"what cannot be compared": {
			source.Block{Role: source.Producer, Entries: []source.Entry{
				entry("sasl.password", "hunter2"), entry("bootstrap.servers", "a:1"), uuid, linger, entry("lingerms", "5"), entry("compression.type", "lz4"),
			}},
			[]fingerprint.Fingerprint{producer},
			[]Compared{
				{Key: "sasl.password", Result: fingerprint.NotSeen, Expected: "(secret)", Reason: "a secret, which no request shows", At: at},
				{Key: "bootstrap.servers", Result: fingerprint.NotSeen, Expected: "a:1", Reason: "given by probe", At: at},
				{Key: "transactional.id", Result: fingerprint.NotSeen, Reason: "its value is known only when the program runs", At: at},
				{Key: "linger.ms", Result: fingerprint.NotSeen, Expected: "5", Reason: "no request shows it", At: at},
				{Key: "lingerms", Result: fingerprint.NotSeen, Reason: "no setting of the catalogue: kcompare lint says more", At: at},
				{Key: "compression.type", Result: fingerprint.NotSeen, Expected: "lz4", Observed: map[string]string{}, Reason: "nothing in this run showed it", At: at},
			},
		},
		"settings of a broker": {source.Block{Client: "broker", Entries: []source.Entry{entry("acks", "1")}}, []fingerprint.Fingerprint{producer}, nil},
	} {
		got := Compare([]source.File{{Path: "app.py", Blocks: []source.Block{tt.block}}}, tt.seen)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
