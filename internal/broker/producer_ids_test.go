package broker

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestAwaitProducerIDs: nodes that have no producer ids yet are asked until they have.
// That nobody may have one is not waited for.
func TestAwaitProducerIDs(t *testing.T) {
	e, r := cluster(t, 2)
	var asked, none atomic.Int64 // so many requests find no id
	none.Store(3)
	e.cluster.ControlKey(int16(kmsg.InitProducerID), func(req kmsg.Request) (kmsg.Response, error, bool) {
		e.cluster.KeepControl()
		resp := req.ResponseKind().(*kmsg.InitProducerIDResponse)
		resp.ErrorCode = kerr.ClusterAuthorizationFailed.Code
		if asked.Add(1) <= none.Load() {
			resp.ErrorCode = kerr.CoordinatorLoadInProgress.Code
		}
		return resp, nil, true
	})
	if err := r.AwaitProducerIDs(withTimeout(t, patience)); err != nil {
		t.Fatal(err)
	}
	if n, want := asked.Load(), int64(3+len(e.Addrs())); n != want {
		t.Errorf("%d requests, want %d", n, want)
	}
	none.Store(1 << 40)
	err := r.AwaitProducerIDs(withTimeout(t, 100*time.Millisecond))
	if err == nil || !strings.Contains(err.Error(), "wait for producer ids: ") {
		t.Errorf("of a node that never has any: %v", err)
	}
}
