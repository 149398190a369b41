package report

import (
	"fmt"
	"slices"
	"strings"

	"kcompare/internal/evidence"
)

// records is what the client said of the records that the first anomaly is about, and
// where they stand in the log.
func records(m *markdown, c *evidence.Case) {
	var rows [][]string
	for _, s := range c.Sends {
		rows = append(rows, []string{code(s.ID.String()), code(s.Key), escaped(m.in.Say(string(s.Outcome))), m.in.Say(told(s)), errorOf(s)})
	}
	what := "What the client said of it:"
	if len(c.Records) > 1 {
		what = "What the client said of it, and of what had its sequence number:"
	}
	m.paragraph(m.say(what))
	m.sayTable([]column{{name: "record"}, {name: "key"}, {name: "the client said"}, {name: "partition and offset that it told"}, {name: "error"}}, rows)
	if len(c.Stored) == 0 {
		m.paragraph(m.say("None of them stands in the log."))
		return
	}
	m.paragraph(m.say("What stands in the log of them:"))
	rows = nil
	for _, s := range c.Stored {
		rows = append(rows, []string{
			code(s.ID.String()), escaped(fmt.Sprintf("%s-%d", s.Topic, s.Partition)), fmt.Sprint(s.Offset), producer(s.ProducerID, s.ProducerEpoch), sequence(s.ProducerID, s.Sequence),
		})
	}
	m.sayTable([]column{{name: "record"}, {name: "partition"}, {name: "offset", figure: true}, {name: "producer id and epoch"}, {name: "sequence", figure: true}}, rows)
}

func told(s evidence.Send) string {
	switch {
	case s.Partition == evidence.AnyPartition:
		return "-"
	case s.Offset == evidence.NoOffset || s.NoAck:
		return fmt.Sprintf("%s-%d", escaped(s.Topic), s.Partition)
	}
	return fmt.Sprintf("%s-%d offset %d", escaped(s.Topic), s.Partition, s.Offset)
}

func errorOf(s evidence.Send) string {
	if s.Error == nil {
		return ""
	}
	return escaped(s.Error.Code + ": " + s.Error.Text)
}

// producer is "7309395757026483814/0", nothing without idempotence.
func producer(id int64, epoch int16) string {
	if id < 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d", id, epoch)
}

func sequence(id int64, n int32) string {
	if id < 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

// wire is the requests around the first anomaly. Those that carry one of its records
// stand out.
func wire(m *markdown, c *evidence.Case) {
	if len(c.Records) > 0 {
		m.paragraph(m.say("Numbers of requests that carry one of these records are bold; an identity is what a record carries in its header " + evidence.IDHeader + "."))
	}
	var rows [][]string
	for _, e := range c.Wire {
		row := []string{
			fmt.Sprint(e.N), m.in.Say(fmt.Sprintf("%.1f", float64(e.At-c.Wire[0].At)/1000)), m.in.Say(fmt.Sprintf("%d to node %d", e.Conn, e.Node)),
			escaped(fmt.Sprintf("%s v%d", e.API, e.Version)), m.in.Say(carried(e)), escaped(m.in.Say(answered(e))), escaped(m.in.Say(fate(e))),
		}
		if slices.ContainsFunc(c.Records, e.Carries) {
			row[0] = strong(row[0])
		}
		rows = append(rows, row)
	}
	m.sayTable([]column{
		{name: "#", figure: true}, {name: "ms", figure: true}, {name: "connection"}, {name: "request"},
		{name: "what it carries"}, {name: "the broker's answer"}, {name: "the client got"},
	}, rows)
	if c.LeftOut > 0 {
		m.paragraph(m.say(fmt.Sprintf("%d other requests of the trial are left out.", c.LeftOut)))
	}
}

// carried is the records of a Produce request with their sequence numbers, or the
// request in a few words.
func carried(e evidence.Exchange) string {
	if len(e.Batches) == 0 {
		return escaped(e.Summary)
	}
	var parts []string
	for _, b := range e.Batches {
		text := fmt.Sprintf("%s-%d", b.Topic, b.Partition)
		if b.ProducerID >= 0 {
			text += fmt.Sprintf(", producer %s, sequence %d", producer(b.ProducerID, b.ProducerEpoch), b.BaseSequence)
		}
		var ids []string
		for _, id := range b.IDs {
			ids = append(ids, code(id.String()))
		}
		if len(ids) == 0 {
			ids = []string{once(int(b.Records)).plural("record")}
		}
		parts = append(parts, listed(ids)+" to "+escaped(text))
	}
	return strings.Join(parts, "; ")
}

// answered is the broker's answer, with offsets where it wrote something.
func answered(e evidence.Exchange) string {
	switch {
	case !e.Forwarded:
		return "(it never got the request)"
	case !e.Answered:
		return "(none)"
	}
	var parts []string
	for _, b := range e.Batches {
		switch b.Code {
		case "":
		case "ok":
			parts = append(parts, fmt.Sprintf("ok, offset %d", b.BaseOffset))
		default:
			parts = append(parts, b.Code)
		}
	}
	if len(parts) == 0 {
		return e.Result
	}
	return strings.Join(parts, "; ")
}

// fate is what reached the client.
func fate(e evidence.Exchange) string {
	switch {
	case e.Fault != "" && e.Delivered:
		return "an answer, after " + e.Fault
	case e.Fault != "":
		return "nothing: " + e.Fault
	case e.Collateral:
		return "nothing: lost with its connection"
	case e.Delivered:
		return "the answer"
	}
	return "nothing"
}
