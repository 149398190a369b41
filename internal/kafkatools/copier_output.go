package kafkatools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"kcompare/internal/bench"
)

// copierOutput reads what the copier prints: a line of JSON whenever it is about to poll,
// one for each assignment, one at the end.
type copierOutput struct {
	records, warm int64

	waiting      copierLine  // the last line before anything was copied
	first, last  *copierLine // those between which it is timed, each behind a transaction
	transactions int64
	complete     *copierLine
}

// copierLine is one line.
type copierLine struct {
	ID        string `json:"transactionalId"`
	Stage     string `json:"stage"`
	Time      string `json:"time"`
	Processed *int64 `json:"totalProcessed"`
	Consumed  *int64 `json:"consumed"` // since the last assignment
	Remaining *int64 `json:"remaining"`

	at time.Time
}

// copierTime is how it writes the time, but for a colon before the milliseconds.
const copierTime = "2006/01/02 15:04:05.000"

func (o *copierOutput) line(text string) error {
	said, err := readCopierLine(text)
	if err != nil {
		return fmt.Errorf("printed what is not known: %w: %q", err, text)
	}
	switch said.Stage {
	case "RebalanceComplete":
	case "ProcessLoop":
		o.looped(said)
	case "ShutdownComplete":
		o.complete = &said
	default:
		return fmt.Errorf("printed what is not known: %q", text)
	}
	return nil
}

func readCopierLine(text string) (copierLine, error) {
	var said copierLine
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&said); err != nil {
		return said, err
	}
	if decoder.More() || said.Processed == nil || said.Consumed == nil || said.Remaining == nil {
		return said, errors.New("expected one object with totalProcessed, consumed and remaining")
	}
	written := said.Time
	if colon := strings.LastIndexByte(written, ':'); colon >= 0 {
		written = written[:colon] + "." + written[colon+1:]
	}
	at, err := time.Parse(copierTime, written)
	said.at = at
	return said, err
}

// looped takes the line before a poll. A poll that returned nothing leaves the number as it
// was.
func (o *copierOutput) looped(said copierLine) {
	switch {
	case *said.Processed == 0:
		o.waiting = said
	case o.last == nil || *said.Processed > *o.last.Processed:
		o.transactions++
		o.last = &said
		if o.first == nil && *said.Processed >= o.warm {
			o.first = &said
		}
	}
}

func (o *copierOutput) played() (bench.Played, error) {
	switch {
	case o.complete == nil:
		return bench.Played{}, errors.New("ended without its last line")
	case *o.complete.Processed != o.records:
		return bench.Played{}, fmt.Errorf("says that %d of %d records were copied", *o.complete.Processed, o.records)
	}
	played := bench.Played{Transactions: o.transactions}
	if o.last == nil || *o.last.Processed < o.records {
		played.Transactions++ // behind the last one nothing but the end is printed
	}
	if o.first != nil && *o.last.Processed > *o.first.Processed {
		played.Elapsed = o.last.at.Sub(o.first.at)
		played.Timed = *o.last.Processed - *o.first.Processed
	} else { // too few transactions: from the last poll before the first to the end of the process
		played.Elapsed = o.complete.at.Sub(o.waiting.at)
	}
	if played.Elapsed <= 0 {
		return bench.Played{}, errors.New("its clock of milliseconds cannot tell how long it took: give it more records")
	}
	return played, nil
}
