package report

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"kcompare/internal/evidence"
)

// withoutPlaces is the document without where on this machine things are, and where the
// cluster is: nobody else needs it. Of a path its last name is left. A path with a blank
// in it is known within quotes only.
func withoutPlaces(doc evidence.Document) (evidence.Document, error) {
	text, err := json.Marshal(doc)
	if err != nil {
		return doc, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // a float64 does not hold every producer id
	var all any
	if err := decoder.Decode(&all); err != nil {
		return doc, err
	}
	if text, err = json.Marshal(eachText(all, placeless(doc.Again))); err != nil {
		return doc, err
	}
	var out evidence.Document
	return out, json.Unmarshal(text, &out)
}

// eachText changes every text of a JSON document but its keys, which are names of
// settings, counts and requests.
func eachText(value any, change func(string) string) any {
	switch v := value.(type) {
	case string:
		return change(v)
	case []any:
		for i := range v {
			v[i] = eachText(v[i], change)
		}
	case map[string]any:
		for key := range v {
			v[key] = eachText(v[key], change)
		}
	}
	return value
}

const (
	nameInPath   = "[^/\\\\\\s\"'`|<>()\\[\\]{},;:]+"
	nameInQuotes = "[^/\\\\\"'`\\n]+" // may have blanks
)

var (
	quotedPath  = regexp.MustCompile("([\"'`])(?:file://)?((?:/" + nameInQuotes + ")+)/(" + nameInQuotes + ")")
	unixPath    = regexp.MustCompile(`(^|[^\pL\pN_./~]|-\pL)(?:file://)?((?:/` + nameInPath + `)+)/(` + nameInPath + `)`)
	windowsPath = regexp.MustCompile(`()\b([A-Za-z]:(?:[\\/]+` + nameInPath + `)*)[\\/]+(` + nameInPath + `)`)

	// remote is an address by number. One by name looks like a line of a file.
	remote = regexp.MustCompile(`(?:\b\d{1,3}(?:\.\d{1,3}){3}|\[[0-9A-Fa-f.]*:[0-9A-Fa-f.:]*\]):\d+\b`)

	homes = regexp.MustCompile(`(?:^|[\\/])(?:home|Users)$`) // what is in such a folder is the name of a person
)

// placeless takes paths out of a text, addresses by number, and those of the cluster
// that the command names.
func placeless(command string) func(string) string {
	addresses := addressesIn(command)
	return func(text string) string {
		for _, path := range []*regexp.Regexp{quotedPath, unixPath, windowsPath} {
			text = path.ReplaceAllStringFunc(text, func(found string) string {
				parts := path.FindStringSubmatch(found)
				if homes.MatchString(parts[2]) {
					return parts[1] + "..."
				}
				return parts[1] + ".../" + parts[3]
			})
		}
		for _, address := range addresses {
			text = replaceWord(text, address, "HOST:PORT")
			text = replaceWord(text, address[:strings.LastIndexByte(address, ':')], "HOST")
		}
		return remote.ReplaceAllStringFunc(text, func(address string) string {
			if strings.HasPrefix(address, "127.") || strings.HasPrefix(address, "[::1]") {
				return address
			}
			return "HOST:PORT"
		})
	}
}

// addressesIn is what a command says of where the cluster is. The words for brokers that
// kcompare starts have no port.
func addressesIn(command string) []string {
	var all []string
	for _, w := range shellWords(command) {
		flag, value, _ := strings.Cut(w, "=")
		if flag != "--broker" && flag != "--bootstrap-servers" {
			continue
		}
		for address := range strings.SplitSeq(strings.Trim(value, `'"`), ",") {
			if address = strings.TrimSpace(address); strings.LastIndexByte(address, ':') > 0 {
				all = append(all, address)
			}
		}
	}
	return all
}

// replaceWord leaves names alone that the word is only a part of: a host may be called
// kafka.
func replaceWord(text, word, with string) string {
	var b strings.Builder
	done := 0
	for i := strings.Index(text, word); i >= 0; {
		end := i + len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(strings.TrimPrefix(text[end:], "."))
		if !inName(before) && before != '.' && !inName(after) {
			b.WriteString(text[done:i] + with)
			done = end
		}
		next := strings.Index(text[end:], word)
		if next < 0 {
			break
		}
		i = end + next
	}
	return b.String() + text[done:]
}

func inName(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-')
}
