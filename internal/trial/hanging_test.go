package trial_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kcompare/franz"
	"kcompare/internal/evidence"
)

// deceived is a claim and a client that breaks it.
type deceived struct {
	name              string
	scenario, variant string
	lie               meddler
	want              []evidence.AnomalyKind // at least these, and not allowed
	reason            string                 // in one of the verdict's; "" for any
}

// checkFoundOut plays each and wants it violated.
func checkFoundOut(t *testing.T, table []deceived) {
	for _, tt := range table {
		t.Run(tt.scenario+" "+tt.variant+" "+tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.lie.Driver == nil {
				tt.lie.Driver = franz.New()
			}
			s := specOf(t, tt.scenario, tt.variant, tt.lie)
			s.Timeout = 30 * time.Second
			got := play(t, s)
			for _, kind := range tt.want {
				if !slices.ContainsFunc(got.Anomalies, func(a evidence.Anomaly) bool { return a.Kind == kind && !a.Allowed }) {
					t.Errorf("%s is not named: %v", kind, got.Anomalies)
				}
			}
			if got.Verdict != evidence.Violated || !strings.Contains(strings.Join(got.Reasons, "\n"), tt.reason) {
				t.Errorf("verdict is %s because of %q, want violated because of %q", got.Verdict, got.Reasons, tt.reason)
			}
		})
	}
}

// TestHangingTransactionsAreFoundOut: the claims of hanging-transaction fail for clients
// with other ids than the story gave them, and for a reader that does not wait.
func TestHangingTransactionsAreFoundOut(t *testing.T) {
	instance := 0
	another := func(set map[string]string) {
		if set["transactional.id"] != "" {
			instance++
			set["transactional.id"] += fmt.Sprint("-", instance)
		}
	}
	same := func(set map[string]string) {
		if set["transactional.id"] != "" {
			set["transactional.id"] = "kcompare-always-the-same"
		}
	}
	impatient := func(set map[string]string) {
		if set["isolation.level"] != "" {
			set["isolation.level"] = "read_uncommitted"
		}
	}
	const (
		story  = "hanging-transaction"
		stable = "transactional.id=stable"
		random = "transactional.id=random"
		long   = "transaction.timeout.ms=60000,transactional.id=random"
		early  = "read before the old one timed out: yes, expected no"
	)
	checkFoundOut(t, []deceived{
		{"another id at each start", story, stable, meddler{settings: another}, []evidence.AnomalyKind{evidence.StuckReader}, "stuck-reader: 3, the first is customer-7"},
		{"the same id at each start", story, random, meddler{settings: same}, nil, "stuck is 0, expected to equal 3"},
		{"the same id at each start", story, long, meddler{settings: same}, nil, "stuck is 0, expected to equal 3"},
		{"a reader that does not wait", story, random, meddler{settings: impatient}, nil, early},
		{"a reader that does not wait", story, long, meddler{settings: impatient}, nil, early},
	})
}
