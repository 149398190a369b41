package audit

// The causes of anomalies, as evidence and reports print them. A cause says what
// the identities and the trace prove, and nothing beyond.

// SequenceReused begins the causes of whatever came of a sequence number that a client
// gave to two records.
const SequenceReused = "sequence number reused by another record"

// Why a record stands in the log more than once.
const (
	DuplicateBroker      = "broker appended the same batch twice"
	DuplicateRenumbered  = "client renumbered a batch it sent again"
	DuplicateReused      = SequenceReused + ", and the client sent this one again under a new number"
	DuplicateNoProducer  = "client retry without producer id"
	DuplicateAnswered    = "client without producer id sent it again after its answer had been passed on"
	DuplicateSession     = "new session or second instance sent it"
	DuplicateApplication = "application sent it twice"
	DuplicateAborted     = "sent again after the transaction of the earlier copy was aborted"
)

// Why an acknowledged record is not in the log.
const (
	LostNeverSent = "no Produce request carried it"
	LostOnTheWay  = "every Produce request that carried it was lost before the broker"
	LostForged    = "a false acknowledgement: the proxy answered that it was written, the broker never got it"
	LostReused    = SequenceReused + ", and the broker took this one for a repetition of that one"
	LostByBroker  = "the broker answered that it was written, and does not have it"
	LostRefused   = "the broker refused it, the client reported success"
	LostNoAnswer  = "the broker got it and never answered, the client reported success"
	LostAborted   = "the client said that its transaction was committed, the log says aborted"
)

// Why a record is in the log that the client reported as failed.
const (
	FailedAnswered = "the broker answered that it was written, the client reported a failure"
	FailedReplaced = "the broker wrote it, the client was answered with an error"
	FailedSilent   = "the broker wrote it, no answer reached the client"
)

// TraceSilent is the cause when the trace does not show what happened: it was
// cut, or the records of its batches were not decoded.
const TraceSilent = "the trace does not tell"

// Why a record stands where it should not.
const (
	ReorderedLater  = "a record sent earlier by the same producer stands behind it"
	WrongTopic      = "in another topic than it was sent to"
	WrongTold       = "not in the partition that the client told"
	WrongKeyed      = "not where the declared partitioner puts its key"
	OffsetNotThere  = "no copy of the record stands at the offset that the client told"
	OffsetReused    = SequenceReused + ", and the client told that one's offset"
	OffsetOfNothing = "the client told an offset, and only another send of the record is in the log"
	OffsetsMissing  = "no record and no marker stands at these offsets"
)

// What is wrong with a record's content or origin.
const (
	CorruptedLog     = "key, value or identity in the log are not those that were sent"
	CorruptedRead    = "the consumer returned other content than the log holds"
	PhantomForeign   = "a record in the log carries no identity of this trial"
	PhantomUnknown   = "a record in the log carries an identity that was never sent"
	PhantomRead      = "the consumer returned a record that the log does not have"
	ReadAborted      = "the consumer returned a record of an aborted transaction"
	ReadUndecided    = "the consumer returned a record of a transaction that has not ended"
	ReadSkipped      = "the consumer never returned a visible record"
	ReadNonmonotonic = "the consumer returned an offset that was not behind the ones before"
	MemberSkipped    = "a consumer of the story stepped over a visible record"
	MemberAgain      = "a consumer of the story got an offset again without a seek or a rebalance"
)

// UnderUncommitted stands behind the cause where it is about a consumer that
// was told to read uncommitted data.
const UnderUncommitted = ", under read_uncommitted"

// What is wrong with a transaction.
const (
	TornFailed       = "a record was refused or failed, and the rest was committed"
	TornAcked        = "an acknowledged record is not visible, and the rest is"
	TornUnknown      = "a record of unknown outcome is not visible, and the rest is"
	AbortedCommitted = "the client said that its transaction was aborted, the log says committed"
	AbortedUnasked   = "the program asked to abort its transaction and never to commit, the log says committed"
	LateCommit       = "a commit of an earlier transaction arrived late and ended this one"
	LateProduce      = "its Produce arrived late, after the end of its transaction, and entered another one"
	LateAbort        = "an abort of an earlier transaction arrived late and ended this one"
	FencedLate       = "it was handed over after the newer instance was ready"
	FencedOpen       = "its transaction was open when the newer instance took over"
)

// What holds back committed records that no reader gets. The first one is also what
// held them while the story looked, when the broker has ended it since.
const (
	StuckAbandoned = "a transaction that its producer never ended holds the last stable offset"
	StuckUnended   = "a transaction whose end was asked for, and is not in the log, holds the last stable offset"
	StuckStranger  = "a transaction that is not of this trial holds the last stable offset"
	StuckMeanwhile = "a transaction that its producer never ended held the last stable offset until the broker ended it"
)

// What became of an input of a program that reads, processes and writes.
const (
	SkippedUnwritten   = "no output of it was ever written"
	SkippedAborted     = "its outputs stand in the log only in aborted transactions"
	SkippedUndecided   = "its outputs stand in the log only in transactions that have not ended"
	SkippedPart        = "one of its outputs is missing"
	ReprocessedOther   = "another instance of the program processed it again"
	ReprocessedSame    = "the same instance processed it twice"
	ReprocessedDoubled = "the client or the broker doubled one act of sending"
	PhantomOutput      = "a visible output belongs to no valid input"
)
