package workbook

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
	"kcompare/internal/report"
	"kcompare/internal/scenario"
)

// partitionsKind shows where each library puts a key.
func partitionsKind() Kind {
	attributes := slices.DeleteFunc(trialAttributes(), func(a Attribute) bool { return a.Name == "scenario" })
	return Kind{
		Name:  "partitions",
		About: "Keys and the partition that each client puts them in, of scenario partitioner.",
		Attributes: append(attributes, Attribute{
			Name: "partitions", About: "of how many partitions the topic is, " + countsInWords() + " (default: all of them, a partition of each topic)",
		}),
		Needs: partitionsNeeds,
		Render: told(partitionsNeeds, func(b Block, doc evidence.Document) (string, error) {
			return writePartitions(b, doc), nil
		}),
	}
}

// partitionsNeeds is one variant of the scenario; what each library does by itself where
// the page names none.
func partitionsNeeds(b Block, m Manifest) ([]Need, error) {
	if _, _, err := topicOf(b); err != nil {
		return nil, err
	}
	b = b.with("variants", cmp.Or(b.Get("variants"), "partitioner=default"))
	all, err := needs(b.with("scenario", "partitioner"), m)
	if err != nil {
		return nil, err
	}
	return all, oneVariant(b, all)
}

// topicOf is the place of the topic that is asked for among those of the scenario; one is
// false where all are.
func topicOf(b Block) (place int, one bool, err error) {
	text := b.Get("partitions")
	if text == "" {
		return 0, false, nil
	}
	n, err := strconv.ParseInt(text, 10, 32)
	place = slices.Index(scenario.PartitionCounts(), int32(n))
	if err != nil || place < 0 {
		return 0, false, attributeError("partitions", "%q: expected one of %s, the topics of the scenario have no other number", text, countsInWords())
	}
	return place, true, nil
}

func countsInWords() string {
	var all []string
	for _, n := range scenario.PartitionCounts() {
		all = append(all, fmt.Sprint(n))
	}
	return strings.Join(all, ", ")
}

func writePartitions(b Block, doc evidence.Document) string {
	in := lang.In(b.Lang)
	place, one, _ := topicOf(b) // the needs were read with it
	about := fmt.Sprintf("The partition of each key in topics of %s partitions:", countsInWords())
	if one {
		about = fmt.Sprintf("The partition of each key in a topic of %s partitions:", b.Get("partitions"))
		for i, t := range doc.Trials {
			doc.Trials[i].Answers = onTopic(t.Answers, place)
		}
	}
	return in.Say(about) + "\n\n" + report.Answers(in, doc.Trials, "KEY")
}

// onTopic is the answers about one topic: of those that name a partition of each, that one.
// How many keys agree with another hash is counted over all topics and left out.
func onTopic(answers []evidence.Answer, place int) []evidence.Answer {
	var own []evidence.Answer
	for _, a := range answers {
		places := strings.Fields(a.Answer)
		_, err := strconv.Atoi(strings.Join(places, ""))
		switch {
		case err == nil && len(places) == len(scenario.PartitionCounts()):
			a.Answer = places[place]
		case strings.HasPrefix(a.Question, "where "):
			continue
		}
		own = append(own, a)
	}
	return own
}
