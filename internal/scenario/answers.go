package scenario

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"kcompare/drivers"
	"kcompare/internal/evidence"
)

// How answers are made and spelled, whichever story gives them, and what several find
// them in.

// measured is an answer that takes no part in a verdict.
func measured(question, answer string) evidence.Answer {
	return evidence.Answer{Question: question, Answer: answer, Measured: true}
}

// millis is a time as settings have it, "5.3 ms".
func millis(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', 1, 64) + " ms"
}

// rounded is a longer one, "1.24s".
func rounded(d time.Duration) string { return d.Round(10 * time.Millisecond).String() }

// yesNo is how an answer says which of the two.
func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// joinedWord adds a word to an answer that does not have it yet.
func joinedWord(all, word string) string {
	switch {
	case all == "":
		return word
	case slices.Contains(strings.Split(all, "; "), word):
		return all
	}
	return all + "; " + word
}

// codesOf are the codes with which records failed, sorted, each once.
func codesOf(sends []evidence.Send) []string {
	var codes []string
	for _, s := range sends {
		if s.Error != nil {
			codes = append(codes, s.Error.Code)
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// identityOf is the producer id and epoch in the last batch of a transaction; wrote is
// false if there is none.
func identityOf(o *evidence.Observed, transaction int) (id drivers.ProducerID, wrote bool) {
	number := map[evidence.SendID]int{}
	for _, s := range o.Sends {
		number[s.Send] = s.Transaction
	}
	for _, e := range o.Trace.Exchanges {
		for _, b := range e.Batches {
			for _, send := range b.Sends {
				if number[send] == transaction {
					id, wrote = drivers.ProducerID{ID: b.ProducerID, Epoch: b.ProducerEpoch}, true
				}
			}
		}
	}
	return id, wrote
}
