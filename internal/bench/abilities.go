package bench

import (
	"fmt"
	"strings"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// lacks says which abilities a work needs and a player does not have; empty if there is
// none. Nothing is done in another way instead: that would be another work.
func lacks(w evidence.BenchWork, can drivers.Abilities) string {
	var lacking []string
	for _, ability := range []struct {
		needed, has bool
		name        string
	}{
		{true, can.Bulk, "bulk"},
		{w == evidence.BenchLatency, can.Paced, "paced"},
		{w == evidence.BenchTransactions || w == evidence.BenchRPW, can.BulkTransactions, "bulk-transactions"},
		{w == evidence.BenchRPW, can.Groups, "groups"},
	} {
		if ability.needed && !ability.has {
			lacking = append(lacking, ability.name)
		}
	}
	if lacking == nil {
		return ""
	}
	return fmt.Sprintf("%s needs abilities that it does not have: %s", w, strings.Join(lacking, ", "))
}
