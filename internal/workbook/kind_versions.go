package workbook

import (
	"strings"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
	"kcompare/internal/report"
)

// versionsKind says with what the evidence of a page was made: no dates.
func versionsKind() Kind {
	return Kind{
		Name:       "versions",
		About:      "The exact library of every client, and the brokers, that the evidence was made with.",
		Attributes: trialAttributes(),
		Needs:      versionsNeeds,
		Render:     renderVersions,
	}
}

// versionsNeeds is one trial of each client, scenario and broker: all its variants were
// played with the same. Here alone broker may be a list.
func versionsNeeds(b Block, m Manifest) ([]Need, error) {
	brokers := listOf(b, "broker", ",")
	if len(brokers) == 0 {
		brokers = []string{brokerEmbedded}
	}
	var some []Need
	for _, broker := range brokers {
		all, err := needs(b.with("broker", broker), m)
		if err != nil {
			return nil, err
		}
		first := map[string]string{}
		for _, n := range all {
			if first[n.Scenario] == "" {
				first[n.Scenario] = n.Variant
			}
			if n.Variant == first[n.Scenario] {
				some = append(some, n)
			}
		}
	}
	return some, nil
}

func renderVersions(c Course, b Block) (Content, error) {
	all, err := versionsNeeds(b, c.Manifest)
	if err != nil {
		return Content{}, err
	}
	var docs []evidence.Document
	for _, n := range all {
		doc, err := gather(c, []Need{n})
		if err != nil {
			return Content{}, err
		}
		docs = append(docs, doc)
	}
	return Content{Markdown: strings.TrimSpace(report.Versions(lang.In(b.Lang), docs...))}, nil
}
