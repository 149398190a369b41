package main

import (
	"slices"
	"strings"
	"testing"

	"kcompare/internal/security/securitytest"
)

// TestRunOnSecuredKafka: the stories hold on a real Kafka behind TLS and a login, or a
// certificate, and no secret is printed or kept.
func TestRunOnSecuredKafka(t *testing.T) {
	k := securitytest.StartKafka(t)
	for name, way := range map[string][2]string{
		"login over TLS": {securitytest.Secure, "SCRAM-SHA-512"},
		"token over TLS": {securitytest.Secure, "OAUTHBEARER"},
		"certificate":    {securitytest.Mutual, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir, settings := t.TempDir(), k.Settings(way[0], way[1])
			said := runSecured(t, 0, []string{
				"run", "idempotent", "--messages=20", "--variant=sends=sequential", "--evidence=" + dir,
				"--broker=" + k.Bootstrap(way[0]), "--command-config=" + securitytest.WriteProperties(t, settings),
			})
			if !strings.Contains(said, "Kafka 4.4, guessed from its API versions") {
				t.Errorf("the report does not say what it ran on:\n%s", said)
			}
			secrets := slices.Concat(strings.Split(k.Client.Key, "\n")[1:3], []string{securitytest.Password})
			for _, leak := range securitytest.Leaks(said+kept(t, dir), secrets) {
				t.Errorf("%s:\n%s", leak, said)
			}
		})
	}
}
