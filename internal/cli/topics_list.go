package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"kcompare/internal/broker"
	"kcompare/internal/report"
)

type topicsListOptions struct {
	topicsOptions
	internal bool
}

func newTopicsList(s *State) *cobra.Command {
	opts := &topicsListOptions{topicsOptions: topicsOptions{state: s}}
	cmd := &cobra.Command{
		Use:   "list [NAME|PATTERN...]",
		Short: "List topics: partitions, replicas, offsets",
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.names = args
			return runTopicsList(cmd.Context(), opts)
		},
	}
	opts.flags(cmd)
	cmd.Flags().BoolVar(&opts.internal, "internal", false, "also those that Kafka keeps for itself, such as __consumer_offsets")
	return cmd
}

// topicsList is the answer as JSON.
type topicsList struct {
	Command string     `json:"command"`
	Schema  string     `json:"schema"`
	Topics  []topicRow `json:"topics"`
}

type topicRow struct {
	Name       string `json:"name"`
	Partitions int    `json:"partitions"`
	Replicas   int    `json:"replicas"`          // of the partition that has most
	Offsets    *int64 `json:"offsets,omitempty"` // absent where a partition has no leader
	Internal   bool   `json:"internal"`
}

func runTopicsList(ctx context.Context, opts *topicsListOptions) error {
	return opts.on(ctx, func(ctx context.Context, r *broker.Reader) error {
		topics, err := r.Topics(ctx)
		if err != nil {
			return err
		}
		if topics, err = opts.listed(topics); err != nil {
			return err
		}
		if err := r.LookUpOffsets(ctx, topics); err != nil {
			return err
		}
		doc := topicsList{Command: "topics list", Schema: topicsSchema, Topics: []topicRow{}}
		for _, t := range topics {
			doc.Topics = append(doc.Topics, describeTopic(t))
		}
		return opts.write(doc, doc.table())
	})
}

// listed are those that are asked for, without names all that are not internal.
func (o *topicsListOptions) listed(all []broker.TopicInfo) ([]broker.TopicInfo, error) {
	if len(o.names) > 0 {
		return chosen(all, o.names)
	}
	return slices.DeleteFunc(all, func(t broker.TopicInfo) bool { return t.Internal && !o.internal }), nil
}

func describeTopic(t broker.TopicInfo) topicRow {
	row := topicRow{Name: t.Name, Partitions: len(t.Partitions), Internal: t.Internal, Offsets: new(int64)}
	for _, p := range t.Partitions {
		row.Replicas = max(row.Replicas, len(p.Replicas))
		switch {
		case p.End == broker.Unknown:
			row.Offsets = nil
		case row.Offsets != nil:
			*row.Offsets += p.End - p.Begin
		}
	}
	return row
}

func (l topicsList) table() report.Table {
	t := report.Table{
		Columns: []report.Column{{Name: "topic"}, {Name: "partitions", Figure: true}, {Name: "replicas", Figure: true}, {Name: "offsets", Figure: true}},
		Notes:   []string{"offsets: end minus begin of all partitions, markers of transactions included; `kcompare topics count` counts records"},
	}
	for _, row := range l.Topics {
		offsets := "-"
		if row.Offsets != nil {
			offsets = fmt.Sprint(*row.Offsets)
		}
		t.Rows = append(t.Rows, []string{row.Name, fmt.Sprint(row.Partitions), fmt.Sprint(row.Replicas), offsets})
	}
	if len(l.Topics) == 0 {
		t.Notes = []string{"no topics"}
	}
	return t
}
