package lint

import (
	"fmt"
	"io"
	"strings"

	"kcompare/internal/source"
)

// Text prints findings as a compiler does, one line each, then what could not be read.
func Text(w io.Writer, findings []Finding, unread []source.File) error {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%s:%d:%d: %s: %s: %s\n", f.File, f.Line, f.Column, f.Severity, f.Rule, oneLine(f.Message+withFix(f)))
	}
	for _, f := range unread {
		fmt.Fprintf(&b, "%s: not checked: %s\n", f.Path, oneLine(f.Unread))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func withFix(f Finding) string {
	if f.Fix == "" {
		return ""
	}
	return "; " + f.Fix
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Summary counts in one line: "2 errors, 1 warning, 0 infos in 12 files".
func Summary(findings []Finding, files, unread int) string {
	count := Count(findings)
	text := fmt.Sprintf("%s, %s, %s in %s", plural(count[Error], "error"), plural(count[Warning], "warning"),
		plural(count[Info], "info"), plural(files, "file"))
	if unread > 0 {
		text += fmt.Sprintf("; %s not checked", plural(unread, "file"))
	}
	return text
}

// Count is how many findings there are of each severity.
func Count(findings []Finding) map[Severity]int {
	count := map[Severity]int{}
	for _, f := range findings {
		count[f.Severity]++
	}
	return count
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
