package sequence

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"kcompare/internal/evidence"
)

// Who is asked, as SceneStep.Node says it.
const (
	Leader           = "leader"                  // of the partitions that a Produce writes to
	TransactionsHead = "transaction coordinator" // of the transactional id
	GroupsHead       = "group coordinator"
	AnyBroker        = "broker" // whichever the client chose
)

// tell makes steps of requests.
func (t *tape) tell(part []*evidence.Exchange) evidence.Scene {
	n := newNames(t.seen)
	scene := evidence.Scene{Steps: []evidence.SceneStep{}}
	part = addedAtOnce(part)
	for i, e := range part {
		next := t.step(n, e)
		last := len(scene.Steps) - 1
		if last >= 0 && isRepetition(scene.Steps[last], next) {
			scene.Steps[last].Times++
			continue
		}
		if len(scene.Steps) == MostSteps {
			scene.LeftOut = int64(len(part) - i)
			break
		}
		scene.Steps = append(scene.Steps, next)
	}
	return scene
}

// addedAtOnce makes one request of several AddPartitionsToTxn in a row that all went well:
// a client adds the partitions that it knows of by then, so their number is chance.
func addedAtOnce(part []*evidence.Exchange) []*evidence.Exchange {
	var out []*evidence.Exchange
	for _, e := range part {
		if last := len(out) - 1; last >= 0 && goesOn(out[last], e) {
			both := *out[last]
			both.Summary += e.Summary[producerPattern.FindStringIndex(e.Summary)[1]:]
			out[last] = &both
			continue
		}
		out = append(out, e)
	}
	return out
}

func goesOn(a, b *evidence.Exchange) bool {
	simple := func(e *evidence.Exchange) bool {
		return e.API == "AddPartitionsToTxn" && e.Result == "ok" && e.Fault == "" && e.Delivered && producerPattern.MatchString(e.Summary)
	}
	return simple(a) && simple(b) && a.Conn == b.Conn && inTransaction(a) == inTransaction(b)
}

func isRepetition(last, next evidence.SceneStep) bool {
	last.Times = next.Times
	return last == next
}

func (t *tape) step(n *names, e *evidence.Exchange) evidence.SceneStep {
	node := asked(e)
	return evidence.SceneStep{
		Connection: n.connection(node, e.Conn), Node: node, API: e.API, Version: e.Version,
		Request: t.request(n, e), Answer: t.answer(n, e),
		Fault: e.Fault, Collateral: e.Collateral, Forwarded: e.Forwarded, Delivered: e.Delivered, Times: 1,
	}
}

func asked(e *evidence.Exchange) string {
	switch e.API {
	case "Produce":
		return Leader
	case "AddPartitionsToTxn", "AddOffsetsToTxn", "EndTxn":
		return TransactionsHead
	case "JoinGroup", "SyncGroup", "LeaveGroup", "OffsetFetch", "OffsetCommit", "TxnOffsetCommit":
		return GroupsHead
	case "InitProducerId":
		if transactionalID(e) != "" {
			return TransactionsHead
		}
	}
	return AnyBroker
}

// transactionalID is the one that a Produce or InitProducerId names; "" for none.
func transactionalID(e *evidence.Exchange) string {
	switch e.API {
	case "Produce":
		_, named, _ := strings.Cut(e.Summary, " ")
		return strings.TrimSpace(strings.TrimPrefix(named, listing(e.Batches)))
	case "InitProducerId":
		return strings.TrimSpace(producerPattern.ReplaceAllString(e.Summary, ""))
	}
	return ""
}

