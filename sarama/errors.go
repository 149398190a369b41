package sarama

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/IBM/sarama"

	"kcompare/drivers"
)

// Errors of this driver's own.
var (
	errClosed         = errors.New("the client is closed")
	errNotInitialized = errors.New("expected Init before it")
	errNoGroup        = errors.New("expected a group.id in the settings of the consumer")
)

// errorOf says what an error of sarama means to the program that made the call. sarama
// has no classes: what can be done about an error follows from its code, and from what
// the call may already have done.
func errorOf(call string, err error) *drivers.Error {
	e := &drivers.Error{Call: call, Text: strings.ReplaceAll(err.Error(), "\n", " "), Cause: err}
	var broker sarama.KError
	if errors.As(err, &broker) {
		e.Code, e.Class = codeName(broker), classOfCode(call, broker)
		return e
	}
	e.Code, e.Class = classOfClient(call, err)
	return e
}

// asError is errorOf, and nil for nil.
func asError(call string, err error) error {
	if err == nil {
		return nil
	}
	return errorOf(call, err)
}

// notHandedOver is for a record that sarama never got.
func notHandedOver(err error) *drivers.Error {
	e := errorOf("produce", err)
	if e.Class == drivers.UnknownOutcome {
		e.Class = drivers.Retriable
	}
	return e
}

// writes lists the calls that leave something behind when their answer is lost.
var writes = map[string]bool{"produce": true, "commit": true, "abort": true}

// unanswered is the class of a call whose answer never came.
func unanswered(call string) drivers.Class {
	if writes[call] {
		return drivers.UnknownOutcome
	}
	return drivers.Retriable
}

// mistakes are refusals of sarama's, or of this driver, which sent nothing.
var mistakes = []named{
	{errClosed, "CLOSED"}, {errNotInitialized, "NOT_INITIALIZED"}, {errNoGroup, "NO_GROUP"},
	{sarama.ErrTransactionNotReady, "ErrTransactionNotReady"},
	{sarama.ErrTransitionNotAllowed, "ErrTransitionNotAllowed"},
	{sarama.ErrNonTransactedProducer, "ErrNonTransactedProducer"},
	{sarama.ErrInvalidPartition, "ErrInvalidPartition"},
}

// givenUp are what sarama ends an attempt with, its last one included.
var givenUp = []named{
	{context.Canceled, "CONTEXT_ENDED"}, {context.DeadlineExceeded, "CONTEXT_ENDED"},
	{sarama.ErrShuttingDown, "ErrShuttingDown"},
	{sarama.ErrClosedClient, "ErrClosedClient"},
	{sarama.ErrClosedConsumerGroup, "ErrClosedConsumerGroup"},
	{sarama.ErrOutOfBrokers, "ErrOutOfBrokers"},
	{sarama.ErrNotConnected, "ErrNotConnected"},
	{sarama.ErrBrokerNotFound, "ErrBrokerNotFound"},
	{sarama.ErrIncompleteResponse, "ErrIncompleteResponse"},
	{sarama.ErrConsumerRetriesExhausted, "ErrConsumerRetriesExhausted"},
	{sarama.ErrTxnUnableToParseResponse, "ErrTxnUnableToParseResponse"},
	{sarama.ErrProducerRetryBufferOverflow, "ErrProducerRetryBufferOverflow"},
}

type named struct {
	err  error
	code string
}

func codeOf(err error, among []named) (code string, found bool) {
	i := slices.IndexFunc(among, func(n named) bool { return errors.Is(err, n.err) })
	if i < 0 {
		return "", false
	}
	return among[i].code, true
}

// classOfClient is for errors that no broker sent. Of what is not known here nobody can
// say that nothing was sent: among them is "circuit breaker is open", with which sarama
// fails records for ten seconds after three failed look-ups of a leader.
func classOfClient(call string, err error) (code string, class drivers.Class) {
	if code, is := codeOf(err, mistakes); is {
		return code, drivers.Application
	}
	if code, is := codeOf(err, givenUp); is {
		return code, unanswered(call)
	}
	var configuration sarama.ConfigurationError
	var encoding sarama.PacketEncodingError
	switch {
	case errors.As(err, &configuration):
		return "ConfigurationError", drivers.Application
	case errors.As(err, &encoding):
		return "PacketEncodingError", drivers.Application
	case isConnection(err):
		return "CONNECTION_LOST", unanswered(call)
	}
	return "CLIENT_ERROR", unanswered(call)
}

func isConnection(err error) bool {
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}

// Codes for which sarama has no name.
const (
	fencedMemberEpoch    sarama.KError = 110
	staleMemberEpoch     sarama.KError = 113
	transactionAbortable sarama.KError = 120
)

