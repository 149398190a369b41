package lint

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/source"
)

// awkward has every sign that a format has to escape.
var awkward = []Finding{
	{File: "a b,c:d%.py", Line: 3, Column: 7, Severity: Error, Rule: "unknown-key", Key: "x", Message: "100%: <&>\nnext", Fix: "write y"},
	{File: "b.md", Line: 1, Column: 1, Severity: Info, Rule: "acks-below-all", Key: "acks", Message: "acks=1"},
}

var unreadable = []source.File{{Path: "c.py", Unread: "no python3\n on this machine"}}

func TestText(t *testing.T) {
	var b strings.Builder
	if err := Text(&b, awkward, unreadable); err != nil {
		t.Fatal(err)
	}
	want := "a b,c:d%.py:3:7: error: unknown-key: 100%: <&> next; write y\nb.md:1:1: info: acks-below-all: acks=1\nc.py: not checked: no python3 on this machine\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	if got, want := Summary(awkward, 1, 1), "1 error, 0 warnings, 1 info in 1 file; 1 file not checked"; got != want {
		t.Errorf("summary: found %q, expected %q", got, want)
	}
}

func TestGitHub(t *testing.T) {
	var b strings.Builder
	if err := GitHub(&b, awkward, unreadable); err != nil {
		t.Fatal(err)
	}
	want := "::error file=a b%2Cc%3Ad%25.py,line=3,col=7,title=kcompare unknown-key::100%25: <&>%0Anext; write y\n" +
		"::notice file=b.md,line=1,col=1,title=kcompare acks-below-all::acks=1\n" +
		"::warning file=c.py,title=kcompare not checked::no python3%0A on this machine\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

// TestSARIF holds the log to the members that the schema of SARIF 2.1.0 requires, and to
// the rules that it names.
func TestSARIF(t *testing.T) {
	var b strings.Builder
	if err := SARIF(&b, "0.1", awkward, unreadable); err != nil {
		t.Fatal(err)
	}
	var log map[string]any
	if err := json.Unmarshal([]byte(b.String()), &log); err != nil {
		t.Fatal(err)
	}
	has(t, log, "version", "runs")
	run := log["runs"].([]any)[0].(map[string]any)
	has(t, run, "tool", "results", "columnKind")
	driver := run["tool"].(map[string]any)["driver"].(map[string]any)
	has(t, driver, "name", "version", "rules")
	rules := map[string]bool{}
	for _, r := range driver["rules"].([]any) {
		rule := r.(map[string]any)
		has(t, rule, "id")
		has(t, rule["shortDescription"].(map[string]any), "text")
		rules[rule["id"].(string)] = true
	}
	for _, r := range run["results"].([]any) {
		result := r.(map[string]any)
		has(t, result, "ruleId", "level", "message", "locations")
		has(t, result["message"].(map[string]any), "text")
		if !rules[result["ruleId"].(string)] {
			t.Errorf("%v is no rule of the driver", result["ruleId"])
		}
	}
	invocation := run["invocations"].([]any)[0].(map[string]any)
	has(t, invocation, "executionSuccessful", "toolExecutionNotifications")
	first := run["results"].([]any)[0].(map[string]any)
	want := map[string]any{"physicalLocation": map[string]any{
		"artifactLocation": map[string]any{"uri": "a%20b%2Cc%3Ad%25.py"},
		"region":           map[string]any{"startLine": 3.0, "startColumn": 7.0},
	}}
	if diff := cmp.Diff(want, first["locations"].([]any)[0]); diff != "" {
		t.Error(diff)
	}
}

// has fails where a required member is missing or empty.
func has(t *testing.T, object map[string]any, members ...string) {
	t.Helper()
	for _, m := range members {
		if v, ok := object[m]; !ok || v == "" || v == nil {
			t.Errorf("%s is missing in %v", m, object)
		}
	}
}

// TestSecretsAreNotPrinted lints files whose every secret is wrong in some way.
func TestSecretsAreNotPrinted(t *testing.T) {
	const secret = "hunter2"
	text := "# librdkafka\nbootstrap.servers=k\nsecurity.protocol=plaintext\nsasl.password=" + secret + " # or not \n" +
		"sasl.password=" + secret + "x\nssl.key.password=" + secret + " \nsasl.jaas.config=" + secret + " \nssl.keystore.password=" + secret + "\n" +
		"ssl.truststore.password=" + secret + " \nssl.truststore.password=" + secret + "z\nsasl.pasword=" + secret + "\n" +
		"sasl.oauthbearer.client.secret=" + secret + "\nsasl.oauthbearer.client.credentials.client.secret=" + secret + "y\n"
	f, err := source.ReadText(t.Context(), source.Properties, "x", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	found := Lint([]source.File{f})
	if len(found) < 5 {
		t.Errorf("expected findings about the secrets, found\n%s", lines(found))
	}
	if strings.Contains(lines(found), secret) {
		t.Errorf("a secret is printed:\n%s", lines(found))
	}
}
