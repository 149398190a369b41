package broker

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"kcompare/internal/evidence"
)

// DefaultKafkaVersion is the release that runs when none is asked for.
const DefaultKafkaVersion = "4.4.0"

// startingTime bounds what is between the jars and a cluster that answers: 5 s
// for three nodes on an idle machine with two cores.
const startingTime = 2 * time.Minute

// KafkaOptions says which Apache Kafka to start, and with what of this machine.
type KafkaOptions struct {
	Nodes    int               // 1 or 3, each both broker and controller
	Version  string            // a release from 3.9 on; "" is that of KAFKA_HOME, DefaultKafkaVersion without it
	Features map[string]int16  // levels to format with, such as transaction.version 0; the rest is the release's default
	Settings map[string]string // lines of server.properties on every node, beside or instead of those that are always set
	Secure   []Listener        // beside the plaintext one, on ports of their own
	Ports    []int             // of the plaintext listener, by node id; 0, or what is missing: a free one
	Dir      string            // the private directory is made here; "" is the system's directory for temporary files
	Cache    string            // jars are kept here; "" is kcompare in the user's cache directory
	Env      []string          // KEY=value; PATH, JAVA_HOME, KAFKA_HOME and what java and mvn look at; nil is this process's
	Progress func(string)      // told, before it begins, of what may take minutes; may be nil

	// Sustained is for a broker that is measured: Java's own compilers and collector and
	// 1 GiB of heap, in place of what makes a node start quickly and small.
	Sustained bool
}

// port is that of a node's plaintext listener.
func (o KafkaOptions) port(node int32) int {
	if int(node) < len(o.Ports) {
		return o.Ports[node]
	}
	return anyPort
}

// Listener is one more way into a Kafka that is started here. What its protocol
// needs (key stores, login modules) stands in KafkaOptions.Settings, under
// listener.name.<name in lower case>.
type Listener struct {
	Name     string // SECURE, in capitals
	Protocol string // SSL, SASL_PLAINTEXT, SASL_SSL
}

// withDefaults fills in what depends on this process.
func (o KafkaOptions) withDefaults() (KafkaOptions, error) {
	if o.Dir == "" {
		o.Dir = os.TempDir()
	}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	if o.Cache == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return o, fmt.Errorf("find a place for the jars: %w", err)
		}
		o.Cache = filepath.Join(cache, "kcompare")
	}
	return o, nil
}

// Kafka is a KRaft cluster of Apache Kafka servers, a child process each. On
// Linux none of them outlives this process, however it ends; elsewhere the next
// CleanKafka stops those that did.
type Kafka struct {
	version  string
	dir      string // private, removed at the end
	children *children
	changes  *changes
	own      *peers            // connections of this package, to look after the cluster
	vm       jvm               // starts servers
	settings map[string]string // KafkaOptions.Settings

	mu     sync.Mutex // guards detach and what changes of nodes
	nodes  []*node
	detach func() bool

	closing  sync.Once
	closeErr error
}

var _ Cluster = (*Kafka)(nil)

// StartKafka starts nodes 0 to Nodes-1 on ports of 127.0.0.1 and returns when every
// node knows every other and all coordinators answer. The end of ctx closes the
// cluster, also later. An error in one line says what to install; one of a server
// ends in the last lines of its log; one of a port that is taken has
// syscall.EADDRINUSE in it.
//
// It cleans up after earlier runs first (CleanKafka), and downloads jars that are
// neither in KAFKA_HOME nor in the cache.
func StartKafka(ctx context.Context, opts KafkaOptions) (*Kafka, error) {
	k, err := startKafka(ctx, opts)
	if err != nil {
		return nil, fmt.Errorf("start Apache Kafka: %w", err)
	}
	return k, nil
}

