package franz

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/drivers"
)

func TestErrorOf(t *testing.T) {
	lost := &net.OpError{Op: "read", Net: "tcp", Err: errors.New("reset")}
	tests := []struct {
		call  string
		err   error
		code  string
		class drivers.Class
	}{
		{"produce", kerr.MessageTooLarge, "MESSAGE_TOO_LARGE", drivers.Application},
		{"produce", fmt.Errorf("wrapped: %w", kerr.InvalidRecord), "INVALID_RECORD", drivers.Application},
		{"produce", kerr.TopicAuthorizationFailed, "TOPIC_AUTHORIZATION_FAILED", drivers.Application},
		{"produce", kerr.NotLeaderForPartition, "NOT_LEADER_FOR_PARTITION", drivers.Retriable},
		{"produce", kerr.CorruptMessage, "CORRUPT_MESSAGE", drivers.Retriable},
		{"produce", kerr.RequestTimedOut, "REQUEST_TIMED_OUT", drivers.UnknownOutcome},
		{"produce", kerr.NotEnoughReplicasAfterAppend, "NOT_ENOUGH_REPLICAS_AFTER_APPEND", drivers.UnknownOutcome},
		{"produce", kerr.UnknownServerError, "UNKNOWN_SERVER_ERROR", drivers.UnknownOutcome},
		{"produce", kerr.InvalidProducerEpoch, "INVALID_PRODUCER_EPOCH", drivers.Fenced},
		{"produce", kerr.OutOfOrderSequenceNumber, "OUT_OF_ORDER_SEQUENCE_NUMBER", drivers.Fatal},
		{"produce", kerr.UnknownProducerID, "UNKNOWN_PRODUCER_ID", drivers.Abortable},
		{"produce", kerr.TransactionAbortable, "TRANSACTION_ABORTABLE", drivers.Abortable},
		{"produce", kgo.ErrRecordTimeout, "ErrRecordTimeout", drivers.UnknownOutcome},
		{"produce", kgo.ErrRecordRetries, "ErrRecordRetries", drivers.UnknownOutcome},
		{"produce", kgo.ErrClientClosed, "ErrClientClosed", drivers.UnknownOutcome},
		{"produce", kgo.ErrAborting, "ErrAborting", drivers.UnknownOutcome},
		{"produce", context.Canceled, "CONTEXT_ENDED", drivers.Retriable},
		{"produce", lost, "CONNECTION_LOST", drivers.UnknownOutcome},
		{"produce", errors.New("not in a transaction"), "CLIENT_ERROR", drivers.Application},

		{"init", kerr.TransactionalIDAuthorizationFailed, "TRANSACTIONAL_ID_AUTHORIZATION_FAILED", drivers.Fatal},
		{"init", kerr.InvalidTransactionTimeout, "INVALID_TRANSACTION_TIMEOUT", drivers.Application},
		{"init", kerr.ConcurrentTransactions, "CONCURRENT_TRANSACTIONS", drivers.Retriable},
		{"init", context.DeadlineExceeded, "CONTEXT_ENDED", drivers.Retriable},

		{"commit", kerr.ProducerFenced, "PRODUCER_FENCED", drivers.Fenced},
		{"commit", kerr.InvalidTxnState, "INVALID_TXN_STATE", drivers.Fatal},
		{"commit", kerr.InvalidProducerIDMapping, "INVALID_PRODUCER_ID_MAPPING", drivers.Fatal},
		{"commit", kerr.OperationNotAttempted, "OPERATION_NOT_ATTEMPTED", drivers.Abortable},
		{"commit", kerr.ConcurrentTransactions, "CONCURRENT_TRANSACTIONS", drivers.UnknownOutcome},
		{"commit", kerr.UnknownServerError, "UNKNOWN_SERVER_ERROR", drivers.UnknownOutcome},
		{"commit", kerr.RebalanceInProgress, "REBALANCE_IN_PROGRESS", drivers.Retriable}, // a consumer's
		{"commit", context.DeadlineExceeded, "CONTEXT_ENDED", drivers.UnknownOutcome},
		{"commit", io.ErrUnexpectedEOF, "CONNECTION_LOST", drivers.UnknownOutcome},
		{"commit", kgo.ErrClientClosed, "ErrClientClosed", drivers.UnknownOutcome},
		{"abort", lost, "CONNECTION_LOST", drivers.UnknownOutcome},

		{"send offsets", kerr.IllegalGeneration, "ILLEGAL_GENERATION", drivers.Abortable},
		{"send offsets", kerr.ConcurrentTransactions, "CONCURRENT_TRANSACTIONS", drivers.Abortable},
		{"send offsets", kerr.GroupAuthorizationFailed, "GROUP_AUTHORIZATION_FAILED", drivers.Application},
		{"send offsets", kerr.ProducerFenced, "PRODUCER_FENCED", drivers.Fenced},

		{"poll", kgo.ErrClientClosed, "ErrClientClosed", drivers.Fatal},
		{"poll", kerr.FencedInstanceID, "FENCED_INSTANCE_ID", drivers.Fenced},
		{"poll", kerr.InconsistentGroupProtocol, "INCONSISTENT_GROUP_PROTOCOL", drivers.Application},
		{"poll", lost, "CONNECTION_LOST", drivers.Retriable},
	}
	for _, tc := range tests {
		t.Run(tc.call+"/"+tc.code, func(t *testing.T) {
			want := drivers.Error{Call: tc.call, Class: tc.class, Code: tc.code, Text: tc.err.Error(), Cause: tc.err}
			got := *errorOf(tc.call, tc.err)
			same := cmp.Comparer(func(a, b error) bool { return a == b })
			if d := cmp.Diff(want, got, same); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestInformational(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("refused")}
	tests := []struct {
		err  error
		want bool
	}{
		{&kgo.ErrDataLoss{}, true},
		{&kgo.ErrGroupSession{Err: refused}, true},
		{&kgo.ErrGroupSession{Err: kerr.UnknownMemberID}, true},
		{kerr.UnknownTopicOrPartition, true},
		{&kgo.ErrGroupSession{Err: kerr.InconsistentGroupProtocol}, false},
		{&kgo.ErrGroupSession{Err: kerr.FencedInstanceID}, false},
		{kerr.TopicAuthorizationFailed, false},
		{errors.New("crc invalid"), false},
		{kgo.ErrClientClosed, false},
	}
	for _, tc := range tests {
		if got := informational(tc.err); got != tc.want {
			t.Errorf("informational(%v) = %v", tc.err, got)
		}
	}
}
