package scenario

import (
	"slices"
	"strings"
	"testing"

	"kcompare/internal/evidence"
	"kcompare/internal/partition"
)

func TestEveryVariant(t *testing.T) {
	p := DefaultParameters()
	for _, s := range All() {
		for _, v := range s.Variants {
			name := s.Name + " " + v.Name
			if pairs := strings.Split(v.Name, ","); !slices.IsSorted(pairs) || strings.Contains(v.Name, " ") {
				t.Errorf("%s: pairs are to be sorted and without blanks", name)
			}
			if v.Claim == "" || v.About(p) == "" {
				t.Errorf("%s: needs a claim and a story", name)
			}
			if v.Kind != evidence.Observation && len(v.Checks) == 0 {
				t.Errorf("%s: a %s needs checks that can fail", name, v.Kind)
			}
			if err := v.Plan(p).Validate(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if n := len(v.Records(p, partition.Murmur2)); n == 0 {
				t.Errorf("%s: plans no record", name)
			}
		}
	}
}

// TestIdempotentVariants: names and kinds are fixed in docs/contract.md.
func TestIdempotentVariants(t *testing.T) {
	want := map[string]evidence.Kind{
		"enable.idempotence=true,sends=sequential":  evidence.Promise,
		"enable.idempotence=true,sends=concurrent":  evidence.Promise,
		"enable.idempotence=false,sends=sequential": evidence.Control,
		"enable.idempotence=false,sends=concurrent": evidence.Control,
	}
	for _, v := range idempotent().Variants {
		if want[v.Name] != v.Kind {
			t.Errorf("%s is a %s, the contract says %q", v.Name, v.Kind, want[v.Name])
		}
		delete(want, v.Name)
	}
	for name := range want {
		t.Errorf("%s is missing", name)
	}
}

func TestMatches(t *testing.T) {
	v := Variant{Name: "enable.idempotence=true,sends=sequential"}
	for pairs, want := range map[string]bool{
		"sends=sequential":                         true,
		"enable.idempotence=true,sends=sequential": true,
		"sends=sequential,enable.idempotence=true": true,
		"sends=concurrent":                         false,
		"idempotence=true":                         false,
		"sends=seq":                                false,
	} {
		if got := v.Matches(strings.Split(pairs, ",")); got != want {
			t.Errorf("Matches(%s) = %v, want %v", pairs, got, want)
		}
	}
}