func startKafka(ctx context.Context, opts KafkaOptions) (*Kafka, error) {
	if opts.Nodes != 1 && opts.Nodes != 3 {
		return nil, fmt.Errorf("%d nodes: expected 1 or 3", opts.Nodes)
	}
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := CleanKafka(ctx, opts.Dir); err != nil {
		return nil, err
	}
	dir, err := claimDir(opts.Dir, kafkaDirs)
	if err != nil {
		return nil, err
	}
	k := newKafka(dir)
	k.settings = opts.Settings
	if err := k.start(ctx, opts); err != nil {
		return nil, joined([]error{err, k.Close()})
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.detach = context.AfterFunc(ctx, func() { _ = k.Close() })
	return k, nil
}

// newKafka has a private directory and no nodes yet.
func newKafka(dir string) *Kafka {
	return &Kafka{dir: dir, children: newChildren(dir), changes: newChanges(), own: &peers{}}
}

func (k *Kafka) start(ctx context.Context, opts KafkaOptions) error {
	java, err := findJava(ctx, k.children, opts.Env)
	if err != nil {
		return err
	}
	jars, err := findJars(ctx, opts)
	if err != nil {
		return err
	}
	if err := java.canRun(jars.version); err != nil {
		return err
	}
	k.version = jars.version
	vm := jvm{java: java.path, libs: jars.dir, env: opts.Env}
	if jars.cached && java.archives() {
		if vm, err = withArchive(ctx, opts, vm, java); err != nil {
			return err
		}
	}
	server := vm
	server.sustained = opts.Sustained
	return k.boot(ctx, vm, server, opts)
}

// boot formats and starts nodes and waits until they answer.
func (k *Kafka) boot(ctx context.Context, tool, server jvm, opts KafkaOptions) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, startingTime, fmt.Errorf("not up within %v", startingTime))
	defer cancel()
	if k.nodes, err = newNodes(k.dir, opts); err != nil {
		return err
	}
	if err := format(ctx, k.children, tool, k.nodes, opts.Features); err != nil {
		return err
	}
	k.vm = server
	for _, n := range k.nodes {
		if err := n.start(k.children, server); err != nil {
			return err
		}
	}
	return k.await(ctx)
}

// Info says what runs, in the words of its jars.
func (k *Kafka) Info() evidence.Broker {
	return evidence.Broker{Kind: "kafka", Software: "Apache Kafka " + k.version, Nodes: len(k.nodes)}
}

// Addrs has every node's own address. It follows a restart; a dead node has its last
// one.
func (k *Kafka) Addrs() map[int32]string {
	k.mu.Lock()
	defer k.mu.Unlock()
	addrs := map[int32]string{}
	for _, n := range k.nodes {
		addrs[n.id] = n.client.addr()
	}
	return addrs
}

// ListenerAddrs has every node's address for a listener of KafkaOptions.Secure. It
// is empty for a name that was not among them.
func (k *Kafka) ListenerAddrs(name string) map[int32]string {
	k.mu.Lock()
	defer k.mu.Unlock()
	addrs := map[int32]string{}
	for _, n := range k.nodes {
		for _, l := range n.secure {
			if l.Name == name {
				addrs[n.id] = l.port.addr()
			}
		}
	}
	return addrs
}

// Processes are the ids of the servers' processes, for whoever measures what they cost.
// One that was started again has another id.
func (k *Kafka) Processes() []int {
	k.mu.Lock()
	defer k.mu.Unlock()
	var pids []int
	for _, n := range k.nodes {
		if n.server != nil {
			pids = append(pids, n.server.Cmd.Process.Pid)
		}
	}
	return pids
}

// Access is the zero value: Addrs has the plaintext listener.
func (k *Kafka) Access() Access { return Access{} }

// Close kills every node, waits for its end and removes the directory with all
// that was written. Further calls return what the first one did.
func (k *Kafka) Close() error {
	k.closing.Do(func() { k.closeErr = k.close() })
	return k.closeErr
}

func (k *Kafka) close() error {
	k.mu.Lock()
	detach := k.detach
	k.mu.Unlock()
	if detach != nil {
		detach()
	}
	k.changes.stop() // from here on nobody starts a server
	for _, n := range k.nodes {
		n.kill() // all of them before the wait: nobody is left to elect a leader
	}
	for _, n := range k.nodes {
		n.close()
	}
	k.children.close()
	return os.RemoveAll(k.dir)
}
