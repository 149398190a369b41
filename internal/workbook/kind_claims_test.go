package workbook

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
)

const claimsFile = "claims.yaml"

// claimed is a course with testdata/claims.yaml, the recorded evidence and a program.
func claimed(t *testing.T, change func(*evidence.Trial)) Course {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", claimsFile))
	if err != nil {
		t.Fatal(err)
	}
	doc := read(t)
	for i := range doc.Trials {
		change(&doc.Trials[i])
	}
	files := fstest.MapFS{
		claimsFile:            {Data: content},
		"en/01-basics.md":     {Data: []byte("# Basics\n")},
		"producer.properties": {Data: []byte("acks=1\nenable.idempotence=true\n")},
	}
	root := t.TempDir()
	if err := os.CopyFS(root, files); err != nil {
		t.Fatal(err)
	}
	listings, err := ReadListings(context.Background(), root, files, []string{"producer.properties"})
	if err != nil {
		t.Fatal(err)
	}
	return Course{
		Manifest: Manifest{Clients: []string{"java"}, Programs: []Program{{Name: "python/hello"}}},
		Files:    files, Listings: listings,
		Evidence: recorded{doc: doc, outputs: map[string][]string{"python/hello": {"told: something else"}}},
	}
}

func unchanged(*evidence.Trial) {}

func claimsRendered(t *testing.T, l lang.Language, change func(*evidence.Trial), attributes ...string) string {
	t.Helper()
	b := block("claims", append(attributes, "file="+claimsFile)...)
	b.Lang, b.Page = l, "claims.md"
	content, err := claimsKind().Render(claimed(t, change), b)
	if err != nil {
		t.Fatal(err)
	}
	return content.Markdown
}

// TestClaims has one claim of each form of proof, and of each verdict. -update writes the
// golden files.
func TestClaims(t *testing.T) {
	for _, l := range lang.Languages() {
		golden(t, "kinds/claims."+string(l)+".md", claimsRendered(t, l, unchanged))
	}
}

// TestClaimsFollowTheEvidence: other evidence, another verdict, without a change of the file.
func TestClaimsFollowTheEvidence(t *testing.T) {
	noDuplicates := func(t *evidence.Trial) { t.Counts[evidence.Duplicates] = 0 }
	for _, test := range []struct {
		name, id, want string
		change         func(*evidence.Trial)
	}{
		{"as it was", "A01", kept, unchanged},
		{"no duplicates", "A01", corrected, noDuplicates},
		{"on one client only", "A01", corrected, onlyOn("franz", noDuplicates)},
		{"nobody knows", "A01", open, func(t *evidence.Trial) { delete(t.Counts, evidence.Duplicates) }},
		{"not complete", "A01", open, func(t *evidence.Trial) { t.Verdict = evidence.Inconclusive }},
		{"as it was", "A02", corrected, unchanged},
		{"the figure that is claimed", "A02", kept, func(t *evidence.Trial) { t.Counts[evidence.LogRecords] = 252 }},
		{"as it was", "A03", kept, unchanged},
		{"another answer", "A03", corrected, answered},
		{"as it was", "A04", kept, unchanged},
		{"another code", "A04", corrected, otherCode},
		{"no error", "A04", corrected, func(t *evidence.Trial) { t.Errors = nil }},
		{"as it was", "A05", kept, unchanged},
		{"violated", "A05", corrected, violated},
		{"as it was", "A10", open, unchanged},
		{"wrong at any rate", "A10", corrected, noDuplicates},
	} {
		got := claimsRendered(t, lang.English, test.change, "only="+test.id)
		if !strings.Contains(got, " | "+test.want+" | ") {
			t.Errorf("%s, %s: want %s:\n%s", test.id, test.name, test.want, got)
		}
	}
}

func TestClaimsWants(t *testing.T) {
	b := block("claims", "file="+claimsFile)
	w, problems := wantsOf(claimed(t, unchanged).Files, b, Manifest{Programs: []Program{{Name: "python/hello"}}})
	if len(problems) > 0 || len(w.Needs) == 0 || len(w.Programs) != 3 || len(w.Listings) != 2 {
		t.Errorf("%d needs, programs %q, listings %q, %v", len(w.Needs), w.Programs, w.Listings, problems)
	}
	for _, n := range w.Needs {
		if n.Client != "franz" && n.Client != "librdkafka" {
			t.Errorf("%s: expected the clients of the file, it names two", n.Client)
		}
	}
}

