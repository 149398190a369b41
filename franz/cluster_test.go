package franz

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// seen is a kfake cluster that counts what clients ask it.
type seen struct {
	*kfake.Cluster
	mu       sync.Mutex
	versions map[kmsg.Key][]int16 // of each request, in order
}

// older is a broker before KIP-890: transaction.version below 2.
func older() kfake.Opt { return kfake.MaxVersions(kversion.V3_8_0()) }

func newSeen(t *testing.T, opts ...kfake.Opt) *seen {
	t.Helper()
	c, err := kfake.NewCluster(append(opts, kfake.SeedTopics(2, "orders", "payments"))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	s := &seen{Cluster: c, versions: map[kmsg.Key][]int16{}}
	c.Control(func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.versions[kmsg.Key(req.Key())] = append(s.versions[kmsg.Key(req.Key())], req.GetVersion())
		return nil, nil, false
	})
	return s
}

func (s *seen) servers() string { return strings.Join(s.ListenAddrs(), ",") }

func (s *seen) of(key kmsg.Key) []int16 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.versions[key])
}