// listing is the partitions of a Produce as its summary has them (package proxy).
func listing(batches []evidence.TraceBatch) string {
	const most = 4
	var all []string
	for _, b := range batches {
		all = append(all, partitionName(b))
	}
	if len(all) <= most {
		return strings.Join(all, " ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:most], " "), len(all)-most)
}

func partitionName(b evidence.TraceBatch) string { return fmt.Sprintf("%s-%d", b.Topic, b.Partition) }

// batches are those of a Produce in the order of sending: a client lists them in any order.
func (t *tape) batches(e *evidence.Exchange) []evidence.TraceBatch {
	return slices.SortedStableFunc(slices.Values(e.Batches), func(a, b evidence.TraceBatch) int {
		return cmp.Compare(t.first(a), t.first(b))
	})
}

// request is a request in a few words.
func (t *tape) request(n *names, e *evidence.Exchange) string {
	switch {
	case e.API == "Metadata" && e.Summary != "" && len(n.topics) > 1:
		return "topics" // it asks for one or several at a time
	case e.API != "Produce":
		return summary(n, e.Summary)
	}
	var parts []string
	for _, b := range t.batches(e) {
		part := t.records(b) + " to " + n.place(b.Topic, b.Partition)
		if who := n.producer(fmt.Sprint(b.ProducerID), fmt.Sprint(b.ProducerEpoch)); who != "" {
			part += fmt.Sprintf(", %s sequence %d", who, b.BaseSequence)
		}
		parts = append(parts, part)
	}
	if strings.HasPrefix(e.Summary, "acks=0") {
		parts = append(parts, "acks=0")
	}
	return strings.Join(parts, "; ")
}

// records is the keys of a batch, or how many records it has.
func (t *tape) records(b evidence.TraceBatch) string {
	const most = 3
	var keys []string
	for _, id := range b.IDs {
		key := t.keys[id]
		if key == "" {
			key = id.String()
		}
		keys = append(keys, key)
	}
	switch {
	case len(keys) == 0 && b.Records == 1:
		return "1 record"
	case len(keys) == 0:
		return fmt.Sprintf("%d records", b.Records)
	case len(keys) > most:
		return fmt.Sprintf("%s and %d more", strings.Join(keys[:most], ", "), len(keys)-most)
	}
	return strings.Join(keys, ", ")
}

// more ends a summary that does not name all (package proxy).
var more = regexp.MustCompile(` and \d+ more$`)

// summary is a request other than Produce: who it is about, then topics and partitions by
// name, for a client lists them in any order.
func summary(n *names, text string) string {
	var who, places []string
	end := more.FindString(text)
	text = strings.TrimSuffix(text, end)
	if p := producerPattern.FindStringSubmatchIndex(text); p != nil {
		if producer := n.producer(text[p[2]:p[3]], text[p[4]:p[5]]); producer != "" {
			who = append(who, producer)
		}
		text = text[:p[0]] + text[p[1]:]
	}
	for _, word := range slices.Backward(strings.Fields(text)) {
		if place, is := n.partition(word); is {
			places = append(places, place)
		} else {
			who = append([]string{n.id(word)}, who...)
		}
	}
	slices.Sort(places)
	return strings.Join(append(who, places...), ", ") + end
}

// answer is the broker's, in a few words: "ok, offset 3".
func (t *tape) answer(n *names, e *evidence.Exchange) string {
	var parts []string
	for _, b := range t.batches(e) {
		switch b.Code {
		case "":
		case "ok":
			parts = append(parts, fmt.Sprintf("ok, offset %d", b.BaseOffset))
		default:
			parts = append(parts, b.Code)
		}
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, "; ")
	case e.API == "InitProducerId" && e.Result == "ok":
		return strings.Join(append([]string{"ok"}, t.given(n, e)...), ", ")
	}
	return heldFor.ReplaceAllString(e.Result, "")
}

// heldFor stands before the answer to a request that was held, and has a time, which no two
// runs have in common. The fault says the rest.
var heldFor = regexp.MustCompile(`^held, delivered after [^:]+(: )?`)

// given is the producer id and epoch that an InitProducerId was answered with: the first
// that is used after it and was not before, if nobody else has asked for one by then. The
// trace has the codes of answers alone.
func (t *tape) given(n *names, e *evidence.Exchange) []string {
	used := map[string]bool{}
	for _, o := range t.exchanges {
		if o.N > e.N && o.API == "InitProducerId" {
			return nil
		}
		id, epoch, has := producerOf(o)
		if !has {
			continue
		}
		if who := id + "/" + epoch; o.N > e.N && !used[who] {
			return []string{n.producer(id, epoch)}
		}
		used[id+"/"+epoch] = true
	}
	return nil
}

func producerOf(e *evidence.Exchange) (id, epoch string, has bool) {
	if len(e.Batches) > 0 {
		b := e.Batches[0]
		return fmt.Sprint(b.ProducerID), fmt.Sprint(b.ProducerEpoch), b.ProducerID >= 0
	}
	if found := producerPattern.FindStringSubmatch(e.Summary); found != nil {
		return found[1], found[2], !strings.HasPrefix(found[1], "-")
	}
	return "", "", false
}
