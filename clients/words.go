package clients

import (
	"errors"
	"strings"
)

// Words are those of a command line such as that of exec:COMMAND, as a POSIX shell would
// take it apart: blanks between words, quotes of both kinds, a backslash before a single
// character. Nothing is expanded. The error says what is not closed.
func Words(command string) ([]string, error) {
	var words []string
	var word strings.Builder
	begun, escaped, quote := false, false, rune(0)
	for _, r := range command {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			begun, escaped = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			begun, quote = true, r
		case r == ' ' || r == '\t' || r == '\n':
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	switch {
	case quote != 0:
		return nil, errors.New("a quote is not closed")
	case escaped:
		return nil, errors.New("nothing follows the last backslash")
	case begun:
		words = append(words, word.String())
	}
	if len(words) == 0 {
		return nil, errors.New("expected a command")
	}
	return words, nil
}
