package broker

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"kcompare/internal/broker/brokertest"
)

// TestCompose boots what docker-compose.yml describes, without a Docker engine:
// the image's own program makes server.properties of each service's environment
// and formats the storage, the health check that stands there passes, and stories
// are played through the ports that the host gets, one of them with transactions,
// whose log has settings of its own. Moved are, to free ports of
// 127.0.0.1, the hosts and ports of KAFKA_LISTENERS, KAFKA_ADVERTISED_LISTENERS,
// KAFKA_CONTROLLER_QUORUM_VOTERS and the health check, and to a private directory
// KAFKA_LOG_DIRS; nothing else. What only an engine could show is not: the
// network, the volume, KAFKA_HEAP_OPTS.
func TestCompose(t *testing.T) {
	brokertest.NeedKafka(t)
	fillCache(t)
	file := readCompose(t)
	if up := defaultProfile(t); up != "cluster" {
		t.Errorf("docker compose up starts profile %q, expected cluster", up)
	}
	image := newImage(t)
	kcompare := buildKcompare(t)
	for profile, want := range map[string][]string{"cluster": {"kafka-1", "kafka-2", "kafka-3"}, "single": {"kafka"}} {
		t.Run(profile, func(t *testing.T) {
			services := file.active(profile)
			if diff := cmp.Diff(want, slices.Sorted(maps.Keys(services))); diff != "" {
				t.Fatalf("services: -want +got:\n%s", diff)
			}
			k := image.up(t, services)
			for _, story := range [][]string{{"idempotent"}, {"transactional", "--variant=end=mixed,sends=concurrent"}} {
				cmd := exec.Command(kcompare, slices.Concat([]string{"run", "--client=franz,librdkafka", "--messages=20", "--broker=" + joinAddrs(k)}, story)...)
				if out, err := k.children.run(withTimeout(t, starting), cmd); err != nil {
					t.Errorf("kcompare run %q: %v:\n%s", story, err, out)
				}
			}
		})
	}
}

func joinAddrs(k *Kafka) string {
	return strings.Join(slices.Sorted(maps.Values(k.Addrs())), ",")
}

// compose is what the test needs of docker-compose.yml.
type compose struct {
	Services map[string]service `yaml:"services"`
}

type service struct {
	Image       string            `yaml:"image"`
	Profiles    []string          `yaml:"profiles"`
	Ports       []string          `yaml:"ports"`
	Environment map[string]string `yaml:"environment"`
	Healthcheck struct {
		Test []string `yaml:"test"`
	} `yaml:"healthcheck"`
}

func readCompose(t *testing.T) compose {
	t.Helper()
	text, err := os.ReadFile("../../docker-compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	var file compose
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatalf("docker-compose.yml: %v", err)
	}
	return file
}

// active is the services that a profile starts: its own and those without any.
func (c compose) active(profile string) map[string]service {
	active := maps.Clone(c.Services)
	maps.DeleteFunc(active, func(_ string, s service) bool {
		return len(s.Profiles) > 0 && !slices.Contains(s.Profiles, profile)
	})
	return active
}

// defaultProfile is the one of .env, which compose takes where none is asked for.
func defaultProfile(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../.env")
	if err != nil {
		t.Fatal(err)
	}
	return getenv(strings.Split(string(text), "\n"), "COMPOSE_PROFILES")
}

// buildKcompare is the program that users run.
func buildKcompare(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kcompare")
	build := exec.CommandContext(withTimeout(t, starting), "go", "build", "-o", path, "./cmd/kcompare")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build kcompare: %v:\n%s", err, out)
	}
	return path
}
