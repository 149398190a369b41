package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/evidence"
)

// TestBareSettings: a trial whose clients got nothing but the address departs from what
// every other trial sets, says so, and takes no part in what is called common.
func TestBareSettings(t *testing.T) {
	common := map[string]string{"acks": "all", "linger.ms": "0"}
	reading := map[string]string{"check.crcs": "true"}
	usual := evidence.Trial{Variant: "a=1", Config: common, Consuming: map[string]string{"group.id": "g"}, Reading: reading}
	bare := evidence.Trial{Variant: "b=1", Bare: true, Config: map[string]string{"client.id": "own"}, Reading: reading}
	member := bare
	member.Consuming = map[string]string{"group.id": "h"}

	var got [][]string
	for _, s := range setups([]evidence.Trial{usual, bare, member}) {
		got = append(got, texts(s.commonSheet().items))
		for _, trial := range []evidence.Trial{usual, bare, member} {
			got = append(got, texts(s.departures(trial)))
		}
	}
	allElse := "(all else: the library's default)"
	want := [][]string{
		{"acks=all", "linger.ms=0"}, nil, {"client.id=own", allElse}, {"client.id=own", allElse},
		{"group.id=g"}, nil, nil, {"group.id=h", allElse},
		{"check.crcs=true"}, nil, nil, nil,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	if term := setups([]evidence.Trial{usual, bare})[0].commonSheet().term; term != "every trial, unless its variant says otherwise" {
		t.Errorf("the common settings are those of %q", term)
	}
}

func texts(items []item) []string {
	var all []string
	for _, i := range items {
		all = append(all, i.text)
	}
	return all
}
