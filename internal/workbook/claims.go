package workbook

import (
	"regexp"

	"kcompare/internal/lang"
)

// Claim is a sentence that somebody teaches, and what it is held against. What became of it
// is computed from the proofs, and stands nowhere.
type Claim struct {
	ID      string // "I23"
	Chapter string // that teaches it: "02-idempotent-producer"
	Text    inLanguages
	Proofs  []Proof     // one at least
	Instead Beside      // what is right where the claim is not
	Besides Beside      // what to know where it is right
	Unknown inLanguages // what of the claim none of the proofs can show; empty where they show all of it
}

// Beside is what is told beside a claim, and the proofs of it.
type Beside struct {
	Text   inLanguages // empty: nothing
	Proofs []Proof
}

// inLanguages is a text of the author's in every language.
type inLanguages map[lang.Language]string

// Proof is one thing that has to be so if the claim is right. Which fields are set says
// what it looks at: a trial, a setting, a listing, a program, a source.
type Proof struct {
	Needs  []Need        // trials, one for each client
	Checks []comparison  // of counts: all of them
	Answer *answerProof  // or of an answer
	Error  *errorProof   // or of an error
	Judged string        // or the verdict
	Option *settingProof // a setting in the tables of a library

	Benches []BenchNeed // a bench, or one for each client
	Ratio   *ratioProof // that it has to show

	File   string // a listing for lint, or a source
	Rule   string // of lint
	Absent bool   // lint or the source has it not
	Has    string // a text of the source

	Program string // of the manifest
	Line    string // a line that it printed
}

// comparison is "duplicates == responses_dropped", as the claim has it.
type comparison struct {
	left, op, right string
}

// answerProof is what a trial answers to a question.
type answerProof struct {
	question string
	is       string         // the answer, or
	matches  *regexp.Regexp // all of it
}

// errorProof is that a call is refused; code and class may be empty.
type errorProof struct {
	call, code, class string
}

// settingProof is what the tables of a client's library say of a setting.
type settingProof struct {
	key, client string
	byDefault   string // "" where known is asked
	known       bool
}
