package scenario

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// TestCoreVariants: names and kinds are fixed in docs/contract.md.
func TestCoreVariants(t *testing.T) {
	want := map[string]evidence.Kind{
		"idempotent enable.idempotence=true,sends=sequential":  evidence.Promise,
		"idempotent enable.idempotence=true,sends=concurrent":  evidence.Promise,
		"idempotent enable.idempotence=false,sends=sequential": evidence.Control,
		"idempotent enable.idempotence=false,sends=concurrent": evidence.Control,
		"idempotent leader=moved":                              evidence.Promise,
		"idempotent leader=killed":                             evidence.Promise,
		"at-most-once acks=0":                                  evidence.Promise,
		"at-most-once acks=1,retries=0":                        evidence.Promise,
		"at-least-once acks=all":                               evidence.Promise,
		"at-least-once flush=each":                             evidence.Observation,
		"at-least-once acks=0":                                 evidence.Control,
		"transactional end=commit":                             evidence.Promise,
		"transactional end=abort":                              evidence.Promise,
		"transactional end=mixed":                              evidence.Promise,
		"transactional commit=checked":                         evidence.Promise,
		"transactional commit=unchecked":                       evidence.Observation,
		"transactional abort=unanswered":                       evidence.Observation,
		"transactional isolation=read_uncommitted":             evidence.Control,
		"read-process-write after-abort=seek":                  evidence.Promise,
		"read-process-write after-abort=poll-on":               evidence.Observation,
		"read-process-write offset=last":                       evidence.Control,
		"read-process-write transactions=false":                evidence.Control,
		"zombie producer=transactional":                        evidence.Promise,
		"zombie producer=idempotent":                           evidence.Control,

		"idempotent enable.idempotence=true,retries=1,sends=sequential": evidence.Promise,
		"idempotent enable.idempotence=true,retries=1,sends=concurrent": evidence.Promise,
		"at-most-once acks=1,retries=0,sends=concurrent":                evidence.Promise,
		"at-least-once acks=all,sends=concurrent":                       evidence.Promise,
		"transactional end=commit,sends=sequential":                     evidence.Promise,
		"transactional end=mixed,sends=concurrent":                      evidence.Promise,
		"transactional end=commit,retries=1,sends=sequential":           evidence.Promise,
		"transactional end=commit,retries=1,sends=concurrent":           evidence.Promise,
		"read-process-write after-abort=seek,sends=sequential":          evidence.Promise,
		"zombie producer=transactional,sends=sequential":                evidence.Promise,
		"zombie producer=idempotent,sends=sequential":                   evidence.Control,
	}
	got := map[string]evidence.Kind{}
	for _, s := range All() {
		if !s.Core {
			continue
		}
		for _, v := range s.Variants {
			got[s.Name+" "+v.Name] = v.Kind
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("core variants (-contract +here):\n%s", diff)
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

// TestFewRetries: where a user limits retries, variants whose claims count on them claim
// something else, and only those.
func TestFewRetries(t *testing.T) {
	few := DefaultParameters()
	few.Retries = 1
	changed := map[string]bool{}
	for _, s := range All() {
		for _, v := range s.Variants {
			if diff := cmp.Diff(v.With(DefaultParameters()).About(few), v.About(few)); diff != "" {
				t.Errorf("%s %s with the default retries is another story (-with +own):\n%s", s.Name, v.Name, diff)
			}
			if !cmp.Equal(v.With(few).Checks, v.Checks) || !cmp.Equal(v.With(few).Allowed, v.Allowed) || !cmp.Equal(v.With(few).Plan(few), v.Plan(few)) {
				changed[s.Name+" "+v.Name] = true
			}
		}
	}
	none := DefaultParameters()
	none.Retries = 0
	for _, c := range idempotentVariant(false, concurrent).With(none).Checks {
		if c == check(evidence.Duplicates, ">", 0) {
			t.Error("without retries a lost answer leaves no duplicate, and the control claims one")
		}
	}
	v := oneByOne()
	if diff := cmp.Diff(v.Plan(few)[:2], v.With(few).Plan(few)[:2]); diff != "" {
		t.Errorf("with few retries other requests beside Produce are at risk (-want +got):\n%s", diff)
	}
	want := map[string]bool{
		"idempotent enable.idempotence=true,sends=sequential":  true,
		"idempotent enable.idempotence=true,sends=concurrent":  true,
		"idempotent enable.idempotence=false,sends=sequential": true,
		"idempotent enable.idempotence=false,sends=concurrent": true,
		"at-least-once acks=all,sends=concurrent":              true,
		"transactional end=commit":                             true,
		"transactional end=abort":                              true,
		"transactional end=mixed":                              true,
		"transactional commit=checked":                         true,
		"transactional commit=unchecked":                       true,
		"transactional abort=unanswered":                       true,
		"transactional isolation=read_uncommitted":             true,
		"transactional end=commit,sends=sequential":            true,
		"transactional end=mixed,sends=concurrent":             true,
	}
	if diff := cmp.Diff(want, changed); diff != "" {
		t.Errorf("variants that depend on --retries (-want +got):\n%s", diff)
	}
}
