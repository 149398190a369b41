package drivers

import "context"

// Figures is what a library tells of itself: numbers in decimal, states in its own
// words. What it does not tell is absent.
type Figures map[Figure]string

// Figure names one thing that a library may tell. Each driver says which of its
// library's numbers it takes for it; whether that number is right is what is looked at.
type Figure string

// The figures of a producer, since it was made or as they stand now.
const (
	RecordsTaken    Figure = "records taken"      // that the program handed over
	RecordsSent     Figure = "records sent"       // to brokers, as the library counts them
	RecordsWaiting  Figure = "records waiting"    // now: handed over and not reported yet
	RecordsInFlight Figure = "records in flight"  // now: sent, and no answer has come
	ProduceRequests Figure = "Produce requests"   // that were sent
	RequestsAgain   Figure = "requests repeated"  // that were sent again
	RequestsOpen    Figure = "requests in flight" // now: sent, and no answer has come

	TransactionState Figure = "transaction state"
	ProducerEpoch    Figure = "producer epoch"
)

// FigureNames lists them all, in the order in which they are shown.
func FigureNames() []Figure {
	return []Figure{
		RecordsTaken, RecordsSent, RecordsWaiting, RecordsInFlight, ProduceRequests, RequestsAgain, RequestsOpen,
		TransactionState, ProducerEpoch,
	}
}

// Teller is a Producer whose library tells figures of itself. It may do so only where
// Settings.Figures asked for them.
type Teller interface {
	// Figures is what the library says now: nothing in it is older than the call. It may
	// wait for the library to speak, until ctx ends; its error is that of ctx then. It
	// may be called concurrently with everything but Close.
	Figures(ctx context.Context) (Figures, error)
}
