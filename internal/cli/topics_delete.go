package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"kcompare/internal/broker"
	"kcompare/internal/report"
	"kcompare/internal/trial"
)

type topicsDeleteOptions struct {
	topicsOptions
	prefix string
	any    bool
	dryRun bool
}

func newTopicsDelete(s *State) *cobra.Command {
	opts := &topicsDeleteOptions{topicsOptions: topicsOptions{state: s}}
	cmd := &cobra.Command{
		Use:   "delete NAME|PATTERN...",
		Short: "Delete topics whose names start with the prefix",
		Long: `delete removes topics and their records, and waits until every node has forgotten
them. It refuses names that do not start with --prefix, unless --any is given, and
it removes all that it was asked for or, where something is refused, nothing.

Exit code 1: something is left behind; it is named, with the reason.`,
		Example: `  kcompare topics delete 'kcompare-*' --dry-run
  kcompare topics delete orders payments --any`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.names = args
			return runTopicsDelete(cmd.Context(), opts)
		},
	}
	opts.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&opts.prefix, "prefix", trial.DefaultPrefix, "begins the names that may be deleted")
	f.BoolVar(&opts.any, "any", false, "names that start otherwise, too")
	f.BoolVar(&opts.dryRun, "dry-run", false, "say what would be deleted, and stop there")
	return cmd
}

// topicsDeletion is the answer as JSON. With dry_run the deleted ones are those that
// would be.
type topicsDeletion struct {
	Command string       `json:"command"`
	Schema  string       `json:"schema"`
	DryRun  bool         `json:"dry_run"`
	Deleted []string     `json:"deleted"`
	Left    []leftBehind `json:"left"`
}

type leftBehind struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

func runTopicsDelete(ctx context.Context, opts *topicsDeleteOptions) error {
	if err := opts.needNames("topics delete"); err != nil {
		return err
	}
	if opts.prefix == "" {
		return usagef("--prefix=: expected the beginning of names; --any deletes whatever is named")
	}
	return opts.on(ctx, func(ctx context.Context, r *broker.Reader) error {
		all, err := r.Topics(ctx)
		if err != nil {
			return err
		}
		topics, err := chosen(all, opts.names)
		if err != nil {
			return err
		}
		if err := opts.allow(topics); err != nil {
			return err
		}
		return opts.remove(ctx, r, topics)
	})
}

// allow refuses all of it because of one name.
func (o *topicsDeleteOptions) allow(topics []broker.TopicInfo) error {
	var outside []string
	for _, t := range topics {
		if !strings.HasPrefix(t.Name, o.prefix) {
			outside = append(outside, t.Name)
		}
	}
	if len(outside) == 0 || o.any {
		return nil
	}
	return usagef("topics delete: %s: the name does not start with %s: nothing was deleted; --any allows it", strings.Join(outside, ", "), o.prefix)
}

func (o *topicsDeleteOptions) remove(ctx context.Context, r *broker.Reader, topics []broker.TopicInfo) error {
	names := make([]string, len(topics))
	for i, t := range topics {
		names[i] = t.Name
	}
	doc := topicsDeletion{Command: "topics delete", Schema: topicsSchema, DryRun: o.dryRun, Deleted: []string{}, Left: []leftBehind{}}
	if o.dryRun {
		doc.Deleted = names
		return o.write(doc, doc.tables()...)
	}
	left, failure := r.RemoveTopics(ctx, names)
	if left == nil {
		return failure
	}
	for _, name := range names {
		if reason := left[name]; reason != nil {
			doc.Left = append(doc.Left, leftBehind{name, reason.Error()})
		} else {
			doc.Deleted = append(doc.Deleted, name)
		}
	}
	if err := o.write(doc, doc.tables()...); err != nil {
		return err
	}
	if failure == nil && len(doc.Left) > 0 {
		failure = fmt.Errorf("topics delete: %s left behind", counted(len(doc.Left), "topic"))
	}
	return failure
}

func (d topicsDeletion) tables() []report.Table {
	name := "deleted"
	if d.DryRun {
		name = "would be deleted"
	}
	deleted := report.Table{Columns: []report.Column{{Name: name}}}
	for _, topic := range d.Deleted {
		deleted.Rows = append(deleted.Rows, []string{topic})
	}
	left := report.Table{Columns: []report.Column{{Name: "left behind"}, {Name: "reason"}}}
	for _, l := range d.Left {
		left.Rows = append(left.Rows, []string{l.Name, l.Reason})
	}
	switch {
	case len(d.Left) == 0:
		return []report.Table{deleted}
	case len(d.Deleted) == 0:
		return []report.Table{left}
	}
	return []report.Table{deleted, left}
}
