package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/workbook"
)

// lessonClaims is the claims of the two lessons: 31 of one, 28 of the other.
func lessonClaims() []string {
	var ids []string
	for n := range 31 {
		ids = append(ids, fmt.Sprintf("I%02d", n+1))
	}
	for n := range 28 {
		ids = append(ids, fmt.Sprintf("T%02d", n+1))
	}
	return ids
}

func claims(t *testing.T) []workbook.Claim {
	t.Helper()
	text, err := os.ReadFile(workbook.ManifestFile)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := workbook.ReadManifest(workbook.ManifestFile, text, workbook.Clients())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("workbook", "claims.yaml")
	if text, err = os.ReadFile(file); err != nil {
		t.Fatal(err)
	}
	all, err := workbook.ReadClaims(file, text, manifest)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestClaims: each claim of the lessons has its row, and each row its proofs.
func TestClaims(t *testing.T) {
	var ids []string
	for _, c := range claims(t) {
		ids = append(ids, c.ID)
		if len(c.Proofs) == 0 {
			t.Errorf("%s has no proof", c.ID)
		}
	}
	if diff := cmp.Diff(lessonClaims(), ids); diff != "" {
		t.Errorf("claims.yaml: -want +got\n%s", diff)
	}
}

var claimRow = regexp.MustCompile(`(?m)^\| \*\*\[?([IT][0-9]{2})[^|]*?\| (kept|corrected|open) \| (.+) \| (.*)\|$`)

// TestClaimsAreTold: the page has a row for each, and what is told beside a verdict fits it:
// what is right instead where something is wrong, with proofs that hold.
func TestClaimsAreTold(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("workbook", "claims.md"))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	rows := claimRow.FindAllStringSubmatch(string(page), -1)
	of := claims(t)
	for i, row := range rows {
		id, verdict, beside := row[1], row[2], row[4]
		ids = append(ids, id)
		if strings.Contains(beside, "Nobody has written it down yet.") {
			t.Errorf("%s is %s: expected instead in claims.yaml", id, verdict)
		}
		if strings.Contains(beside, " no: ") || strings.Contains(beside, "not known: ") {
			t.Errorf("%s: what is told beside it does not hold: %s", id, beside)
		}
		if i < len(of) && verdict != "corrected" && len(of[i].Instead.Text) > 0 {
			t.Errorf("%s is %s: nothing is right instead", id, verdict)
		}
	}
	if diff := cmp.Diff(lessonClaims(), ids); diff != "" {
		t.Errorf("claims.md: -want +got\n%s", diff)
	}
}
