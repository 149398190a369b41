// Package lang says in a reader's language what kcompare says in English. The English
// sentence is the key, with its figures left out, so that code and evidence hold one
// language and what is published may hold another.
//
// A text is cut into what is language and what is not (scan.go), looked up in a catalogue
// of sentences and of ways to join them (catalogue.go, translate.go), and its figures are
// written as the language writes them (figure.go). The catalogue is data: ru/*.txt.
package lang

import "fmt"

// Language is one that reports and pages are written in.
type Language string

// The languages.
const (
	English Language = "en"
	Russian Language = "ru"
)

// Languages lists them all, the default first.
func Languages() []Language { return []Language{English, Russian} }

// Parse reads what stands behind --lang. The error names the languages, or is Check's.
func Parse(name string) (Language, error) {
	for _, l := range Languages() {
		if string(l) == name {
			return l, Check(l)
		}
	}
	return "", fmt.Errorf("unknown language %q: expected en or ru", name)
}

// Check says what is wrong with the catalogue of a language. Whoever is about to publish
// asks: a printer whose catalogue cannot be read speaks English.
func Check(l Language) error {
	if l != Russian {
		return nil
	}
	_, err := russian()
	return err
}

// Printer says things in one language. The zero value speaks English.
type Printer struct {
	language Language
}

// In is a printer for a language.
func In(l Language) Printer { return Printer{language: l} }

// Language is the one that it speaks.
func (p Printer) Language() Language {
	if p.language == "" {
		return English
	}
	return p.language
}

// Say is an English text of kcompare's in the printer's language, its figures written as
// that language writes them. What has no translation, such as a name, stays as it is; so
// does a text that is not English any more.
func (p Printer) Say(english string) string {
	text, _ := p.say(english)
	return text
}

// Knows says whether every word of the text has a translation, but for single words that
// look like names: with a capital letter, a digit, a dot. Names that do not are in the
// catalogue, too (ru/names.txt). Tests ask it of all that can be said.
func (p Printer) Knows(english string) bool {
	_, unknown := p.say(english)
	return !unknown
}

func (p Printer) say(english string) (text string, unknown bool) {
	if p.Language() == English || english == "" {
		return english, false
	}
	all, err := russian()
	if err != nil { // Check has said so
		return english, true
	}
	return all.say(english)
}
