package broker

import (
	"context"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// image is apache/kafka as far as the jars of the same release have it.
type image struct {
	vm     jvm // with the commands
	server jvm // the jars of a server alone, whose classes are archived
}

// commands are the scripts in /opt/kafka/bin that a health check may use, with the
// class that each starts.
var commands = map[string]string{
	"/opt/kafka/bin/kafka-cluster.sh":             "org.apache.kafka.tools.ClusterTool",
	"/opt/kafka/bin/kafka-topics.sh":              "org.apache.kafka.tools.TopicCommand",
	"/opt/kafka/bin/kafka-broker-api-versions.sh": "org.apache.kafka.tools.BrokerApiVersionsCommand",
}

// newImage has the jars of a server, and beside them the one with the commands.
func newImage(t *testing.T) image {
	t.Helper()
	ctx, c := withTimeout(t, starting), newChildren(t.TempDir())
	defer c.close()
	opts, err := KafkaOptions{Env: ownJars()}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	java, err := findJava(ctx, c, opts.Env)
	if err != nil {
		t.Fatal(err)
	}
	server, err := findJars(ctx, opts)
	if err != nil {
		t.Fatal(err)
	}
	vm := jvm{java: java.path, libs: server.dir, env: opts.Env}
	if server.cached && java.archives() {
		if vm, err = withArchive(ctx, opts, vm, java); err != nil {
			t.Fatal(err)
		}
	}
	libs := t.TempDir()
	bringTools(t, c, libs)
	found, err := filepath.Glob(filepath.Join(server.dir, "*.jar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, jar := range found {
		if err := os.Symlink(jar, filepath.Join(libs, filepath.Base(jar))); err != nil {
			t.Fatal(err)
		}
	}
	return image{vm: jvm{java: java.path, libs: libs, env: opts.Env}, server: vm}
}

// bringTools has Maven copy the jar with the commands into a directory.
func bringTools(t *testing.T, c *children, dir string) {
	t.Helper()
	mvn, _ := program(os.Environ(), "mvn")
	cmd := exec.Command(mvn, "--batch-mode", "--quiet", "--no-transfer-progress",
		"org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy",
		"-Dartifact=org.apache.kafka:kafka-tools:"+DefaultKafkaVersion, "-DoutputDirectory="+dir)
	cmd.Dir = dir // no pom
	if out, err := c.run(withTimeout(t, starting), cmd); err != nil {
		t.Fatalf("bring kafka-tools with mvn: %v: %s", err, mavenError(out))
	}
}

// up starts the services as `docker compose up --wait` would, and waits longer
// than that: until every coordinator answers.
func (i image) up(t *testing.T, services map[string]service) *Kafka {
	t.Helper()
	dir := t.TempDir()
	k := newKafka(dir)
	k.version = DefaultKafkaVersion
	t.Cleanup(func() { k.Close() })
	ctx := withTimeout(t, starting)
	places := newPlaces(t, services)
	for _, name := range slices.Sorted(maps.Keys(services)) {
		s := services[name]
		if s.Image != "apache/kafka:"+DefaultKafkaVersion {
			t.Errorf("%s is %s, expected the release whose jars are started here, %s", name, s.Image, DefaultKafkaVersion)
		}
		k.nodes = append(k.nodes, i.start(ctx, t, k.children, places, name, s))
	}
	if err := k.await(ctx); err != nil { // first: each try of a health check starts a Java
		t.Fatal(err)
	}
	for name, s := range services {
		i.awaitHealthy(ctx, t, k, places, name, s.Healthcheck.Test)
	}
	return k
}

// start is the entry point of the image: setup, then the server.
func (i image) start(ctx context.Context, t *testing.T, c *children, places *places, name string, s service) *node {
	t.Helper()
	id, err := strconv.Atoi(s.Environment["KAFKA_NODE_ID"])
	if err != nil {
		t.Fatalf("%s: KAFKA_NODE_ID: %v", name, err)
	}
	n := &node{id: int32(id), dir: t.TempDir(), client: places.listener(name, s, "HOST"), controller: places.listener(name, s, "CONTROLLER")}
	defaults, mounted := t.TempDir(), t.TempDir() // nothing is mounted, and of the defaults nothing is used
	vm := i.vm
	vm.env = places.environment(name, s, n.data(), i.vm.env)
	setup := vm.command(n.dir, "kafka.docker.KafkaDockerWrapper", "setup",
		"--default-configs-dir", defaults, "--mounted-configs-dir", mounted, "--final-configs-dir", n.dir)
	if out, err := c.run(ctx, setup); err != nil {
		t.Fatalf("setup of %s: %v:\n%s", name, err, tail(out, 12))
	}
	if err := n.start(c, i.server); err != nil {
		t.Fatal(err)
	}
	return n
}

// awaitHealthy runs the health check until it passes.
func (i image) awaitHealthy(ctx context.Context, t *testing.T, k *Kafka, places *places, name string, check []string) {
	t.Helper()
	if len(check) < 2 || check[0] != "CMD" || commands[check[1]] == "" {
		t.Fatalf("health check %q of %s: expected CMD and one of %q", check, name, slices.Sorted(maps.Keys(commands)))
	}
	args := slices.Clone(check[2:])
	for n, arg := range args {
		if host, port, err := net.SplitHostPort(arg); err == nil {
			args[n] = places.inside(name, host, port)
		}
	}
	said := ""
	err := k.until(ctx, func(ctx context.Context) error {
		out, err := k.children.run(ctx, i.vm.command(t.TempDir(), commands[check[1]], args...))
		if ctx.Err() == nil { // otherwise it was cut short
			said = tail(out, 3)
		}
		return err
	})
	if err != nil {
		t.Fatalf("health check of %s: %v; the command said:\n%s", name, err, said)
	}
}

// places says where on this machine the addresses of a compose file are.
type places struct {
	t         *testing.T
	listening map[string]*port  // "kafka-1:9093"
	published map[string]string // port of the host: "kafka-2:9094"
}

// newPlaces takes a port for every listener, and fails where two services want the
// same port of the host.
func newPlaces(t *testing.T, services map[string]service) *places {
	t.Helper()
	p := &places{t: t, listening: map[string]*port{}, published: map[string]string{}}
	for name, s := range services {
		for _, l := range listeners(s.Environment["KAFKA_LISTENERS"]) {
			taken, err := takePort(anyPort)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(taken.release)
			p.listening[name+":"+l.port] = taken
		}
		for _, mapping := range s.Ports {
			parts := strings.Split(mapping, ":")
			if len(parts) != 3 || parts[0] != "127.0.0.1" || p.published[parts[1]] != "" {
				t.Errorf("port %q of %s: expected 127.0.0.1:PORT:PORT, each port of the host once", mapping, name)
				continue
			}
			p.published[parts[1]] = name + ":" + parts[2]
		}
	}
	return p
}

// listener is one entry of KAFKA_LISTENERS and of KAFKA_ADVERTISED_LISTENERS.
type listener struct{ name, host, port string }

func listeners(value string) []listener {
	var all []listener
	for entry := range strings.SplitSeq(value, ",") {
		name, address, _ := strings.Cut(entry, "://")
		host, port, _ := strings.Cut(address, ":")
		all = append(all, listener{name, host, port})
	}
	return all
}

// listener is the port of a service's listener.
func (p *places) listener(service string, s service, name string) *port {
	p.t.Helper()
	for _, l := range listeners(s.Environment["KAFKA_LISTENERS"]) {
		if l.name == name {
			return p.listening[service+":"+l.port]
		}
	}
	p.t.Fatalf("%s has no listener %s", service, name)
	return nil
}

// inside is where an address leads from inside the container of a service.
func (p *places) inside(self, host, port string) string {
	p.t.Helper()
	if host == "" || host == "localhost" {
		host = self
	}
	place := p.listening[host+":"+port]
	if place == nil {
		p.t.Fatalf("%s: nobody listens at %s:%s", self, host, port)
	}
	return place.addr()
}

// advertised is where clients of a listener are sent: those of the host to one of
// its ports, the other nodes to a service.
func (p *places) advertised(self string, l listener) string {
	p.t.Helper()
	if l.host != "localhost" {
		return p.inside(self, l.host, l.port)
	}
	service, port, _ := strings.Cut(p.published[l.port], ":")
	if service != self {
		p.t.Fatalf("%s tells clients localhost:%s, which leads to %q", self, l.port, p.published[l.port])
	}
	return p.inside(self, service, port)
}

// environment is that of a service, in place of whatever this process has of the
// kind.
func (p *places) environment(name string, s service, data string, base []string) []string {
	p.t.Helper()
	env := maps.Clone(s.Environment)
	env["KAFKA_LOG_DIRS"] = data
	var listening, advertised, voters []string
	for _, l := range listeners(env["KAFKA_LISTENERS"]) {
		listening = append(listening, l.name+"://"+p.inside(name, l.host, l.port))
	}
	for _, l := range listeners(env["KAFKA_ADVERTISED_LISTENERS"]) {
		advertised = append(advertised, l.name+"://"+p.advertised(name, l))
	}
	for voter := range strings.SplitSeq(env["KAFKA_CONTROLLER_QUORUM_VOTERS"], ",") {
		id, address, _ := strings.Cut(voter, "@")
		host, port, _ := strings.Cut(address, ":")
		voters = append(voters, id+"@"+p.inside(name, host, port))
	}
	env["KAFKA_LISTENERS"] = strings.Join(listening, ",")
	env["KAFKA_ADVERTISED_LISTENERS"] = strings.Join(advertised, ",")
	env["KAFKA_CONTROLLER_QUORUM_VOTERS"] = strings.Join(voters, ",")

	all := slices.DeleteFunc(slices.Clone(base), func(kv string) bool { return strings.HasPrefix(kv, "KAFKA_") })
	for key, value := range env {
		all = append(all, key+"="+value)
	}
	return all
}
