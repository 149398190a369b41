//go:build cgo

package librdkafka

import (
	"errors"
	"slices"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"

	"kcompare/drivers"
)

// These codes tell nothing about whether a record was written: the request was
// or may have been sent, and no answer came that decides it. librdkafka keeps
// the same list as MSG_POSSIBLY_PERSISTED (rdkafka_request.c,
// rd_kafka_err_action and rd_kafka_handle_Produce_error) but does not show it
// through the binding. Two are added: a record in the queue may wait there for
// its second attempt, and UNKNOWN_SERVER_ERROR says what it says.
var outcomeUnknown = []kafka.ErrorCode{
	kafka.ErrMsgTimedOut, kafka.ErrTimedOut, kafka.ErrTimedOutQueue, kafka.ErrTransport, kafka.ErrSsl,
	kafka.ErrPurgeInflight, kafka.ErrPurgeQueue, kafka.ErrDestroy, errDestroyBroker, kafka.ErrFail, kafka.ErrBadMsg,
	kafka.ErrRequestTimedOut, kafka.ErrNotEnoughReplicasAfterAppend, kafka.ErrNetworkException,
	kafka.ErrOutOfOrderSequenceNumber, kafka.ErrDuplicateSequenceNumber, kafka.ErrUnknown,
}

// These codes refuse a call or a record for now.
var refusedForNow = []kafka.ErrorCode{
	kafka.ErrQueueFull, kafka.ErrWaitCoord, kafka.ErrConflict, kafka.ErrPrevInProgress, kafka.ErrRetry,
	kafka.ErrAllBrokersDown, kafka.ErrResolve, kafka.ErrIsrInsuff, kafka.ErrWaitCache, kafka.ErrMaxPollExceeded,
	kafka.ErrInvalidMsg, kafka.ErrUnknownTopicOrPart, kafka.ErrLeaderNotAvailable, kafka.ErrNotLeaderForPartition,
	kafka.ErrBrokerNotAvailable, kafka.ErrReplicaNotAvailable, kafka.ErrNotEnoughReplicas, kafka.ErrKafkaStorageError,
	kafka.ErrCoordinatorLoadInProgress, kafka.ErrCoordinatorNotAvailable, kafka.ErrNotCoordinator,
	kafka.ErrConcurrentTransactions, kafka.ErrUnknownProducerID, kafka.ErrThrottlingQuotaExceeded,
	kafka.ErrFencedLeaderEpoch, kafka.ErrUnknownLeaderEpoch, kafka.ErrOffsetNotAvailable,
	kafka.ErrRebalanceInProgress, kafka.ErrIllegalGeneration, kafka.ErrUnknownMemberID, kafka.ErrUnstableOffsetCommit,
}

// These codes fail a transaction and leave the producer alive. A program sees
// them where librdkafka cannot say TxnRequiresAbort: in delivery reports.
var abortable = []kafka.ErrorCode{
	transactionAbortable, kafka.ErrInvalidTxnState, kafka.ErrInvalidProducerIDMapping, kafka.ErrInconsistent,
}

// transactionAbortable is TRANSACTION_ABORTABLE (KIP-890), for which librdkafka
// 2.11.1 has no name.
const transactionAbortable kafka.ErrorCode = 120

var fencing = []kafka.ErrorCode{kafka.ErrFenced, kafka.ErrProducerFenced, kafka.ErrFencedInstanceID}

// callError is what the library answered to a call, nil for nil.
func callError(call string, err error) error {
	if err == nil {
		return nil
	}
	e := fromLibrary(err)
	return describe(call, callClass(e), e)
}

// fromLibrary is the library's error in err's chain. The binding makes a few
// errors of its own, all of them about arguments.
func fromLibrary(err error) kafka.Error {
	var e kafka.Error
	if errors.As(err, &e) {
		return e
	}
	return kafka.NewError(kafka.ErrInvalidArg, err.Error(), false)
}

// hasCode reports whether a call ended with this code.
func hasCode(err error, code kafka.ErrorCode) bool {
	var e kafka.Error
	return errors.As(err, &e) && e.Code() == code
}

func describe(call string, class drivers.Class, e kafka.Error) *drivers.Error {
	return &drivers.Error{Call: call, Class: class, Code: codeName(e.Code()), Text: e.Error(), Cause: e}
}

// callClass classifies the answer to a call. Calls may be repeated, so one that
// did not get through is Retriable; only a record, or the end of a transaction,
// has an outcome to be unknown.
func callClass(e kafka.Error) drivers.Class {
	code := e.Code()
	switch {
	case slices.Contains(fencing, code):
		return drivers.Fenced
	case e.IsFatal() || code == kafka.ErrFatal:
		return drivers.Fatal
	case e.TxnRequiresAbort():
		return drivers.Abortable
	case e.IsRetriable() || slices.Contains(outcomeUnknown, code) || slices.Contains(refusedForNow, code):
		return drivers.Retriable
	}
	return drivers.Application
}

// deliveryClass classifies a delivery report. IsRetriable does not come into
// it: it speaks of calls, and is false on every report.
func deliveryClass(e kafka.Error, transactional bool) drivers.Class {
	code := e.Code()
	switch {
	case slices.Contains(outcomeUnknown, code):
		return drivers.UnknownOutcome
	case slices.Contains(fencing, code) || code == kafka.ErrInvalidProducerEpoch && transactional:
		return drivers.Fenced
	case e.IsFatal() || code == kafka.ErrFatal:
		return drivers.Fatal
	case slices.Contains(abortable, code) && transactional:
		return drivers.Abortable
	case slices.Contains(refusedForNow, code) || code == kafka.ErrInvalidProducerEpoch:
		// Without transactions nobody can have taken over: librdkafka raises its
		// epoch and goes on.
		return drivers.Retriable
	}
	return drivers.Application
}
