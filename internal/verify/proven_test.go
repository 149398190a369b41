package verify

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// leastProven is how many keys are to be proven.
const leastProven = 40

// fixed are keys that are seen and that no client lets anybody change, and so proven
// only to differ between libraries.
var fixed = []string{"client.software.name", "client.software.version"}

// A key counts as proven only if it is flipped, and what is flipped is what experiments
// see.
func TestEveryProvenKeyIsFlipped(t *testing.T) {
	t.Parallel()
	var flipped []string
	for _, f := range slices.Concat(producerFlips(), consumerFlips(), connectionFlips(nil), leaderFlips()) {
		flipped = append(flipped, f.key)
	}
	slices.Sort(flipped)
	flipped = slices.Compact(flipped)
	flippable := slices.DeleteFunc(Proven(), func(key string) bool { return slices.Contains(fixed, key) })
	if d := cmp.Diff(flippable, flipped); d != "" {
		t.Errorf("keys that experiments see (-) and that are flipped (+):\n%s", d)
	}
	if len(flipped) < leastProven {
		t.Errorf("%d keys are proven, want %d", len(flipped), leastProven)
	}
	t.Logf("%d keys", len(flipped))
}
