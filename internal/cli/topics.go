package cli

import (
	"bytes"
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

	broker        string
	bootstrap     string
	commandConfig string
	timeout       time.Duration
	output        output
	servers       []string // --broker or --bootstrap-servers, read
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
	f.StringVar(&o.broker, "broker", "", "`HOST:PORT,...` of the cluster (default "+defaultServer+")")
	f.StringVar(&o.bootstrap, "bootstrap-servers", "", "`HOST:PORT,...`, the same as --broker")
	f.StringVar(&o.commandConfig, "command-config", "", "properties `file` with security settings for the cluster, librdkafka's or Java's key names")
	f.DurationVar(&o.timeout, "timeout", time.Minute, "give up after this time")
	f.StringVar(&o.output.format, "format", formatText, "text, markdown or json")
	f.StringVarP(&o.output.file, "output", "o", "", "write to this `file` instead of stdout")
}

// defaultServer is where kcompare broker listens.
const defaultServer = "127.0.0.1:9092"

func (o *topicsOptions) check() (err error) {
	switch {
	case o.broker != "" && o.bootstrap != "":
		return usagef("--broker=%s and --bootstrap-servers=%s: give one of them", o.broker, o.bootstrap)
	case o.timeout <= 0:
		return usagef("--timeout=%v: expected more than 0", o.timeout)
	case o.bootstrap != "":
		o.servers, err = servers("bootstrap-servers", o.bootstrap)
	case o.broker != "":
		o.servers, err = servers("broker", o.broker)
	default:
		o.servers = []string{defaultServer}
	}
	if err != nil {
		return err
	}
	return o.output.check()
}

// on checks the flags and lets do work on the cluster, for as long as --timeout says.
func (o *topicsOptions) on(ctx context.Context, do func(context.Context, *broker.Reader) error) error {
	if err := o.check(); err != nil {
		return err
	}
	in, err := o.state.entrance(o.commandConfig)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, o.timeout, fmt.Errorf("not done within %v (--timeout)", o.timeout))
	defer cancel()
	r, err := reach(ctx, o.servers, in.access)
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

// reachTime bounds the first question to a cluster.
const reachTime = 10 * time.Second

// reach makes a reader of a cluster that answers.
func reach(ctx context.Context, servers []string, access broker.Access) (*broker.Reader, error) {
	r, err := broker.NewReader(seeds(servers), access)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	if err := r.Ping(ctx); err != nil {
		r.Close()
		return nil, fmt.Errorf("no broker answers at %s (`kcompare broker` serves one): %w", strings.Join(servers, ","), err)
	}
	return r, nil
}

// seeds are addresses by ids that stand for no node. The first one has the lowest.
func seeds(servers []string) map[int32]string {
	addrs := map[int32]string{}
	for i, addr := range servers {
		addrs[int32(i-len(servers))] = addr
	}
	return addrs
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
	case len(all) == 0:
		return usagef("unknown topic %q: the cluster has none", name)
	}
	var known []string
	for _, t := range all {
		known = append(known, t.Name)
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
	var b bytes.Buffer
	var err error
	switch o.output.format {
	case formatJSON:
		err = writeJSON(&b, doc)
	case formatMarkdown:
		err = report.MarkdownTables(&b, tables...)
	default:
		err = report.TextTables(&b, tables...)
	}
	if err != nil {
		return err
	}
	return o.output.put(o.state, b.Bytes())
}
