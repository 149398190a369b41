package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"kcompare/internal/broker"
	"kcompare/internal/report"
)

func newTopicsCount(s *State) *cobra.Command {
	opts := &topicsOptions{state: s}
	cmd := &cobra.Command{
		Use:   "count NAME|PATTERN...",
		Short: "Count records by reading the log: data, aborted, markers",
		Long: `count reads every partition from its first offset to its end, batch by batch, and
tells what the offsets alone do not: how many of them are records, how many of
those belong to aborted transactions or to ones that nobody has ended, and how many
are markers of transactions. It waits for no transaction. What is missing to the
offsets was removed by compaction.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.names = args
			return runTopicsCount(cmd.Context(), opts)
		},
	}
	opts.flags(cmd)
	return cmd
}

// topicsCount is the answer as JSON.
type topicsCount struct {
	Command    string     `json:"command"`
	Schema     string     `json:"schema"`
	Partitions []countRow `json:"partitions"`
	Total      countRow   `json:"total"`
}

// countRow is one partition, or the sum of all.
type countRow struct {
	Topic     string `json:"topic,omitempty"`
	Partition *int32 `json:"partition,omitempty"`
	Begin     *int64 `json:"begin,omitempty"`
	End       *int64 `json:"end,omitempty"`
	Offsets   int64  `json:"offsets"`
	Records   int64  `json:"records"` // data records
	Aborted   int64  `json:"aborted"` // of them: of aborted transactions
	Open      int64  `json:"open"`    // of them: of transactions that have not ended
	Markers   int64  `json:"markers"` // control records
}

func runTopicsCount(ctx context.Context, opts *topicsOptions) error {
	if err := opts.needNames("topics count"); err != nil {
		return err
	}
	return opts.on(ctx, func(ctx context.Context, r *broker.Reader) error {
		topics, err := opts.find(ctx, r)
		if err != nil {
			return err
		}
		doc := topicsCount{Command: "topics count", Schema: topicsSchema, Partitions: []countRow{}}
		for _, t := range topics {
			counts, err := r.CountRecords(ctx, t)
			if err != nil {
				return err
			}
			for _, c := range counts {
				doc.add(c)
			}
		}
		return opts.write(doc, doc.table())
	})
}

func (d *topicsCount) add(c broker.RecordCount) {
	row := countRow{
		Topic: c.Topic, Partition: &c.Partition, Begin: &c.Begin, End: &c.End, Offsets: c.End - c.Begin,
		Records: c.Data, Aborted: c.Aborted, Open: c.Open, Markers: c.Control,
	}
	d.Partitions = append(d.Partitions, row)
	d.Total.Offsets += row.Offsets
	d.Total.Records += row.Records
	d.Total.Aborted += row.Aborted
	d.Total.Open += row.Open
	d.Total.Markers += row.Markers
}

func (d *topicsCount) table() report.Table {
	t := report.Table{Columns: []report.Column{
		{Name: "topic"}, {Name: "partition", Figure: true}, {Name: "begin", Figure: true}, {Name: "end", Figure: true},
		{Name: "offsets", Figure: true}, {Name: "records", Figure: true}, {Name: "aborted", Figure: true}, {Name: "open", Figure: true}, {Name: "markers", Figure: true},
	}}
	for _, row := range d.Partitions {
		t.Rows = append(t.Rows, append([]string{row.Topic, fmt.Sprint(*row.Partition), fmt.Sprint(*row.Begin), fmt.Sprint(*row.End)}, row.figures()...))
	}
	t.Rows = append(t.Rows, append([]string{"total", "", "", ""}, d.Total.figures()...))
	return t
}

func (r countRow) figures() []string {
	return []string{fmt.Sprint(r.Offsets), fmt.Sprint(r.Records), fmt.Sprint(r.Aborted), fmt.Sprint(r.Open), fmt.Sprint(r.Markers)}
}
