package franz

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/drivers"
)

// TestBare: what the driver adds of its own stays out of a bare client, and what is set
// stays in.
func TestBare(t *testing.T) {
	for _, bare := range []bool{false, true} {
		p := built(t, drivers.RoleProducer, drivers.Settings{Config: map[string]string{}, Bare: bare})
		if _, wrapped := p.OptValue(kgo.RecordPartitioner).(explicit); wrapped == bare {
			t.Errorf("bare %v: the driver's partitioner is there: %v", bare, wrapped)
		}
		c := built(t, drivers.RoleConsumer, drivers.Settings{Config: pairs("group.id=g"), Bare: bare})
		if off := c.OptValue(kgo.DisableAutoCommit); off == bare {
			t.Errorf("bare %v: automatic commits are off: %v", bare, off)
		}
	}
	set := built(t, drivers.RoleProducer, drivers.Settings{Config: pairs("partitioner=fnv1a"), Bare: true})
	if _, wrapped := set.OptValue(kgo.RecordPartitioner).(explicit); !wrapped {
		t.Error("the partitioner that is set is not there")
	}
}
