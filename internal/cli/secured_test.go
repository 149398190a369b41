package cli_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kcompare/internal/cli"
	"kcompare/internal/security/securitytest"
)

// TestSecuredCluster: with --command-config, topics gets into a Kafka that wants TLS
// and a login. So does the proxy, behind which clients need the login alone; it writes
// down no secret of theirs.
func TestSecuredCluster(t *testing.T) {
	k := securitytest.StartKafka(t)
	addr := k.Bootstrap(securitytest.Secure)
	settings := k.Settings(securitytest.Secure, "PLAIN")
	config := securitytest.WriteProperties(t, settings)
	said := listTopics(t, 0, "--broker="+addr, "--command-config="+config)
	said += listTopics(t, 1, "--broker="+addr)

	trace := filepath.Join(t.TempDir(), "trace.jsonl")
	var told bytes.Buffer
	through := serve(t, []string{"proxy", "--broker=" + addr, "--command-config=" + config, "--listen=127.0.0.1:0", "--trace=" + trace}, io.Discard, &told)
	loginAlone := securitytest.WriteProperties(t, k.Settings(securitytest.Login, "PLAIN"))
	said += listTopics(t, 0, "--broker="+through.addr, "--command-config="+loginAlone)
	summary, code := through.stop(t)
	if code != 0 || !strings.Contains(summary, "SaslAuthenticate") || !strings.Contains(summary, "Metadata") {
		t.Errorf("exit code %d, expected 0 and a login in the summary\n%s", code, summary)
	}
	written, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	said += told.String() + summary + string(written)
	for _, leak := range securitytest.Leaks(said, []string{securitytest.Password}) {
		t.Errorf("%s:\n%s", leak, said)
	}
}

// listTopics is all that the command prints.
func listTopics(t *testing.T, want int, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	code := cli.Main(t.Context(), cli.State{Stdout: &out, Stderr: &out, Now: time.Now}, append([]string{"topics", "list"}, args...))
	if code != want {
		t.Errorf("exit code %d, expected %d\n%s", code, want, &out)
	}
	return out.String()
}
