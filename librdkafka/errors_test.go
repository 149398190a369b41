//go:build cgo

package librdkafka

import (
	"errors"
	"testing"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
)

func TestCallClass(t *testing.T) {
	for _, tt := range []struct {
		code  kafka.ErrorCode
		fatal bool
		want  drivers.Class
	}{
		{kafka.ErrFenced, true, drivers.Fenced},
		{kafka.ErrFencedInstanceID, true, drivers.Fenced},
		{kafka.ErrInvalidTxnState, true, drivers.Fatal},
		{kafka.ErrFatal, false, drivers.Fatal},
		{kafka.ErrTimedOut, false, drivers.Retriable},
		{kafka.ErrCoordinatorNotAvailable, false, drivers.Retriable},
		{kafka.ErrMaxPollExceeded, false, drivers.Retriable},
		{kafka.ErrState, false, drivers.Application},
		{kafka.ErrGroupAuthorizationFailed, false, drivers.Application},
	} {
		if got := callClass(kafka.NewError(tt.code, "", tt.fatal)); got != tt.want {
			t.Errorf("callClass(%s, fatal %v) = %s, want %s", codeName(tt.code), tt.fatal, got, tt.want)
		}
	}
}

func TestDeliveryClass(t *testing.T) {
	for _, tt := range []struct {
		code                 kafka.ErrorCode
		plain, transactional drivers.Class
	}{
		{kafka.ErrMsgTimedOut, drivers.UnknownOutcome, drivers.UnknownOutcome},
		{kafka.ErrPurgeQueue, drivers.UnknownOutcome, drivers.UnknownOutcome},
		{kafka.ErrPurgeInflight, drivers.UnknownOutcome, drivers.UnknownOutcome},
		{kafka.ErrRequestTimedOut, drivers.UnknownOutcome, drivers.UnknownOutcome},
		{kafka.ErrNotEnoughReplicasAfterAppend, drivers.UnknownOutcome, drivers.UnknownOutcome},
		{kafka.ErrNotEnoughReplicas, drivers.Retriable, drivers.Retriable},
		{kafka.ErrQueueFull, drivers.Retriable, drivers.Retriable},
		{kafka.ErrInvalidProducerEpoch, drivers.Retriable, drivers.Fenced},
		{kafka.ErrFenced, drivers.Fenced, drivers.Fenced},
		{kafka.ErrFatal, drivers.Fatal, drivers.Fatal},
		{transactionAbortable, drivers.Application, drivers.Abortable},
		{kafka.ErrMsgSizeTooLarge, drivers.Application, drivers.Application},
		{kafka.ErrTopicAuthorizationFailed, drivers.Application, drivers.Application},
		{kafka.ErrState, drivers.Application, drivers.Application},
	} {
		e := kafka.NewError(tt.code, "", false)
		if got := deliveryClass(e, false); got != tt.plain {
			t.Errorf("deliveryClass(%s) = %s, want %s", codeName(tt.code), got, tt.plain)
		}
		if got := deliveryClass(e, true); got != tt.transactional {
			t.Errorf("deliveryClass(%s), transactional = %s, want %s", codeName(tt.code), got, tt.transactional)
		}
	}
}

// An error is in one list at most, or its class would hang on the order of the
// questions.
func TestListsAreDisjoint(t *testing.T) {
	in := map[kafka.ErrorCode]int{}
	for _, list := range [][]kafka.ErrorCode{outcomeUnknown, refusedForNow, abortable, fencing} {
		for _, code := range list {
			if in[code]++; in[code] > 1 {
				t.Errorf("%s is in two lists", codeName(code))
			}
		}
	}
}

func TestEnded(t *testing.T) {
	retriable := func(code kafka.ErrorCode) error {
		return describe("commit", drivers.Retriable, kafka.NewError(code, "", false))
	}
	type end struct {
		Outcome drivers.TransactionOutcome
		Class   drivers.Class
	}
	for _, tt := range []struct {
		name string
		err  error
		want end
	}{
		{"success", nil, end{drivers.Committed, ""}},
		{"timeout", retriable(kafka.ErrTimedOut), end{drivers.TransactionUnknown, drivers.UnknownOutcome}},
		{"nothing sent", retriable(kafka.ErrConflict), end{drivers.TransactionUnknown, drivers.Retriable}},
		{"another kind of error", errors.New("x"), end{drivers.TransactionUnknown, ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			outcome, err := ended(drivers.Committed, tt.err)
			if diff := cmp.Diff(tt.want, end{outcome, drivers.ClassOf(err)}); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
