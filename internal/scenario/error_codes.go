package scenario

// kafkaError is an error code of the protocol and Kafka's name for it. Answers have
// the name: numbers mean nothing to a reader, and texts differ by library.
type kafkaError struct {
	code int16
	name string
}

// The error codes that stories inject, expect or look for.
var (
	corruptMessage       = kafkaError{2, "CORRUPT_MESSAGE"}
	unknownTopic         = kafkaError{3, "UNKNOWN_TOPIC_OR_PARTITION"}
	leaderNotAvailable   = kafkaError{5, "LEADER_NOT_AVAILABLE"}
	notLeader            = kafkaError{6, "NOT_LEADER_FOR_PARTITION"}
	requestTimedOut      = kafkaError{7, "REQUEST_TIMED_OUT"}
	tooLarge             = kafkaError{10, "MESSAGE_TOO_LARGE"}
	coordinatorLoading   = kafkaError{14, "COORDINATOR_LOAD_IN_PROGRESS"}
	noCoordinator        = kafkaError{15, "COORDINATOR_NOT_AVAILABLE"}
	notCoordinator       = kafkaError{16, "NOT_COORDINATOR"}
	notEnoughReplicas    = kafkaError{19, "NOT_ENOUGH_REPLICAS"}
	notEnoughAfterAppend = kafkaError{20, "NOT_ENOUGH_REPLICAS_AFTER_APPEND"}
	invalidAcks          = kafkaError{21, "INVALID_REQUIRED_ACKS"}
	illegalGeneration    = kafkaError{22, "ILLEGAL_GENERATION"}
	topicForbidden       = kafkaError{29, "TOPIC_AUTHORIZATION_FAILED"}
	groupForbidden       = kafkaError{30, "GROUP_AUTHORIZATION_FAILED"}
	clusterForbidden     = kafkaError{31, "CLUSTER_AUTHORIZATION_FAILED"}
	outOfOrder           = kafkaError{45, "OUT_OF_ORDER_SEQUENCE_NUMBER"}
	invalidEpoch         = kafkaError{47, "INVALID_PRODUCER_EPOCH"}
	invalidState         = kafkaError{48, "INVALID_TXN_STATE"}
	invalidMapping       = kafkaError{49, "INVALID_PRODUCER_ID_MAPPING"}
	concurrentTxns       = kafkaError{51, "CONCURRENT_TRANSACTIONS"}
	idForbidden          = kafkaError{53, "TRANSACTIONAL_ID_AUTHORIZATION_FAILED"}
	storageError         = kafkaError{56, "KAFKA_STORAGE_ERROR"}
	unknownProducerID    = kafkaError{59, "UNKNOWN_PRODUCER_ID"}
	producerFenced       = kafkaError{90, "PRODUCER_FENCED"}
	txnAbortable         = kafkaError{120, "TRANSACTION_ABORTABLE"}
)

// afterWriting are what a leader may answer to a Produce although it has written: the
// record is there, and how safely nobody knows.
func afterWriting() []kafkaError {
	return []kafkaError{requestTimedOut, notEnoughAfterAppend, notLeader, storageError, unknownTopic}
}

// denyingWrite say that nothing was written.
func denyingWrite() []kafkaError {
	return []kafkaError{
		notEnoughReplicas, leaderNotAvailable, notCoordinator, corruptMessage, tooLarge, invalidAcks,
		topicForbidden, clusterForbidden, unknownProducerID, outOfOrder, invalidEpoch,
	}
}

// producingErrors are what Produce is answered within a transaction.
func producingErrors() []kafkaError {
	return []kafkaError{
		requestTimedOut, notLeader, notEnoughReplicas, corruptMessage, tooLarge, topicForbidden, concurrentTxns,
		unknownProducerID, outOfOrder, invalidEpoch, producerFenced, invalidState, invalidMapping, txnAbortable,
	}
}

// coordinatorErrors are what a coordinator answers to the calls of a transaction, and
// more for one of them.
func coordinatorErrors(more ...kafkaError) []kafkaError {
	return append([]kafkaError{
		coordinatorLoading, noCoordinator, notCoordinator, concurrentTxns, unknownProducerID,
		invalidEpoch, producerFenced, invalidState, invalidMapping, idForbidden, txnAbortable,
	}, more...)
}
