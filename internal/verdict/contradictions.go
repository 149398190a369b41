package verdict

import (
	"fmt"
	"slices"

	"kcompare/internal/evidence"
)

// contradictions says where the evidence of a trial cannot have come from an
// audit. It finds a document that was edited or cut, not one that was made up
// with care.
func contradictions(t evidence.Trial) []string {
	var wrong []string
	if !slices.Contains([]evidence.Kind{evidence.Promise, evidence.Control, evidence.Observation}, t.Kind) {
		wrong = append(wrong, fmt.Sprintf("kind is %q, expected promise, control or observation", t.Kind))
	}
	for _, m := range evidence.Metrics() {
		n, known := t.Counts[m]
		if known && n < 0 {
			wrong = append(wrong, fmt.Sprintf("%s is %d, expected 0 or more", m, n))
		}
		kind, isSum := m.Anomaly()
		switch sum := anomalyCount(t, kind); {
		case !isSum || sum == n:
		case known:
			wrong = append(wrong, fmt.Sprintf("%s is %d, and the anomalies of kind %s add up to %d", m, n, kind, sum))
		default:
			wrong = append(wrong, fmt.Sprintf("%s is absent, and the anomalies of kind %s add up to %d", m, kind, sum))
		}
	}
	return append(wrong, unbalanced(t.Counts)...)
}

func anomalyCount(t evidence.Trial, kind evidence.AnomalyKind) int64 {
	var n int64
	for _, a := range t.Anomalies {
		if a.Kind == kind {
			n += a.Count
		}
	}
	return n
}

// unbalanced holds counts against each other, where all of them are known.
func unbalanced(c evidence.Counts) []string {
	var wrong []string
	records, known := c[evidence.LogRecords]
	if known && records-c[evidence.Unique] != c[evidence.Duplicates] {
		wrong = append(wrong, fmt.Sprintf("log_records %d, unique %d and duplicates %d do not add up",
			records, c[evidence.Unique], c[evidence.Duplicates]))
	}
	begun := c[evidence.Transactions]
	if ended := c[evidence.Committed] + c[evidence.AbortedEnds] + c[evidence.Undecided]; begun != ended {
		wrong = append(wrong, fmt.Sprintf("%d transactions, and %d committed, aborted or undecided", begun, ended))
	}
	said := c[evidence.Acked] + c[evidence.FailedRecords] + c[evidence.UnknownRecords]
	if intended, known := c[evidence.Intended]; known && said < intended {
		wrong = append(wrong, fmt.Sprintf("%d records intended, and only %d acked, failed or unknown", intended, said))
	}
	return wrong
}
