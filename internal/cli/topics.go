package cli

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kcompare/internal/broker"
	"kcompare/internal/report"
	"kcompare/internal/trial"
)

// topicsSchema is that of what the topics commands print as JSON; command says which.
const topicsSchema = "kcompare/topics/v1"

// topicsOptions is what the topics commands have in common.
type topicsOptions struct {
	state *State
	names []string

	there
	timeout time.Duration
	output  output
}

func newTopics(s *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "topics list|count|describe|delete",
		Short: "Look at the topics of a cluster, count their records, delete them",
		Long: `topics looks at a running cluster: one of your own, or one that kcompare broker
serves. It changes nothing but what delete is asked to remove.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknown("command", args[0], commandNames(cmd))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newTopicsList(s), newTopicsCount(s), newTopicsDescribe(s), newTopicsDelete(s))
	return cmd
}

// flags are those that every topics command has.
func (o *topicsOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	o.there.flags(f)
	f.DurationVar(&o.timeout, "timeout", time.Minute, "give up after this time")
	f.StringVar(&o.output.format, "format", formatText, "text, markdown or json")
	f.StringVarP(&o.output.file, "output", "o", "", "write to this `file` instead of stdout")
}

func (o *topicsOptions) check() error {
	if o.timeout <= 0 {
		return usagef("--timeout=%v: expected more than 0", o.timeout)
	}
	if err := o.there.check(); err != nil {
		return err
	}
	return o.output.check()
}

// on checks the flags and lets do work on the cluster, for as long as --timeout says.
func (o *topicsOptions) on(ctx context.Context, do func(context.Context, *broker.Reader) error) error {
	if err := o.check(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, o.timeout, fmt.Errorf("not done within %v (--timeout)", o.timeout))
	defer cancel()
	r, err := o.connect(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	err = do(ctx, r)
	if cause := context.Cause(ctx); err != nil && cause != nil && ctx.Err() == context.DeadlineExceeded {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}

func (o *topicsOptions) connect(ctx context.Context) (*broker.Reader, error) {
	in, err := o.state.entrance(o.commandConfig)
	if err != nil {
		return nil, err
	}
	cluster, err := broker.ConnectExternal(ctx, o.servers, in.access)
	if err != nil {
		return nil, err
	}
	return broker.NewReader(cluster.Addrs(), cluster.Access())
}

// find describes the topics that names ask for, with their offsets. Other topics of the
// cluster, which may be many or without a leader, are not asked for any.
func (o *topicsOptions) find(ctx context.Context, r *broker.Reader) ([]broker.TopicInfo, error) {
	all, err := r.Topics(ctx)
	if err != nil {
		return nil, err
	}
	topics, err := chosen(all, o.names)
	if err != nil {
		return nil, err
	}
	return topics, r.LookUpOffsets(ctx, topics)
}

// chosen are the topics that names ask for, each once: a name, or a pattern such as
// 'kcompare-*', which never means an internal topic.
func chosen(all []broker.TopicInfo, names []string) ([]broker.TopicInfo, error) {
	asked := map[string]bool{}
	for _, name := range names {
		found := matching(all, name)
		if len(found) == 0 {
			return nil, noSuchTopic(name, all)
		}
		for _, t := range found {
			asked[t.Name] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(t broker.TopicInfo) bool { return !asked[t.Name] }), nil
}

// isPattern: these letters stand in no name of a topic.
func isPattern(name string) bool { return strings.ContainsAny(name, "*?[") }

func matching(all []broker.TopicInfo, name string) []broker.TopicInfo {
	var found []broker.TopicInfo
	for _, t := range all {
		matches, _ := path.Match(name, t.Name) // a pattern that is none matches nothing
		if t.Name == name || isPattern(name) && matches && !t.Internal {
			found = append(found, t)
		}
	}
	return found
}

func noSuchTopic(name string, all []broker.TopicInfo) error {
	switch {
	case isPattern(name):
		return usagef("no topic matches %s", name)
	case !slices.ContainsFunc(all, func(t broker.TopicInfo) bool { return !t.Internal }):
		return usagef("unknown topic %q: the cluster has none that this user can see", name)
	}
	var known []string
	for _, t := range all {
		if !t.Internal {
			known = append(known, t.Name)
		}
	}
	const few = 20 // a cluster may have thousands
	if near := unknown("topic", name, known); len(known) <= few || !strings.Contains(near.Error(), ": expected ") {
		return near
	}
	return usagef("unknown topic %q: `kcompare topics list` lists them", name)
}

// needNames refuses a command without names.
func (o *topicsOptions) needNames(command string) error {
	if len(o.names) == 0 {
		return usagef("%s: expected names of topics, or patterns such as '%s*'", command, trial.DefaultPrefix)
	}
	return nil
}

// write prints the document as JSON, or its tables.
func (o *topicsOptions) write(doc any, tables ...report.Table) error {
	return o.output.writeTables(o.state, doc, tables...)
}
