package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	embedded "github.com/twmb/franz-go/pkg/kfake"

	"kcompare/internal/cli"
	"kcompare/internal/security/securitytest"
)

// TestSecretsOfCommandConfig: whatever a run on a cluster with logins prints and keeps,
// the password is nowhere in it, in no encoding.
func TestSecretsOfCommandConfig(t *testing.T) {
	cluster, err := embedded.NewCluster(embedded.NumBrokers(3), embedded.EnableSASL(),
		embedded.Superuser("PLAIN", securitytest.User, securitytest.Password))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	const wrong = "wr0ng-pa55"
	login := map[string]string{
		"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN",
		"sasl.username": securitytest.User, "sasl.password": securitytest.Password,
	}
	good := securitytest.WriteProperties(t, login)
	login["sasl.password"] = wrong
	bad := securitytest.WriteProperties(t, login)
	login["sasl.mechanisn"] = "PLAIN"
	misspelt := securitytest.WriteProperties(t, login)
	tests := map[string]struct {
		file string
		code int
		args []string
	}{
		"JSON":           {good, 0, []string{"--format=json"}},
		"text":           {good, 0, []string{"--progress=plain"}},
		"markdown":       {good, 0, []string{"--format=markdown", "-X", "enable.metrics.push=false"}},
		"dry run":        {good, 0, []string{"--dry-run"}},
		"wrong password": {bad, 1, nil},
		"misspelt":       {misspelt, 2, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			said := runSecured(t, tc.code, append([]string{
				"run", "idempotent", "--messages=20", "--variant=enable.idempotence=true", "--evidence=" + dir,
				"--broker=" + strings.Join(cluster.ListenAddrs(), ","), "--command-config=" + tc.file,
			}, tc.args...))
			said += kept(t, dir)
			for _, leak := range securitytest.Leaks(said, []string{securitytest.Password, wrong}) {
				t.Errorf("%s:\n%s", leak, said)
			}
		})
	}
}

// TestSecretsOfContestants: clients that run as processes of their own get into a
// cluster with logins, and say nothing of the password.
func TestSecretsOfContestants(t *testing.T) {
	t.Setenv(asMain, "1")
	cluster, err := embedded.NewCluster(embedded.NumBrokers(3), embedded.EnableSASL(),
		embedded.Superuser("PLAIN", securitytest.User, securitytest.Password))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	file := securitytest.WriteProperties(t, map[string]string{
		"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN",
		"sasl.username": securitytest.User, "sasl.password": securitytest.Password,
	})
	dir := t.TempDir()
	said := runSecured(t, 0, []string{
		"run", "graceful-shutdown", "--messages=20", "--variant=end=flush-then-close", "--variant=handler=none,signal=term", "--evidence=" + dir,
		"--broker=" + strings.Join(cluster.ListenAddrs(), ","), "--command-config=" + file, "--format=json",
	})
	said += kept(t, dir)
	for _, leak := range securitytest.Leaks(said, []string{securitytest.Password}) {
		t.Errorf("%s:\n%s", leak, said)
	}
}

// runSecured is all that a command prints.
func runSecured(t *testing.T, want int, args []string) string {
	t.Helper()
	var out, err bytes.Buffer
	self, noSelf := os.Executable()
	if noSelf != nil {
		t.Fatal(noSelf)
	}
	state := cli.State{Self: self, Stdout: &out, Stderr: &err, Width: 100, Now: time.Now, Clients: clients()}
	if code := cli.Main(t.Context(), state, args); code != want {
		t.Errorf("exit code %d, expected %d\n%s%s", code, want, &out, &err)
	}
	return out.String() + err.String()
}

// kept is all that stands in the files of a directory.
func kept(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
