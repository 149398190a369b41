package cli

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"kcompare/internal/broker"
	"kcompare/internal/security"
	"kcompare/internal/trial"
)

// siteOptions say where on a cluster a run may put what it makes. What only makes
// sense on a cluster of the user's own is refused elsewhere.
type siteOptions struct {
	bootstrap     string // --bootstrap-servers
	commandConfig string
	prefix        string
	topic         string
	keep          bool
	dryRun        bool
	replicas      int16
	topicConfig   []string

	servers []string      // of the user's own cluster; nil for others
	access  broker.Access // what it takes to get in there
	site    *trial.Site   // that all trials share; nil: an embedded broker each
}

func (o *siteOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.bootstrap, "bootstrap-servers", "", "`HOST:PORT,...` of a cluster of your own, the same as --broker=HOST:PORT,...")
	f.StringVar(&o.commandConfig, "command-config", "", "properties `file` with security settings for that cluster, librdkafka's or Java's key names")
	f.StringVar(&o.prefix, "prefix", trial.DefaultPrefix, "begins the name of every topic, group and transactional id")
	f.StringVar(&o.topic, "topic", "", "`name` of the topic instead of one by scenario (cluster of your own)")
	f.BoolVar(&o.keep, "keep", false, "leave the topics, for looking at them (cluster of your own)")
	f.BoolVar(&o.dryRun, "dry-run", false, "say which topics, groups and ids would be made, and stop there")
	f.Int16Var(&o.replicas, "replication-factor", 0, "of every topic (0, the default: 3, or one a node if there are fewer; cluster of your own)")
	f.StringArrayVar(&o.topicConfig, "topic-config", nil, "`key=value` of every topic (repeatable; cluster of your own)")
}

// legalName is what Kafka takes as the name of a topic; groups and ids may be more,
// but need not.
var legalName = regexp.MustCompile(`^[a-zA-Z0-9._-]{1,200}$`)

func (o *siteOptions) check(own bool) error {
	if err := o.checkNames(); err != nil {
		return err
	}
	switch {
	case o.replicas < 0 || o.replicas > 100:
		return usagef("--replication-factor=%d: expected 1 to 100", o.replicas)
	case own:
		return nil
	}
	for flag, given := range map[string]bool{
		"command-config": o.commandConfig != "", "topic": o.topic != "", "keep": o.keep,
		"replication-factor": o.replicas != 0, "topic-config": len(o.topicConfig) > 0,
	} {
		if given {
			return usagef("--%s: only with a cluster of your own, --broker=HOST:PORT", flag)
		}
	}
	return nil
}

func (o *siteOptions) checkNames() error {
	switch {
	case !legalName.MatchString(o.prefix):
		return usagef("--prefix=%s: expected up to 200 letters, digits, dots, hyphens and underscores", o.prefix)
	case o.topic != "" && !legalName.MatchString(o.topic):
		return usagef("--topic=%s: expected up to 200 letters, digits, dots, hyphens and underscores", o.topic)
	case o.topic != "" && !strings.HasPrefix(o.topic, o.prefix):
		return usagef("--topic=%s: a run writes only to names that start with %s; choose such a name, or allow this one with --prefix=%s", o.topic, o.prefix, o.topic)
	}
	return nil
}

// newSite is the user's own cluster before anybody has connected to it.
func (o *runOptions) newSite() (*trial.Site, error) {
	config, err := pairs(o.topicConfig)
	if err != nil {
		return nil, usagef("--topic-config: expected key=value, each key once")
	}
	site := &trial.Site{
		Run:      strconv.FormatInt(o.state.Now().UnixMilli(), 36),
		Replicas: o.replicas, TopicConfig: config, Keep: o.keep, Remains: &trial.Remains{},
	}
	return site, o.secure(site)
}

// secure lets clients in through the proxy: where the cluster speaks TLS, they speak it
// with the proxy, by an authority that is made for this run.
func (o *runOptions) secure(site *trial.Site) error {
	in, err := o.state.entrance(o.commandConfig)
	if err != nil || in.client == nil {
		return err
	}
	authority, err := security.NewAuthority(o.state.Now())
	if err != nil {
		return err
	}
	o.access = in.access
	site.Security, site.BrokerTLS = authority.ThroughProxy(in.client), in.access.TLS
	if in.access.TLS != nil {
		site.ClientTLS = authority.Server
	}
	return nil
}

// announce says what a run makes on a cluster that is not its own.
func (o *runOptions) announce(specs []trial.Spec) {
	names := plannedNames(specs)
	fmt.Fprintf(o.state.Stderr, "kcompare: on %s this run makes %s%s; --dry-run lists them\n",
		strings.Join(o.servers, ","), names.inShort(), o.whatStays())
}

func (o *runOptions) whatStays() string {
	if o.keep {
		return ", and leaves the topics there (--keep)"
	}
	return ", and removes topics and groups again"
}

// reportRemains lists what is still on the cluster.
func (o *runOptions) reportRemains() {
	if o.servers == nil {
		return
	}
	left := o.site.Remains.List()
	if len(left) == 0 {
		return
	}
	why := "could not be removed"
	if o.keep {
		why = "kept"
	}
	fmt.Fprintf(o.state.Stderr, "kcompare: still on %s (%s):\n", strings.Join(o.servers, ","), why)
	for _, what := range left {
		fmt.Fprintf(o.state.Stderr, "  %s\n", what)
	}
	for _, reason := range o.site.Remains.Reasons() {
		fmt.Fprintf(o.state.Stderr, "kcompare: %s\n", reason)
	}
	fmt.Fprintf(o.state.Stderr, "kcompare: `kcompare topics delete --broker=%s NAME...` removes topics\n", strings.Join(o.servers, ","))
}
