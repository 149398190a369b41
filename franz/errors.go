package franz

import (
	"context"
	"errors"
	"io"
	"net"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/drivers"
)

// errorOf says what an error of kgo means to the program that made the call.
// kgo itself has no classes: what can be done about an
// error follows from its code, and from what the call may already have done.
func errorOf(call string, err error) *drivers.Error {
	e := &drivers.Error{Call: call, Text: err.Error(), Cause: err}
	var broker *kerr.Error
	if errors.As(err, &broker) {
		e.Code, e.Class = broker.Message, classOfCode(call, broker)
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

// writes lists the calls that leave something behind when their answer is lost.
var writes = map[string]bool{"produce": true, "commit": true, "abort": true}

// unanswered is the class of a call whose answer never came.
func unanswered(call string) drivers.Class {
	if writes[call] {
		return drivers.UnknownOutcome
	}
	return drivers.Retriable
}

// classOfClient is for errors that no broker sent.
func classOfClient(call string, err error) (code string, class drivers.Class) {
	named := []struct {
		err  error
		code string
	}{
		{kgo.ErrRecordTimeout, "ErrRecordTimeout"},
		{kgo.ErrRecordRetries, "ErrRecordRetries"},
		{kgo.ErrAborting, "ErrAborting"},
		{kgo.ErrClientClosed, "ErrClientClosed"},
	}
	for _, n := range named {
		if errors.Is(err, n.err) {
			return n.code, abandoned(call)
		}
	}
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		if call == "produce" { // the record was still waiting for room in the buffer
			return "CONTEXT_ENDED", drivers.Retriable
		}
		return "CONTEXT_ENDED", unanswered(call)
	case isFirstRead(err):
		return "ErrFirstReadEOF", unanswered(call)
	case isConnection(err):
		return "CONNECTION_LOST", unanswered(call)
	}
	return "CLIENT_ERROR", drivers.Application
}

// abandoned is the class of what kgo itself gave up.
func abandoned(call string) drivers.Class {
	if call == "produce" || writes[call] {
		return drivers.UnknownOutcome
	}
	return drivers.Fatal
}

// isFirstRead: the connection ended in the place of its first answer, which kgo takes
// for a failed login and does not retry (kgo/errors.go).
func isFirstRead(err error) bool {
	_, ok := errors.AsType[*kgo.ErrFirstReadEOF](err)
	return ok
}

func isConnection(err error) bool {
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || kgo.IsRetryableBrokerErr(err)
}

// classes is what a code means whatever the call.
var classes = map[*kerr.Error]drivers.Class{
	kerr.ProducerFenced:       drivers.Fenced,
	kerr.InvalidProducerEpoch: drivers.Fenced,
	kerr.FencedInstanceID:     drivers.Fenced,

	kerr.TransactionAbortable:  drivers.Abortable,
	kerr.OperationNotAttempted: drivers.Abortable, // kgo's own use: the commit was not even tried
	kerr.UnknownProducerID:     drivers.Abortable, // kgo gets a new id after the abort (KIP-360)

	kerr.InvalidTxnState:                    drivers.Fatal,
	kerr.InvalidProducerIDMapping:           drivers.Fatal,
	kerr.OutOfOrderSequenceNumber:           drivers.Fatal,
	kerr.TransactionalIDAuthorizationFailed: drivers.Fatal,
	kerr.ClusterAuthorizationFailed:         drivers.Fatal,
	kerr.SaslAuthenticationFailed:           drivers.Fatal,
	kerr.UnsupportedVersion:                 drivers.Fatal,
}

// membership is the codes with which a group refuses a member that is not, or
// no longer, in it. They end a transaction, and a consumer may join again.
var membership = map[*kerr.Error]bool{
	kerr.IllegalGeneration: true, kerr.UnknownMemberID: true, kerr.RebalanceInProgress: true,
	kerr.StaleMemberEpoch: true, kerr.FencedMemberEpoch: true, kerr.GroupIDNotFound: true,
}

// unsure is the codes after which a batch may be in the log.
var unsure = map[*kerr.Error]bool{
	kerr.RequestTimedOut: true, kerr.NotEnoughReplicasAfterAppend: true,
	kerr.NetworkException: true, kerr.UnknownServerError: true,
}

func classOfCode(call string, err *kerr.Error) drivers.Class {
	if class, ok := classes[err]; ok {
		return class
	}
	// kerr does not count CONCURRENT_TRANSACTIONS, because kgo has a loop of its
	// own for it; it comes out of that loop when the context ends.
	retriable := err.Retriable || err == kerr.ConcurrentTransactions
	switch {
	case call == "send offsets" && (membership[err] || retriable):
		return drivers.Abortable // as kgo does in GroupTransactSession.End
	case membership[err]:
		return drivers.Retriable
	case call == "produce" && unsure[err]:
		return drivers.UnknownOutcome
	case call == "produce" && retriable:
		return drivers.Retriable
	case retriable || err == kerr.UnknownServerError:
		return unanswered(call) // one of the attempts may have been executed
	}
	return drivers.Application
}

// informational reports whether kgo goes on by itself after an error that it
// put into a poll.
func informational(err error) bool {
	var lost *kgo.ErrDataLoss
	if errors.As(err, &lost) {
		return true
	}
	var broker *kerr.Error
	if errors.As(err, &broker) {
		return broker.Retriable || membership[broker]
	}
	return isConnection(err)
}