func TestReadClaimsRefuses(t *testing.T) {
	const head = "claims:\n  - id: A01\n    chapter: 01-basics\n    en: e\n    ru: r\n"
	proof := func(lines ...string) string {
		return head + "    proofs:\n      - " + strings.Join(lines, "\n        ") + "\n"
	}
	good := proof("trial: zombie", "variant: producer=idempotent", "verdict: holds")
	for text, want := range map[string]string{
		"claims: []\n": "f:1:1: expected claims",
		head:           "f:2:9: A01: expected proofs: a claim without one cannot be looked at",
		strings.Replace(good, "ru: r", "verdict: kept", 1):                            `f:5:5: key "verdict": expected none of that name here`,
		strings.Replace(good, "ru: r", "instaed: r", 1):                               `f:5:5: unknown key "instaed": did you mean instead?`,
		strings.Replace(good, "    ru: r\n", "", 1):                                   "f:2:9: A01: expected the claim in both languages, en and ru",
		strings.Replace(good, "A01", "a1", 1):                                         `f:2:9: id: "a1": expected a capital letter and two digits, as I23`,
		strings.Replace(good, "01-basics", "../x", 1):                                 `f:2:9: A01: chapter: "../x": expected the name of a chapter, as 02-idempotent-producer`,
		good + strings.TrimPrefix(good, "claims:\n"):                                  "f:10:9: id: A01 is the id of another claim already",
		good + "    instead: {en: only}\n":                                            "f:2:9: A01: expected instead, besides and unknown in both languages, en and ru",
		proof("rule: conflict"):                                                       "f:2:9: A01: a proof looks at nothing: expected trial, bench, setting, lint, source or program",
		proof("trial: zombi", "verdict: holds"):                                       `f:7:16: scenario: unknown scenario "zombi": did you mean zombie?`,
		proof("trial: zombie", "verdict: holds"):                                      "f:7:16: variants: a block of kind claims tells of one variant",
		proof("trial: zombie", "variant: producer=idempotent"):                        "f:7:16: trial: expected one of check, answer, error and verdict beside it, there are 0",
		strings.Replace(good, "verdict: holds", "verdict: true", 1):                   "f:9:18: expected text",
		strings.Replace(good, "verdict: holds", "verdict: good", 1):                   `f:9:18: verdict: "good": expected holds or violated`,
		strings.Replace(good, "verdict: holds", "check: [duplicate == 0]", 1):         `f:9:17: check: unknown metric "duplicate": did you mean duplicates?`,
		strings.Replace(good, "verdict: holds", "check: [duplicates]", 1):             `f:9:17: check: "duplicates": expected a comparison such as duplicates == responses_dropped`,
		strings.Replace(good, "verdict: holds", "answer: q", 1):                       "f:9:17: answer: expected is or matches beside it",
		strings.Replace(good, "verdict: holds", "answer: q\n        matches: '('", 1): "f:10:18: matches: error parsing regexp",
		strings.Replace(good, "verdict: holds", "verdict: holds\n        rule: r", 1): "f:10:15: rule: expected no such key in this proof, only some of trial, variant",
		proof("program: python/helo", "line: x"):                                      `f:7:18: program: unknown program "python/helo": did you mean python/hello?`,
		proof("program: python/hello"):                                                "f:7:18: program: expected line beside it",
		proof("lint: ../x.py", "rule: conflict"):                                      `f:7:15: lint: "../x.py": expected a path below the folder of kcompare.yaml`,
		proof("lint: x.py", "rule: conflict", "found: never"):                         `f:9:16: "never": expected "yes" or "no"`,
		proof("setting: acks", "client: frans", "default: all"):                       `f:8:17: unknown client "frans": did you mean franz?`,
		proof("setting: acks", "client: franz"):                                       "f:7:18: setting: expected default or known beside it",
		proof("setting: no.such", "client: franz", "default: all"):                    "f:7:18: setting: there is none of the name no.such",
		proof("source: x.py", "has: 'a | b'"):                                         "f:8:14: \"a | b\": expected one line without ` | and \\",
		"claims: " + strings.Repeat("[", mostClaims):                                  "f:1:1: 262152 bytes: expected at most 262144",
	} {
		_, err := ReadClaims("f", []byte(text), Manifest{Clients: []string{"franz"}, Programs: []Program{{Name: "python/hello"}}})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v\nwant %s\n%s", err, want, text)
		}
	}
}
