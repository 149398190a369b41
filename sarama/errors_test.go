package sarama

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/IBM/sarama"
	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"

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
		{"produce", sarama.ErrMessageSizeTooLarge, "MESSAGE_TOO_LARGE", drivers.Application},
		{"produce", fmt.Errorf("wrapped: %w", sarama.ErrInvalidRecord), "INVALID_RECORD", drivers.Application},
		{"produce", sarama.ErrNotLeaderForPartition, "NOT_LEADER_FOR_PARTITION", drivers.Retriable},
		{"produce", sarama.ErrRequestTimedOut, "REQUEST_TIMED_OUT", drivers.UnknownOutcome},
		{"produce", sarama.ErrNotEnoughReplicasAfterAppend, "NOT_ENOUGH_REPLICAS_AFTER_APPEND", drivers.UnknownOutcome},
		{"produce", sarama.ErrUnknown, "UNKNOWN_SERVER_ERROR", drivers.UnknownOutcome},
		{"produce", sarama.ErrOutOfOrderSequenceNumber, "OUT_OF_ORDER_SEQUENCE_NUMBER", drivers.UnknownOutcome},
		{"produce", sarama.ErrInvalidProducerEpoch, "INVALID_PRODUCER_EPOCH", drivers.Fenced},
		{"produce", sarama.KError(120), "TRANSACTION_ABORTABLE", drivers.Abortable},
		{"produce", sarama.ErrTransactionNotReady, "ErrTransactionNotReady", drivers.Application},
		{"produce", sarama.ConfigurationError("too large"), "ConfigurationError", drivers.Application},
		{"produce", sarama.Wrap(sarama.ErrOutOfBrokers, lost), "ErrOutOfBrokers", drivers.UnknownOutcome},
		{"produce", sarama.ErrShuttingDown, "ErrShuttingDown", drivers.UnknownOutcome},
		{"produce", lost, "CONNECTION_LOST", drivers.UnknownOutcome},
		{"produce", errors.New("circuit breaker is open"), "CLIENT_ERROR", drivers.UnknownOutcome},
		{"produce", errClosed, "CLOSED", drivers.Application},

		{"init", sarama.ErrTransactionalIDAuthorizationFailed, "TRANSACTIONAL_ID_AUTHORIZATION_FAILED", drivers.Fatal},
		{"init", sarama.ErrInvalidTransactionTimeout, "INVALID_TRANSACTION_TIMEOUT", drivers.Application},
		{"init", sarama.ErrConcurrentTransactions, "CONCURRENT_TRANSACTIONS", drivers.Retriable},
		{"init", context.DeadlineExceeded, "CONTEXT_ENDED", drivers.Retriable},

		{"begin", sarama.ErrTransitionNotAllowed, "ErrTransitionNotAllowed", drivers.Application},
		{"commit", sarama.ErrProducerFenced, "PRODUCER_FENCED", drivers.Fenced},
		{"commit", sarama.ErrInvalidTxnState, "INVALID_TXN_STATE", drivers.Fatal},
		{"commit", sarama.ErrConcurrentTransactions, "CONCURRENT_TRANSACTIONS", drivers.UnknownOutcome},
		{"commit", sarama.ErrRebalanceInProgress, "REBALANCE_IN_PROGRESS", drivers.Retriable}, // a consumer's
		{"commit", context.DeadlineExceeded, "CONTEXT_ENDED", drivers.UnknownOutcome},
		{"commit", io.ErrUnexpectedEOF, "CONNECTION_LOST", drivers.UnknownOutcome},
		{"send offsets", sarama.ErrIllegalGeneration, "ILLEGAL_GENERATION", drivers.Abortable},
		{"poll", sarama.ErrUnknownMemberId, "UNKNOWN_MEMBER_ID", drivers.Retriable},
		{"poll", sarama.ErrGroupAuthorizationFailed, "GROUP_AUTHORIZATION_FAILED", drivers.Application},
		{"poll", sarama.KError(9999), "code 9999", drivers.Application},
	}
	for _, tt := range tests {
		got := errorOf(tt.call, tt.err)
		want := &drivers.Error{Call: tt.call, Class: tt.class, Code: tt.code, Text: got.Text, Cause: tt.err}
		if got.Code != want.Code || got.Class != want.Class || got.Call != want.Call || !errors.Is(got, tt.err) {
			t.Errorf("%s, %v:\n got %v\nwant %v", tt.call, tt.err, got, want)
		}
	}
}

// A record that sarama never got is not in doubt.
func TestNotHandedOver(t *testing.T) {
	for err, want := range map[error]drivers.Class{
		context.Canceled: drivers.Retriable, errClosed: drivers.Application, errNotInitialized: drivers.Application,
	} {
		if got := notHandedOver(err); got.Class != want || got.Call != "produce" {
			t.Errorf("%v: got %v, expected class %s", err, got, want)
		}
	}
}

// The names, and which codes are retriable, are those that franz-go has.
func TestCodesAreThoseOfKafka(t *testing.T) {
	got, want := map[int]string{}, map[int]string{}
	for code := range names {
		e := kerr.TypedErrorForCode(int16(code))
		if e == nil {
			continue
		}
		want[code], got[code] = e.Message, codeName(sarama.KError(code))
		if e.Retriable {
			want[code] += " retriable"
		}
		for _, r := range refusedForNow {
			if int(r) == code && r != sarama.ErrConcurrentTransactions {
				got[code] += " retriable"
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("codes (-kerr +ours):\n%s", diff)
	}
	if codeName(sarama.ErrUnknown) != "UNKNOWN_SERVER_ERROR" {
		t.Errorf("-1 is %s", codeName(sarama.ErrUnknown))
	}
}

// What sarama goes on after is no error of Poll's.
func TestInformational(t *testing.T) {
	for err, want := range map[error]bool{
		io.EOF: true, sarama.ErrNotLeaderForPartition: true, sarama.ErrRebalanceInProgress: true,
		sarama.ErrOffsetOutOfRange: false, sarama.ErrConsumerRetriesExhausted: false,
		sarama.ErrTopicAuthorizationFailed: false, sarama.ErrFencedInstancedId: false,
	} {
		if got := informational(&sarama.ConsumerError{Topic: "t", Err: err}); got != want {
			t.Errorf("%v: %v, expected %v", err, got, want)
		}
	}
}
