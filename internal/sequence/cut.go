package sequence

import (
	"fmt"
	"strconv"
	"strings"

	"kcompare/internal/evidence"
)

// MostSteps is how many steps a scene has. What comes after them is counted in LeftOut.
const MostSteps = 40

// Scenes says what may be cut out of a trace, for messages and documentation.
func Scenes() []string {
	return []string{"fault", "start", "all", "record KEY", "transaction N"}
}

// Known says what is wrong with the name of a scene, before anybody has played anything;
// nil where it is one of Scenes.
func Known(of string) error {
	switch kind, name, _ := strings.Cut(of, " "); {
	case of == "fault" || of == "start" || of == "all":
		return nil
	case kind == "record":
		if name == "" {
			return fmt.Errorf("scene %q: expected a key behind record, for example %q", of, "record order-0003")
		}
		return nil
	case kind == "transaction":
		if n, err := strconv.Atoi(name); err != nil || n < 1 || strconv.Itoa(n) != name {
			return fmt.Errorf("scene %q: expected a number from 1 behind transaction, for example %q", of, "transaction 1")
		}
		return nil
	}
	return fmt.Errorf("unknown scene %q: expected %s", of, strings.Join(Scenes(), ", "))
}

// Cut takes one part out of a trial's trace:
//
//	start          the first connections until the first Produce
//	fault          all of the first record that a fault hit, first attempt to final answer;
//	               where no record was hit, all of the transaction or the request that was
//	record KEY     the same of the records with that key
//	transaction N  the nth transaction on the wire: its partitions, records, offsets, its end
//	all            the story from its first request to its last
//
// Steps stand in the order of cause and effect, not of the clock (see inOrder), so that two
// runs of a story that sends one record at a time are told alike. What a client does in the
// background (metadata, telemetry, heartbeats, fetches) is not in a scene, but for the first
// requests of start. The error says what the trace has instead.
func Cut(seen *evidence.Observed, of string) (evidence.Scene, error) {
	if err := Known(of); err != nil {
		return evidence.Scene{}, err
	}
	t := newTape(seen)
	part, err := t.part(of)
	if err != nil {
		return evidence.Scene{}, fmt.Errorf("scene %q of %s %s %s: %w", of, seen.Trial.Scenario, seen.Trial.Variant, seen.Trial.Client, err)
	}
	scene := t.tell(t.inOrder(part))
	scene.Of = of
	return scene, nil
}

func (t *tape) part(of string) ([]*evidence.Exchange, error) {
	kind, name, _ := strings.Cut(of, " ")
	switch kind {
	case "start":
		return t.start()
	case "fault":
		return t.fault()
	case "record":
		return t.record(name)
	case "transaction":
		n, _ := strconv.Atoi(name) // Known has looked at it
		return t.transaction(n)
	}
	return t.all()
}