// classes is what a code means whatever the call.
var classes = map[sarama.KError]drivers.Class{
	sarama.ErrProducerFenced:       drivers.Fenced,
	sarama.ErrInvalidProducerEpoch: drivers.Fenced,
	sarama.ErrFencedInstancedId:    drivers.Fenced,

	transactionAbortable:            drivers.Abortable,
	sarama.ErrOperationNotAttempted: drivers.Abortable,
	sarama.ErrUnknownProducerID:     drivers.Abortable, // sarama gets a new epoch after the abort (KIP-360)

	sarama.ErrInvalidTxnState:                    drivers.Fatal,
	sarama.ErrInvalidProducerIDMapping:           drivers.Fatal,
	sarama.ErrTransactionalIDAuthorizationFailed: drivers.Fatal,
	sarama.ErrClusterAuthorizationFailed:         drivers.Fatal,
	sarama.ErrSASLAuthenticationFailed:           drivers.Fatal,
	sarama.ErrUnsupportedVersion:                 drivers.Fatal,
}

// membership is the codes with which a group refuses a member that is not, or
// no longer, in it. They end a transaction, and a consumer may join again.
var membership = []sarama.KError{
	sarama.ErrIllegalGeneration, sarama.ErrUnknownMemberId, sarama.ErrRebalanceInProgress,
	staleMemberEpoch, fencedMemberEpoch, sarama.ErrGroupIDNotFound,
}

// unsure is the codes after which a batch may be in the log. A sequence that is out of
// order may follow an attempt that was written.
var unsure = []sarama.KError{
	sarama.ErrRequestTimedOut, sarama.ErrNotEnoughReplicasAfterAppend, sarama.ErrNetworkException,
	sarama.ErrUnknown, sarama.ErrOutOfOrderSequenceNumber,
}

// refusedForNow is the codes that Kafka calls retriable; a test holds them to kerr.
// CONCURRENT_TRANSACTIONS is added, which clients wait for in loops of their own.
var refusedForNow = []sarama.KError{
	sarama.ErrInvalidMessage, sarama.ErrUnknownTopicOrPartition, sarama.ErrLeaderNotAvailable,
	sarama.ErrNotLeaderForPartition, sarama.ErrRequestTimedOut, sarama.ErrBrokerNotAvailable,
	sarama.ErrReplicaNotAvailable, sarama.ErrNetworkException, sarama.ErrOffsetsLoadInProgress,
	sarama.ErrConsumerCoordinatorNotAvailable, sarama.ErrNotCoordinatorForConsumer, sarama.ErrNotEnoughReplicas,
	sarama.ErrNotEnoughReplicasAfterAppend, sarama.ErrNotController, sarama.ErrConcurrentTransactions,
	sarama.ErrKafkaStorageError, sarama.ErrFetchSessionIDNotFound, sarama.ErrInvalidFetchSessionEpoch,
	sarama.ErrListenerNotFound, sarama.ErrFencedLeaderEpoch, sarama.ErrUnknownLeaderEpoch,
	sarama.ErrOffsetNotAvailable, sarama.ErrPreferredLeaderNotAvailable, sarama.ErrEligibleLeadersNotAvailable,
	sarama.ErrElectionNotNeeded, sarama.ErrUnstableOffsetCommit, sarama.ErrThrottlingQuotaExceeded,
	100, 103, 106, 133, // UNKNOWN_TOPIC_ID, INCONSISTENT_TOPIC_ID, FETCH_SESSION_TOPIC_ID_ERROR, SHARE_SESSION_LIMIT_REACHED
}

func classOfCode(call string, code sarama.KError) drivers.Class {
	if class, ok := classes[code]; ok {
		return class
	}
	retriable := slices.Contains(refusedForNow, code)
	member := slices.Contains(membership, code)
	switch {
	case call == "produce" && slices.Contains(unsure, code):
		return drivers.UnknownOutcome
	case call == "send offsets" && (member || retriable):
		return drivers.Abortable
	case member, call == "produce" && retriable:
		return drivers.Retriable
	case retriable || code == sarama.ErrUnknown:
		return unanswered(call) // one of the attempts may have been executed
	}
	return drivers.Application
}

// informational reports whether sarama goes on by itself after an error that it told on
// a channel, or whether the next Consume will do.
func informational(err error) bool {
	if errors.Is(err, sarama.ErrConsumerRetriesExhausted) || errors.Is(err, sarama.ErrOffsetOutOfRange) {
		return false
	}
	switch errorOf("poll", err).Class {
	case drivers.Retriable, drivers.UnknownOutcome, drivers.Abortable:
		return true
	}
	return false
}
