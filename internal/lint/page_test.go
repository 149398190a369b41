package lint

import (
	"flag"
	"testing"

	"kcompare/internal/pagetest"
)

var update = flag.Bool("update", false, "write docs/lint-rules.md")

func TestPage(t *testing.T) {
	pagetest.Expect(t, "docs/lint-rules.md", Command, Page(), *update)
}
