//go:build cgo

package librdkafka

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/drivers"
)

func newTransactional(t *testing.T, addr string) drivers.TransactionalProducer {
	t.Helper()
	p, err := newDriver(t).NewTransactionalProducer(settings(addr, "transactional.id", "kcompare-"+t.Name()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// begin starts a transaction with one record in it.
func begin(t *testing.T, p drivers.TransactionalProducer) {
	t.Helper()
	ctx := within(t, deadline)
	if err := errors.Join(p.Init(ctx), p.Begin(ctx)); err != nil {
		t.Fatal(err)
	}
	r := newReports()
	produce(ctx, p, r, 0)
	if err := p.Flush(ctx); err != nil {
		t.Fatal(err)
	}
}

// answerEndTxn answers every EndTxn without doing it, until stopped.
func answerEndTxn(cluster *kfake.Cluster, code int16) (stop func()) {
	var stopped atomic.Bool
	cluster.ControlKey(kmsg.EndTxn.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		if stopped.Load() {
			return nil, nil, false
		}
		resp := req.ResponseKind().(*kmsg.EndTxnResponse)
		resp.ErrorCode = code
		return resp, nil, true
	})
	return func() { stopped.Store(true) }
}

func TestCommitErrors(t *testing.T) {
	type end struct {
		Outcome drivers.TransactionOutcome
		Class   drivers.Class
		Code    string
	}
	for _, tt := range []struct {
		answer *kerr.Error // to EndTxn
		want   end
	}{
		{kerr.ProducerFenced, end{drivers.TransactionUnknown, drivers.Fenced, "_FENCED"}},
		{kerr.InvalidTxnState, end{drivers.TransactionUnknown, drivers.Fatal, "INVALID_TXN_STATE"}},
		{kerr.TransactionAbortable, end{drivers.TransactionUnknown, drivers.Abortable, "TRANSACTION_ABORTABLE"}},
		// Retried inside until the deadline.
		{kerr.CoordinatorNotAvailable, end{drivers.TransactionUnknown, drivers.UnknownOutcome, "_TIMED_OUT"}},
	} {
		t.Run(tt.answer.Message, func(t *testing.T) {
			cluster := newCluster(t)
			answerEndTxn(cluster, tt.answer.Code)
			p := newTransactional(t, cluster.ListenAddrs()[0])
			begin(t, p)
			outcome, err := p.Commit(within(t, time.Second))
			got := end{Outcome: outcome}
			var e *drivers.Error
			if errors.As(err, &e) {
				got.Class, got.Code = e.Class, e.Code
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Commit (-want +got):\n%s\nerror: %v", diff, err)
			}
		})
	}
}

// librdkafka looks at deadlines alone. A call whose context is cancelled goes on
// inside, and Close must neither wait for ever nor free what the call uses.
func TestCancelledCommit(t *testing.T) {
	cluster := newCluster(t)
	stop := answerEndTxn(cluster, kerr.CoordinatorNotAvailable.Code)
	p := newTransactional(t, cluster.ListenAddrs()[0])
	begin(t, p)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	outcome, err := p.Commit(ctx)
	if outcome != drivers.TransactionUnknown || !errors.Is(err, context.Canceled) || drivers.ClassOf(err) != drivers.UnknownOutcome {
		t.Errorf("Commit = %s, %v; want %s, %v of class %s",
			outcome, err, drivers.TransactionUnknown, context.Canceled, drivers.UnknownOutcome)
	}
	before := time.Now()
	if err := p.Close(); err == nil {
		t.Error("Close freed the client under a call that goes on")
	}
	if took := time.Since(before); took > prompt {
		t.Errorf("Close took %v, want at most %v", took, prompt)
	}
	stop()
	waitUntilGone(t)
}

func TestInitWithoutBroker(t *testing.T) {
	p := newTransactional(t, deadAddress(t))
	if err := p.Init(within(t, 200*time.Millisecond)); drivers.ClassOf(err) != drivers.Retriable {
		t.Errorf("Init: %v, want an error of class %s", err, drivers.Retriable)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func TestSendOffsetsNeedsGroup(t *testing.T) {
	cluster := newCluster(t)
	p := newTransactional(t, cluster.ListenAddrs()[0])
	begin(t, p)
	at := []drivers.Position{{TopicPartition: drivers.TopicPartition{Topic: topic}, Offset: 1}}
	err := p.SendOffsets(t.Context(), at, drivers.GroupMetadata{})
	if drivers.ClassOf(err) != drivers.Application {
		t.Errorf("without a group: %v, want an error of class %s", err, drivers.Application)
	}
	if err := p.SendOffsets(within(t, deadline), at, drivers.GroupMetadata{Group: "kcompare-named"}); err != nil {
		t.Errorf("with a group that is only named: %v", err)
	}
}

// librdkafka answers CommitTransaction while reports may still be in the
// binding's channel. A program that then looks at its outcomes must find all.
func TestCommitWaitsForReports(t *testing.T) {
	p := newTransactional(t, newCluster(t).ListenAddrs()[0])
	ctx := within(t, deadline)
	if err := errors.Join(p.Init(ctx), p.Begin(ctx)); err != nil {
		t.Fatal(err)
	}
	release := make(chan struct{})
	p.Produce(ctx, drivers.Record{Topic: topic}, func(drivers.Delivery) { <-release })
	committed := make(chan drivers.TransactionOutcome, 1)
	go func() {
		outcome, _ := p.Commit(ctx)
		committed <- outcome
	}()
	select {
	case <-committed:
		t.Error("Commit returned before the last report did")
		close(release)
		return
	case <-time.After(500 * time.Millisecond):
		close(release)
	}
	if outcome := <-committed; outcome != drivers.Committed {
		t.Errorf("outcome is %s, want %s", outcome, drivers.Committed)
	}
}
