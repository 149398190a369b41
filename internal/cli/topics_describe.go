package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"kcompare/internal/broker"
	"kcompare/internal/report"
)

func newTopicsDescribe(s *State) *cobra.Command {
	opts := &topicsOptions{state: s}
	cmd := &cobra.Command{
		Use:   "describe NAME|PATTERN...",
		Short: "Describe topics: leaders, replicas, offsets, settings, open transactions",
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.names = args
			return runTopicsDescribe(cmd.Context(), opts)
		},
	}
	opts.flags(cmd)
	return cmd
}

// topicsDescription is the answer as JSON.
type topicsDescription struct {
	Command string        `json:"command"`
	Schema  string        `json:"schema"`
	Topics  []topicDetail `json:"topics"`
}

type topicDetail struct {
	Name       string         `json:"name"`
	Internal   bool           `json:"internal"`
	Partitions []partitionRow `json:"partitions"`
	Configs    []configRow    `json:"configs"`           // what is not Kafka's default
	Open       []openRow      `json:"open_transactions"` // each holds the last stable offset of its partition
}

// partitionRow has no offsets where the partition has no leader.
type partitionRow struct {
	Partition int32   `json:"partition"`
	Leader    int32   `json:"leader"` // -1: none
	Replicas  []int32 `json:"replicas"`
	InSync    []int32 `json:"in_sync"`
	Begin     *int64  `json:"begin,omitempty"`
	End       *int64  `json:"end,omitempty"`
	Stable    *int64  `json:"last_stable_offset,omitempty"`
}

type configRow struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Source string `json:"source"` // who set it: topic or broker
}

type openRow struct {
	Partition       int32  `json:"partition"`
	TransactionalID string `json:"transactional_id,omitempty"`
	ProducerID      int64  `json:"producer_id"`
	ProducerEpoch   int32  `json:"producer_epoch"`
	FirstOffset     int64  `json:"first_offset"`
}

func runTopicsDescribe(ctx context.Context, opts *topicsOptions) error {
	if err := opts.needNames("topics describe"); err != nil {
		return err
	}
	return opts.on(ctx, func(ctx context.Context, r *broker.Reader) error {
		topics, err := opts.find(ctx, r)
		if err != nil {
			return err
		}
		doc := topicsDescription{Command: "topics describe", Schema: topicsSchema}
		var tables []report.Table
		for _, t := range topics {
			detail, err := detailOf(ctx, r, t)
			if err != nil {
				return err
			}
			doc.Topics = append(doc.Topics, detail)
			tables = append(tables, detail.tables()...)
		}
		return opts.write(doc, tables...)
	})
}

func detailOf(ctx context.Context, r *broker.Reader, t broker.TopicInfo) (topicDetail, error) {
	detail := topicDetail{Name: t.Name, Internal: t.Internal, Configs: []configRow{}, Open: []openRow{}}
	for _, p := range t.Partitions {
		row := partitionRow{Partition: p.Partition, Leader: p.Leader, Replicas: p.Replicas, InSync: p.InSync}
		if p.End != broker.Unknown {
			row.Begin, row.End, row.Stable = &p.Begin, &p.End, &p.Stable
		}
		detail.Partitions = append(detail.Partitions, row)
	}
	configs, err := r.TopicConfigs(ctx, t.Name)
	if err != nil {
		return detail, err
	}
	for _, c := range configs {
		detail.Configs = append(detail.Configs, configRow(c))
	}
	open, err := r.OpenTransactions(ctx, t)
	if err != nil {
		return detail, err
	}
	for _, o := range open {
		detail.Open = append(detail.Open, openRow{
			Partition: o.Partition, TransactionalID: o.TransactionalID,
			ProducerID: o.ProducerID, ProducerEpoch: o.ProducerEpoch, FirstOffset: o.First,
		})
	}
	return detail, nil
}

func (d topicDetail) tables() []report.Table {
	partitions := report.Table{
		Title: d.Name,
		Columns: []report.Column{
			{Name: "partition", Figure: true}, {Name: "leader", Figure: true}, {Name: "replicas"}, {Name: "in sync"},
			{Name: "begin", Figure: true}, {Name: "end", Figure: true}, {Name: "last stable", Figure: true},
		},
	}
	for _, p := range d.Partitions {
		row := []string{fmt.Sprint(p.Partition), "none", nodesText(p.Replicas), nodesText(p.InSync), "-", "-", "-"}
		if p.Leader >= 0 {
			row[1] = fmt.Sprint(p.Leader)
		}
		if p.End != nil {
			row[4], row[5], row[6] = fmt.Sprint(*p.Begin), fmt.Sprint(*p.End), fmt.Sprint(*p.Stable)
		}
		partitions.Rows = append(partitions.Rows, row)
	}
	all := []report.Table{partitions}
	for _, more := range []report.Table{d.configTable(), d.openTable()} {
		if len(more.Rows) > 0 {
			all = append(all, more)
		} else {
			all[0].Notes = append(all[0].Notes, more.Notes...)
		}
	}
	return all
}

func (d topicDetail) configTable() report.Table {
	t := report.Table{Columns: []report.Column{{Name: "setting"}, {Name: "value"}, {Name: "set by"}}}
	for _, c := range d.Configs {
		t.Rows = append(t.Rows, []string{c.Name, c.Value, c.Source})
	}
	if len(d.Configs) == 0 {
		t.Notes = []string{"every setting is Kafka's default"}
	}
	return t
}

func (d topicDetail) openTable() report.Table {
	t := report.Table{Columns: []report.Column{
		{Name: "open transaction"}, {Name: "partition", Figure: true}, {Name: "first offset", Figure: true},
		{Name: "producer id", Figure: true}, {Name: "epoch", Figure: true},
	}}
	for _, o := range d.Open {
		t.Rows = append(t.Rows, []string{
			cmp.Or(o.TransactionalID, "(no coordinator knows it)"), fmt.Sprint(o.Partition), fmt.Sprint(o.FirstOffset),
			fmt.Sprint(o.ProducerID), fmt.Sprint(o.ProducerEpoch),
		})
	}
	if len(d.Open) == 0 {
		t.Notes = []string{"no transaction is open"}
	}
	return t
}

func nodesText(ids []int32) string {
	return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(ids), "[]")), ",")
}
