package security

import (
	"errors"
	"fmt"
	"strings"

	"kcompare/internal/config"
)

// login is what sasl.jaas.config says: a module and its options.
//
//	org.apache.kafka.common.security.plain.PlainLoginModule required username="shop" password="...";
type login struct {
	module  string // the last part of the class name
	options map[string]string
}

// modules are the login modules of Kafka's clients that can be done here.
var modules = []string{"PlainLoginModule", "ScramLoginModule", "OAuthBearerLoginModule"}

// parseJAAS reads the value of sasl.jaas.config. Its errors never repeat the line,
// which has a password in it.
func parseJAAS(text string) (login, error) {
	words, err := jaasWords(text)
	if err != nil {
		return login{}, err
	}
	if len(words) < 3 || words[len(words)-1].text != ";" {
		return login{}, errors.New(`expected MODULE required key="value" ... ; with a semicolon at the end`)
	}
	class := words[0].text
	l := login{module: class[strings.LastIndex(class, ".")+1:], options: map[string]string{}}
	if err := l.known(); err != nil {
		return login{}, err
	}
	if flag := words[1].text; !strings.EqualFold(flag, "required") {
		return login{}, errors.New("expected the word required after the login module")
	}
	return l, l.read(words[2 : len(words)-1])
}

func (l login) known() error {
	for _, m := range modules {
		if l.module == m {
			return nil
		}
	}
	reason := fmt.Sprintf("unknown login module %s, expected one of %s", l.module, strings.Join(modules, ", "))
	if near := config.Nearest(l.module, modules); near != "" {
		reason += fmt.Sprintf(", did you mean %s?", near)
	}
	return errors.New(reason)
}

// read takes key = value, as often as it stands there.
func (l login) read(words []jaasWord) error {
	for ; len(words) > 0; words = words[3:] {
		if len(words) < 3 || words[1].text != "=" || words[1].quoted || words[0].text == ";" {
			return fmt.Errorf("expected key=\"value\" after %d options of %s", len(l.options), l.module)
		}
		l.options[words[0].text] = words[2].text
	}
	return nil
}

// jaasWord is a word, a quoted string, or one of = and ;.
type jaasWord struct {
	text   string
	quoted bool
}

func jaasWords(text string) ([]jaasWord, error) {
	var words []jaasWord
	for rest := strings.TrimSpace(text); rest != ""; rest = strings.TrimSpace(rest) {
		var w jaasWord
		switch rest[0] {
		case '"', '\'':
			end := closingQuote(rest)
			if end < 0 {
				return nil, errors.New("a quote is not closed")
			}
			w, rest = jaasWord{unquote(rest[1:end]), true}, rest[end+1:]
		case '=', ';':
			w, rest = jaasWord{text: rest[:1]}, rest[1:]
		default:
			end := strings.IndexAny(rest+";", "=; \t\r\n\"'")
			w, rest = jaasWord{text: rest[:end]}, rest[end:]
		}
		words = append(words, w)
	}
	return words, nil
}

// closingQuote is where the string that begins s ends, -1 if it does not.
func closingQuote(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i
		}
	}
	return -1
}

// unquote takes the backslashes out, as java.io.StreamTokenizer does; octal numbers
// are left alone.
func unquote(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			out.WriteByte(escape(s[i]))
			continue
		}
		out.WriteByte(s[i])
	}
	return out.String()
}
