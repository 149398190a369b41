package franz

import (
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
)

// logger hands kgo's warnings and errors to Settings.Log, a line each.
type logger func(line string)

func (logger) Level() kgo.LogLevel { return kgo.LogLevelWarn }

func (l logger) Log(level kgo.LogLevel, msg string, keyvals ...any) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", level, msg)
	for i := 0; i+1 < len(keyvals); i += 2 {
		fmt.Fprintf(&b, " %v=%v", keyvals[i], keyvals[i+1])
	}
	l(strings.ReplaceAll(b.String(), "\n", " "))
}
