package drivertest

// Checks lists the suite.
func Checks() []Check {
	return []Check{
		{"driver/names-library", Nothing, namesLibrary},
		{"driver/abilities", Nothing, tellsAbilities},
		{"driver/unknown-setting", Nothing, refusesUnknownSetting},
		{"driver/differences", Nothing, tellsDifferences},

		{"producer/each-record-once", Nothing, eachRecordOnce},
		{"producer/reports-unasked", Nothing, reportsUnasked},
		{"producer/order", Nothing, keepsOrder},
		{"producer/flush-waits", Nothing, flushWaits},
		{"producer/flush-ends-with-context", Nothing, flushEndsWithContext},
		{"producer/content", Nothing, keepsContent},
		{"producer/partitioner", Nothing, placesKeys},
		{"producer/one-record-per-batch", Nothing, oneRecordPerBatch},
		{"producer/too-large", Nothing, refusesTooLarge},
		{"producer/close-gives-up", Nothing, closeGivesUp},
		{"producer/acks-0", Nothing, withoutAcks},
		{"producer/missing-topic", Nothing, missingTopic},
		{"producer/figures", Figures, tellsFigures},
		{"producer/close-plainly", PlainClose, closesPlainly},
		{"producer/many", Bulk, producesMany},
		{"producer/paced", Paced, producesPaced},

		{"transaction/commit", Transactions, commitShowsAll},
		{"transaction/commit-flushes", Transactions, commitFlushes},
		{"transaction/abort", Transactions, abortShowsNone},
		{"transaction/open", Transactions, openIsPending},
		{"transaction/fencing", Transactions, fencesOlder},
		{"transaction/calls-out-of-order", Transactions, callsOutOfOrder},
		{"transaction/lost-answer", Transactions, lostEndIsUnknown},
		{"transaction/offsets-commit", Both, offsetsCommit},
		{"transaction/offsets-abort", Both, offsetsAbort},
		{"transaction/offsets-pending", Both, offsetsPending},

		{"consumer/subscribe", Groups, subscribeReadsAll},
		{"consumer/assign", Nothing, assignReads},
		{"consumer/assign-at-end", Nothing, assignAtEnd},
		{"consumer/poll-ends-with-context", Groups, pollEndsWithContext},
		{"consumer/seek", Nothing, seeks},
		{"consumer/positions", Nothing, tellsPositions},
		{"consumer/commit", Groups, commits},
		{"consumer/no-commit-unasked", Groups, commitsNothingUnasked},
		{"consumer/isolation", Transactions, isolates},
		{"consumer/group-metadata", Groups, tellsGroup},
		{"consumer/tells-assignment", Rebalances, tellsAssignment},
		{"consumer/store", Store, stores},
		{"consumer/close-leaves", Groups, closeLeaves},
		{"consumer/close-ends-poll", Groups, closeEndsPoll},
		{"consumer/many", Bulk, consumesMany},

		{"transactional/many", BulkTransactions, producesTransactions},
		{"processor/many", BulkTransactions, processesMany},
	}
}
