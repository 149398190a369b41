package lint

import (
	"fmt"
	"io"
	"strings"

	"kcompare/internal/source"
)

// GitHub prints findings as workflow commands, which GitHub shows beside the lines of a
// change.
func GitHub(w io.Writer, findings []Finding, unread []source.File) error {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", command(f.Severity), property(f.File), f.Line, f.Column,
			property("kcompare "+f.Rule), message(f.Message+withFix(f)))
	}
	for _, f := range unread {
		fmt.Fprintf(&b, "::warning file=%s,title=%s::%s\n", property(f.Path), property("kcompare not checked"), message(f.Unread))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func command(s Severity) string {
	if s == Info {
		return "notice"
	}
	return string(s)
}

// message and property escape as the runner's own toolkit does (actions/toolkit,
// packages/core/src/command.ts).
func message(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

func property(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(text)
}
