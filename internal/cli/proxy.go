package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kcompare/internal/broker"
	"kcompare/internal/fault"
	"kcompare/internal/planfile"
	"kcompare/internal/proxy"
)

type proxyOptions struct {
	state *State

	there
	listen  string
	plan    string
	example bool
	trace   string
	seed    int64
	format  string
}

func newProxy(s *State) *cobra.Command {
	opts := &proxyOptions{state: s}
	cmd := &cobra.Command{
		Use:   "proxy",
		Short: "Put the fault proxy in front of a cluster until Ctrl-C",
		Long: `proxy stands in front of every node of a cluster: clients that connect to its
address are kept to it, because it rewrites the addresses that brokers tell. It
records each request, and does to them what a fault plan says.

The address for bootstrap.servers goes to stdout in a line of its own (to stderr with
another format than text), each fault to stderr in a line when it happens: time
since the start, rule, action, API, client, and which request it was. After Ctrl-C a
summary of requests by client, API and fault goes to stdout.

Clients speak plain text with the proxy. Where the cluster wants TLS, the proxy
speaks it (--command-config); a client's own SASL login passes through.

Rules for Produce have to count requests, by nth or first: what decides record by
record are headers that only the clients of kcompare run write. Rules that change
the cluster are refused.

Exit code: 0 after Ctrl-C, which is how it ends; 1 if it could not be started, or
the trace could not be written; 4 if there was traffic that it could not read; 130
if it was interrupted before it stood.`,
		Example: `  kcompare proxy --bootstrap-servers=127.0.0.1:9092 --trace=trace.jsonl
  kcompare proxy --plan-example > plan.yaml
  kcompare proxy --bootstrap-servers=127.0.0.1:9092 --plan=plan.yaml --seed=7`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runProxy(cmd.Context(), opts) },
	}
	f := cmd.Flags()
	opts.flags(f)
	f.StringVar(&opts.listen, "listen", "127.0.0.1:9192", "`HOST:PORT` that stands for the first server, port 0 for a free one; others have free ones")
	f.StringVar(&opts.plan, "plan", "", "fault plan, a YAML `file`")
	f.BoolVar(&opts.example, "plan-example", false, "print a fault plan with comments that has everything in it, and stop there")
	f.StringVar(&opts.trace, "trace", "", "write each request into this `file`, as JSON lines")
	f.Int64Var(&opts.seed, "seed", 1, "decides where rules with a probability strike")
	f.StringVar(&opts.format, "format", formatText, "of the summary: text, markdown or json")
	return cmd
}

func runProxy(ctx context.Context, opts *proxyOptions) error {
	if opts.example {
		_, err := fmt.Fprint(opts.state.Stdout, planfile.Example())
		return err
	}
	port, err := opts.check()
	if err != nil {
		return err
	}
	plan, err := opts.readPlan()
	if err != nil {
		return err
	}
	in, err := opts.state.entrance(opts.commandConfig)
	if err != nil {
		return err
	}
	if err := broker.FindExternal(ctx, opts.servers, in.access); err != nil {
		return err
	}
	return opts.serve(ctx, port, plan, in.access)
}

func (o *proxyOptions) check() (port int, err error) {
	if err := oneOf("format", o.format, formatText, formatMarkdown, formatJSON); err != nil {
		return 0, err
	}
	if err := o.there.check(); err != nil {
		return 0, err
	}
	if port, err = listenPort(o.listen); err != nil {
		return 0, err
	}
	if slices.Contains(o.servers, loopbackAddr(port)) {
		return 0, usagef("--listen=%s: the cluster itself is there, by --bootstrap-servers=%s: choose another port", o.listen, strings.Join(o.servers, ","))
	}
	return port, nil
}

func loopbackAddr(port int) string { return loopback + ":" + strconv.Itoa(port) }

// serve runs the proxy until ctx ends, and sums up.
func (o *proxyOptions) serve(ctx context.Context, port int, plan fault.Plan, access broker.Access) error {
	log, err := o.openLog()
	if err != nil {
		return err
	}
	began := o.state.Now()
	p, err := proxy.Start(proxy.Options{
		Upstreams: o.seeds(), BrokerTLS: access.TLS,
		Listen: loopbackAddr(port), Roles: rolesOf(plan), TransactionalIDs: idsOf(plan),
		Engine: fault.NewEngine(plan, o.seed),
		Clock:  func() time.Duration { return o.state.Now().Sub(began) },
		// Nobody asks for a trace in memory, or for the records of stock clients.
		LongLived: true, Keep: 1, HeadersOnly: true,
		OnFault: log.fault, OnExchange: log.exchange,
	})
	if err != nil {
		return errors.Join(err, log.close())
	}
	bootstrap := p.Bootstrap()
	o.announce(bootstrap, log)
	select {
	case <-ctx.Done():
	case <-log.failed():
	}
	failure := errors.Join(p.Close(), log.close()) // in this order: Close settles requests that are under way
	return cmp.Or(failure, o.sumUp(bootstrap, plan, p.Observed(), log))
}

// announce writes to stderr through the log, which may be writing already.
func (o *proxyOptions) announce(bootstrap string, log *proxyLog) {
	log.tell(fmt.Sprintf("kcompare: in front of %s until Ctrl-C\n", strings.Join(o.servers, ",")))
	if o.format == formatText {
		fmt.Fprintln(o.state.Stdout, bootstrap)
	} else { // stdout is one document then
		log.tell(bootstrap + "\n")
	}
}
