package cli

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"kcompare/internal/trial"
)

// dryRunSchema is that of what --dry-run prints with --format=json.
const dryRunSchema = "kcompare/dry-run/v1"

type dryRun struct {
	Command string     `json:"command"`
	Schema  string     `json:"schema"`
	Trials  []dryTrial `json:"trials"`
}

type dryTrial struct {
	Trial           string     `json:"trial"`
	Topics          []dryTopic `json:"topics"`
	Group           string     `json:"group,omitempty"`
	TransactionalID string     `json:"transactional_id,omitempty"`
	Faults          []string   `json:"faults"`
	Records         int        `json:"records"`
}

type dryTopic struct {
	Name       string `json:"name"`
	Partitions int32  `json:"partitions"`
}

func plannedNames(specs []trial.Spec) dryRun {
	doc := dryRun{Command: "run", Schema: dryRunSchema, Trials: []dryTrial{}}
	for _, s := range specs {
		if s.Site != nil && s.Site.Run != "" && s.ChangesCluster() {
			continue // not-supported on a cluster that is not ours: nothing is made for it
		}
		names := s.Names()
		t := dryTrial{
			Trial: s.Name(), Group: names.Group, TransactionalID: names.TransactionalID,
			Faults: []string{}, Records: s.Intended(),
		}
		for _, topic := range s.Scenario.Topics {
			t.Topics = append(t.Topics, dryTopic{names.Topics[topic.Role], topic.PartitionsWith(s.Parameters)})
		}
		for _, rule := range s.Variant.Plan(s.Parameters) {
			t.Faults = append(t.Faults, strings.TrimSpace(string(rule.Action)+" "+rule.Select.API))
		}
		slices.Sort(t.Faults)
		t.Faults = slices.Compact(t.Faults)
		doc.Trials = append(doc.Trials, t)
	}
	return doc
}

// inShort is "12 topics, 2 groups and 4 transactional ids".
func (d dryRun) inShort() string {
	topics, groups, ids := 0, 0, 0
	for _, t := range d.Trials {
		topics += len(t.Topics)
		if t.Group != "" {
			groups++
		}
		if t.TransactionalID != "" {
			ids++
		}
	}
	return fmt.Sprintf("%s, %s and %s", counted(topics, "topic"), counted(groups, "group"), counted(ids, "transactional id"))
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if strings.HasSuffix(what, "h") {
		what += "e"
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// printDryRun says what the run would make, and makes nothing.
func (o *runOptions) printDryRun(specs []trial.Spec) error {
	if err := o.output.check(); err != nil {
		return err
	}
	doc := plannedNames(specs)
	var b bytes.Buffer
	if o.output.format == formatJSON {
		if err := writeJSON(&b, doc); err != nil {
			return err
		}
		return o.output.put(o.state, b.Bytes())
	}
	tab := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, t := range doc.Trials {
		fmt.Fprintf(tab, "%s\t%d records\t%s\n", t.Trial, t.Records, strings.Join(t.Faults, ", "))
		for _, topic := range t.Topics {
			fmt.Fprintf(tab, "  topic %s\t%s\t\n", topic.Name, counted(int(topic.Partitions), "partition"))
		}
		if t.Group != "" {
			fmt.Fprintf(tab, "  group %s\t\t\n", t.Group)
		}
		if t.TransactionalID != "" {
			fmt.Fprintf(tab, "  transactional id %s\t\t\n", t.TransactionalID)
		}
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(&b, "%s, %s: nothing was made\n", counted(len(doc.Trials), "trial"), doc.inShort())
	return o.output.put(o.state, b.Bytes())
}
