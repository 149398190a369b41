package sequence

import (
	"kcompare/internal/evidence"
	"kcompare/internal/lang"
)

// Note says what became of a request and its answer where that is not the usual.
func Note(s evidence.SceneStep, p lang.Printer) string {
	switch {
	case s.Fault != "":
		return s.Fault + ": " + p.Say(fate(s.Fault))
	case s.Collateral && !s.Forwarded:
		return p.Say("The request is lost with its connection.")
	case s.Collateral:
		return p.Say("The answer is lost with its connection.")
	case !s.Forwarded && !s.Delivered:
		return p.Say("The request does not get through.")
	}
	return ""
}

// fate is what each action of package fault does to a request.
func fate(action string) string {
	switch action {
	case "drop-response":
		return "The broker has done it, its answer is lost."
	case "drop-request":
		return "The request is lost, the broker never gets it."
	case "replace-response":
		return "The broker has done it, the client is told an error instead."
	case "answer-instead":
		return "The broker never gets the request, the client is told an error."
	case "false-ack":
		return "The broker never gets the request, the client is told that it is written."
	case "delay":
		return "The answer comes late."
	case "reset-connection":
		return "The connection is reset, the broker never gets the request."
	case "stall":
		return "The broker has done it, no answer comes on this connection any more."
	case "half-open":
		return "Nothing gets through on this connection any more."
	case "throttle":
		return "Answers come slowly from here on."
	case "truncate":
		return "The broker has done it, its answer breaks off."
	case "duplicate-request":
		return "The broker gets the request twice."
	case "hold-request":
		return "The broker gets the request later, nobody gets its answer."
	case "move-leader":
		return "The leader of the partition has just moved."
	case "move-coordinator":
		return "The coordinator has just moved."
	case "kill-node":
		return "The node has just crashed."
	case "pause-node":
		return "The node does nothing for a while."
	case "restart-node":
		return "The node has just been restarted."
	}
	return "A fault strikes."
}
