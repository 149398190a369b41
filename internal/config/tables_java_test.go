package config

import (
	"path/filepath"
	"strings"
	"testing"

	"kcompare/internal/broker"
	"kcompare/internal/broker/brokertest"
)

// TestTableOfJava dumps what Kafka's own ConfigDefs define again, of the release that a
// run starts.
func TestTableOfJava(t *testing.T) {
	brokertest.NeedKafka(t)
	t.Parallel()
	jars, err := broker.Jars(t.Context(), broker.KafkaOptions{Version: broker.DefaultKafkaVersion})
	if err != nil {
		t.Fatal(err)
	}
	kinds := []string{"clients", "broker", "topic"}
	args := append([]string{"-XX:TieredStopAtLevel=1", "-cp", filepath.Join(jars, "*"),
		filepath.Join("versions", "dump", "Properties.java")}, kinds...)
	out, last := ran(t, "", "java", args...)
	tables := strings.Split(out, versionColumns+"\n")[1:]
	if len(tables) != len(kinds) {
		t.Fatalf("%d tables for %q", len(tables), kinds)
	}
	_, version, _ := strings.Cut(last, " ")
	for i, kind := range kinds {
		expectDumped(t, "kafka-"+kind+" "+version, versionColumns+"\n"+tables[i])
	}
}
