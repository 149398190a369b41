package source

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/broker"
	"kcompare/internal/broker/brokertest"
)

var updateConstants = flag.Bool("update-java-constants", false, "write java_constants.tsv again")

// TestJavaConstants makes the table again from the jars of kafka-clients, which Maven
// brings, with javap, and compares.
func TestJavaConstants(t *testing.T) {
	brokertest.NeedKafka(t)
	versions := map[string]string{}
	for _, v := range []string{"3.9.1", broker.DefaultKafkaVersion} {
		jars, err := broker.Jars(t.Context(), broker.KafkaOptions{Version: v})
		if err != nil {
			t.Fatal(err)
		}
		versions[v] = filepath.Join(jars, "kafka-clients-"+v+".jar")
	}
	table := javaTable(t, versions)
	if *updateConstants {
		if err := os.WriteFile("java_constants.tsv", []byte(table), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(table, javaConstantsTSV); diff != "" {
		t.Errorf("java_constants.tsv is not what kafka-clients has; -update-java-constants writes it (-kafka-clients +table)\n%s", diff)
	}
}

var (
	javapClass = regexp.MustCompile(`^public .*class (?:\w+\.)*(\w+)`)
	javapConst = regexp.MustCompile(`^  public static final (\S+) (\w+)(?: = (.*))?;$`)
)

// javaTable is java_constants.tsv, from jars by version.
func javaTable(t *testing.T, jars map[string]string) string {
	values, in := map[string]string{}, map[string][]string{}
	for _, v := range slices.Sorted(maps.Keys(jars)) {
		class := ""
		for line := range strings.Lines(javap(t, jars[v])) {
			line = strings.TrimSuffix(line, "\n")
			if m := javapClass.FindStringSubmatch(line); m != nil {
				class = m[1]
			}
			m := javapConst.FindStringSubmatch(line)
			if m == nil || strings.HasSuffix(m[2], "_DOC") {
				continue
			}
			name, value := class+"\t"+m[2], strings.Trim(m[3], `"`)
			if m[1] != "java.lang.String" || value == "" {
				value = "-"
			}
			values[name], in[name] = value, append(in[name], v)
		}
	}
	var b strings.Builder
	b.WriteString("class\tname\tvalue\tversions\n")
	for _, name := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(&b, "%s\t%s\t%s\n", name, values[name], strings.Join(in[name], " "))
	}
	return b.String()
}

func javap(t *testing.T, jar string) string {
	clients, common := "org.apache.kafka.clients.", "org.apache.kafka.common.config."
	out, err := exec.CommandContext(t.Context(), "javap", "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-cp", jar, "-constants", "-public",
		clients+"producer.ProducerConfig", clients+"consumer.ConsumerConfig", clients+"admin.AdminClientConfig", clients+"CommonClientConfigs",
		common+"SaslConfigs", common+"SslConfigs", common+"TopicConfig").Output()
	if err != nil {
		t.Fatalf("javap: %v", err)
	}
	return string(out)
}
