package fault

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Validate says what is wrong with the plan. What depends on Kafka's APIs is left
// to whoever carries the plan out.
func (p Plan) Validate() error {
	names := map[string]bool{}
	for _, r := range p {
		if r.Name == "" || names[r.Name] {
			return fmt.Errorf("fault rule %q: every rule needs a name of its own", r.Name)
		}
		names[r.Name] = true
		if err := r.validate(); err != nil {
			return fmt.Errorf("fault rule %q: %w", r.Name, err)
		}
	}
	return nil
}

func (r Rule) validate() error {
	s := r.Select
	switch {
	case !slices.Contains(Actions(), r.Action):
		return fmt.Errorf("action %q: expected one of %s", r.Action, join(Actions(), ", "))
	case !(s.Probability >= 0 && s.Probability <= 1): // so put that NaN is refused
		return fmt.Errorf("probability %v: expected 0 to 1", s.Probability)
	case (s.API == "") != (r.Action == RefuseConnection):
		return fmt.Errorf("api %q: every action but %s names one", s.API, RefuseConnection)
	case !r.byRecord() && s.Nth == 0 && s.First == 0 && s.Probability < 1:
		return fmt.Errorf("api %s: a chance needs a bound, nth or first, where no record is involved", s.API)
	}
	return cmp.Or(r.validateFields(), r.validateCounting(), s.validateReach(r.Action))
}

// validateFields holds each field of the rule against the actions that need it:
// they have it, and the others leave it empty.
func (r Rule) validateFields() error {
	for _, f := range []struct {
		name     string
		value    any
		set      bool
		negative bool
		needs    []Action
	}{
		{"code", r.Code, r.Code != 0, false, []Action{ReplaceResponse, AnswerInstead}}, // Kafka has a code -1
		{"wait", r.Wait, r.Wait != 0, r.Wait < 0, []Action{Delay, PauseNode, HoldRequest}},
		{"bytes", r.Bytes, r.Bytes != 0, r.Bytes < 0, []Action{Truncate}},
		{"rate", r.Rate, r.Rate != 0, r.Rate < 0, []Action{Throttle}},
	} {
		switch needed := slices.Contains(f.needs, r.Action); {
		case f.negative:
			return fmt.Errorf("%s %v: expected a positive one", f.name, f.value)
		case needed && !f.set:
			return fmt.Errorf("%s %v: %s needs one", f.name, f.value, r.Action)
		case f.set && !needed:
			return fmt.Errorf("%s %v: only %s has one, not %s", f.name, f.value, join(f.needs, " or "), r.Action)
		}
	}
	if r.Until != "" && r.Action != HoldRequest {
		return fmt.Errorf("until %s: only %s has one, not %s", r.Until, HoldRequest, r.Action)
	}
	return nil
}

// validateCounting refuses bounds that contradict each other, and rules whose
// points nobody could plan.
func (r Rule) validateCounting() error {
	s := r.Select
	switch {
	case s.Nth < 0 || s.First < 0 || s.Attempts < 0 || s.Warmup < 0 || r.Certain < 0:
		return fmt.Errorf("nth %d, first %d, attempts %d, warmup %d, certain %d: expected 0 or more", s.Nth, s.First, s.Attempts, s.Warmup, r.Certain)
	case s.Nth > 0 && s.First > 0:
		return fmt.Errorf("nth %d and first %d: set one of them", s.Nth, s.First)
	case r.Certain > 0 && !r.byRecord():
		return fmt.Errorf("certain %d: only where records are decided one by one: %s without nth and first", r.Certain, produce)
	case s.Attempts > 0 && !r.byRecord():
		return fmt.Errorf("attempts %d: only where records are decided one by one: %s without nth and first", s.Attempts, produce)
	case r.byRecord() && (s.Node != nil || s.ProducerID != nil || s.Epoch != nil || s.Sequence != nil || s.TransactionalID != ""):
		return fmt.Errorf("node, producer id, epoch, sequence and transactional id of a record are not known before the run: count requests with nth or first")
	}
	return nil
}

// validateReach refuses selectors that no request of the API could match.
func (s Selector) validateReach(a Action) error {
	produceOnly := s.Record != "" || s.ProducerID != nil || s.Epoch != nil || s.Sequence != nil
	switch {
	case s.End != "" && s.End != "commit" && s.End != "abort":
		return fmt.Errorf("end %q: expected commit or abort", s.End)
	case s.End != "" && s.API != "EndTxn":
		return fmt.Errorf("end %q: only EndTxn has it, not %q", s.End, s.API)
	case a == RefuseConnection && (produceOnly || s.Warmup > 0 || s.Client != "" || s.Role != "" || s.Partition != nil || s.TransactionalID != ""):
		return fmt.Errorf("%s selects by node alone: nothing else is known of a new connection", a)
	case produceOnly && s.API != produce:
		return fmt.Errorf("record, producer id, epoch and sequence: only %s has them, not %s", produce, s.API)
	}
	return nil
}

func join(as []Action, separator string) string {
	words := make([]string, len(as))
	for i, a := range as {
		words[i] = string(a)
	}
	return strings.Join(words, separator)
}
