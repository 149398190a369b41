package broker

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// jvm starts classes of Kafka in the java that was found.
type jvm struct {
	java  string   // the program
	libs  string   // directory of jars
	env   []string // for the child
	flags []string // beside those of command

	sustained bool // it is there to work, not to start quickly
}

// command is java for a class with everything private to dir. Nobody lets this
// JVM end by itself, so it must leave nothing elsewhere: no performance data and
// no unpacked native libraries in the system's directory for temporary files.
func (vm jvm) command(dir, class string, args ...string) *exec.Cmd {
	cmd := exec.Command(vm.java, slices.Concat(vm.machine(), []string{
		"-XX:-UsePerfData", "-Djava.io.tmpdir=" + dir,
		"-Dorg.slf4j.simpleLogger.showDateTime=true", "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
		"-Dorg.apache.logging.log4j.level=INFO",                              // the logger that KAFKA_HOME has
		"-Dorg.slf4j.simpleLogger.log.kafka.network.DataPlaneAcceptor=debug", // for Peers
	}, vm.flags, []string{"-cp", filepath.Join(vm.libs, "*"), class}, args)...)
	cmd.Dir, cmd.Env = dir, vm.env
	return cmd
}

// machine is how the code is run. The quick start has few threads, too.
func (vm jvm) machine() []string {
	if vm.sustained {
		return []string{"-Xmx1g"}
	}
	return []string{"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"}
}

// node is one server: its directory and its ports for as long as the cluster is
// there, and a process while it runs.
type node struct {
	id         int32
	dir        string
	client     *port // for clients
	inter      *port // for the other brokers, so that only clients come to client
	controller *port
	secure     []secureListener
	server     *process   // nil before the first start
	pauses     standstill // of server
	suspended  *process   // the last server that stood still
	down       bool       // killed, or stopped for a restart
}

// secureListener is a Listener of one node, with its port.
type secureListener struct {
	Listener
	port *port
}

// newNodes takes a directory in dir and the ports for each node and writes their
// settings. After an error those nodes are returned that hold ports.
func newNodes(dir string, opts KafkaOptions) ([]*node, error) {
	var nodes []*node
	for id := range int32(opts.Nodes) {
		node := &node{id: id, dir: filepath.Join(dir, fmt.Sprintf("node-%d", id))}
		nodes = append(nodes, node)
		node.pauses.stop, node.pauses.goOn = node.suspend, node.resume
		var errs [5]error
		node.client, errs[0] = takePort(opts.port(id))
		node.inter, errs[1] = takePort(anyPort)
		node.controller, errs[2] = takePort(anyPort)
		errs[3] = node.takeSecurePorts(opts.Secure)
		errs[4] = os.Mkdir(node.dir, 0o700)
		if err := joined(errs[:]); err != nil {
			return nodes, fmt.Errorf("prepare node %d: %w", id, err)
		}
	}
	for _, node := range nodes {
		if err := node.writeSettings(nodes, opts.Settings); err != nil {
			return nodes, fmt.Errorf("prepare node %d: %w", node.id, err)
		}
	}
	return nodes, nil
}

func (n *node) writeSettings(nodes []*node, own map[string]string) error {
	return os.WriteFile(n.properties(), []byte(n.settings(nodes, own)), 0o600)
}

func (n *node) takeSecurePorts(listeners []Listener) error {
	for _, l := range listeners {
		p, err := takePort(anyPort)
		if err != nil {
			return err
		}
		n.secure = append(n.secure, secureListener{l, p})
	}
	return nil
}

func (n *node) properties() string { return filepath.Join(n.dir, "server.properties") }
func (n *node) data() string       { return filepath.Join(n.dir, "data") }
func (n *node) log() string        { return filepath.Join(n.dir, "server.log") }

// start starts the server on what its directory holds. It does not wait until
// the server answers.
func (n *node) start(c *children, vm jvm) error {
	log, err := os.OpenFile(n.log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("start node %d: %w", n.id, err)
	}
	defer func() { _ = log.Close() }() // the child has its own
	cmd := vm.command(n.dir, "kafka.Kafka", n.properties())
	cmd.Stdout, cmd.Stderr = log, log
	if n.server, err = c.start(cmd); err != nil {
		return fmt.Errorf("start node %d: %w", n.id, err)
	}
	return nil
}

// kill ends the server as a crash of its machine would; the process is gone when
// server.Done is closed.
func (n *node) kill() {
	if n.server != nil {
		n.server.Kill()
	}
}

// stop asks the server to end and waits until it has.
func (n *node) stop(ctx context.Context) error {
	if err := n.server.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("stop node %d: %w", n.id, err)
	}
	select {
	case <-n.server.Done():
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stop node %d: %w", n.id, context.Cause(ctx))
	}
}

// close waits for the end of a killed server and gives the ports back.
func (n *node) close() {
	if n.server != nil {
		<-n.server.Done()
	}
	n.client.release()
	n.inter.release()
	n.controller.release()
	for _, l := range n.secure {
		l.port.release()
	}
}

// movePorts exchanges the ports for clients. The old ones are given back.
func (n *node) movePorts() error {
	moved := &node{}
	var err error
	if moved.client, err = takePort(anyPort); err != nil {
		return err
	}
	var listeners []Listener
	for _, l := range n.secure {
		listeners = append(listeners, l.Listener)
	}
	err = moved.takeSecurePorts(listeners)
	if err == nil {
		n.client, moved.client = moved.client, n.client
		n.secure, moved.secure = moved.secure, n.secure
	}
	moved.client.release()
	for _, l := range moved.secure {
		l.port.release()
	}
	return err
}

// suspend stops the server, resume lets the same process go on.
func (n *node) suspend() error {
	n.suspended = n.server
	return n.suspended.suspend()
}

func (n *node) resume() { n.suspended.resume() }

// ended is an error if the server, once started, does not run any more.
func (n *node) ended() error {
	select {
	case <-n.server.Done():
		return fmt.Errorf("node %d ended by itself (%v)", n.id, n.server.Cmd.ProcessState)
	default:
		return nil
	}
}

// lastLines of a server's log, for an error.
func (n *node) lastLines() string {
	log, err := os.ReadFile(n.log())
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("last lines of the log of node %d:\n%s", n.id, tail(string(log), 12))
}

// tail is the last n lines of a text, indented.
func tail(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return "  " + strings.Join(lines[max(0, len(lines)-n):], "\n  ")
}
