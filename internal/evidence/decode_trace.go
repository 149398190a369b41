package evidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// DecodeTrace reads what EncodeTrace wrote. The error names the line.
func DecodeTrace(r io.Reader) (Trace, error) {
	dec := json.NewDecoder(r)
	var head traceHead
	if err := dec.Decode(&head); err != nil {
		return Trace{}, fmt.Errorf("read trace: line 1: expected the head of schema %s: %w", traceSchema, err)
	}
	if head.Schema != traceSchema {
		return Trace{}, fmt.Errorf("read trace: line 1: schema is %q, expected %q", head.Schema, traceSchema)
	}
	t := Trace{Cut: head.Cut}
	for line := 2; ; line++ {
		var e Exchange
		switch err := dec.Decode(&e); {
		case errors.Is(err, io.EOF):
			return t, nil
		case err != nil:
			return Trace{}, fmt.Errorf("read trace: line %d: expected an exchange: %w", line, err)
		}
		t.Exchanges = append(t.Exchanges, e)
	}
}
