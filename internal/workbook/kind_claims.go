package workbook

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
	"kcompare/internal/report"
)

// claimsKind is sentences that somebody teaches, held against evidence. What became of one
// is computed from its proofs: nobody can write it down.
func claimsKind() Kind {
	return Kind{
		Name:  "claims",
		About: "Claims of a file, each with its verdict, which is computed from its proofs: trials, settings, listings, programs.",
		Attributes: []Attribute{
			{Name: "file", About: "path of a .yaml file with claims and proofs", Required: true},
			{Name: "only", About: "ids of the claims that are shown, with commas between (default: all)"},
		},
		Wants:  claimsWants,
		Render: renderClaims,
	}
}

// claimsOf reads the claims that a block shows.
func claimsOf(files fs.FS, b Block, m Manifest) ([]Claim, error) {
	name := b.Get("file")
	if err := checkFile(files, "file", name); err != nil {
		return nil, err
	}
	content, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, attributeError("file", "%w", err)
	}
	all, err := ReadClaims(name, content, m)
	if err != nil {
		return nil, attributeError("file", "%w", err)
	}
	ids := namesOf(all, func(c Claim) string { return c.ID })
	only := listOf(b, "only", ",")
	for _, id := range only {
		if !slices.Contains(ids, id) {
			return nil, wrongName("only", "claim", id, ids)
		}
	}
	if len(only) > 0 {
		all = slices.DeleteFunc(all, func(c Claim) bool { return !slices.Contains(only, c.ID) })
	}
	return all, nil
}

// all are the proofs of a claim and of what is told beside it.
func (c Claim) all() []Proof { return slices.Concat(c.Proofs, c.Instead.Proofs, c.Besides.Proofs) }

func claimsWants(files fs.FS, b Block, m Manifest) (Wants, error) {
	all, err := claimsOf(files, b, m)
	var w Wants
	for _, c := range all {
		for _, p := range c.all() {
			w.Needs = append(w.Needs, p.Needs...)
			w.Benches = append(w.Benches, p.Benches...)
			if p.Program != "" {
				w.Programs = append(w.Programs, p.Program)
			}
			if p.Rule != "" {
				w.Listings = append(w.Listings, p.File)
			}
		}
	}
	return w, err
}

// The verdicts on a claim.
const (
	kept      = "kept"      // all of its proofs are so
	corrected = "corrected" // one of them is not
	open      = "open"      // neither can be said
)

// ruling is a claim with what was found.
type ruling struct {
	Claim
	verdict string
	proofs  []judged
	beside  string // markdown: what is right instead, what to know, what is not known
}

func (c Course) rule(p lang.Printer, claim Claim) (r ruling, err error) {
	r = ruling{Claim: claim, verdict: kept}
	if r.proofs, err = c.judgeAll(p, claim.Proofs); err != nil {
		return r, err
	}
	var outcomes []outcome
	for _, j := range r.proofs {
		outcomes = append(outcomes, j.outcome)
	}
	switch worst(outcomes) {
	case refuted:
		r.verdict = corrected
	case unknown:
		r.verdict = open
	case proven:
		if len(claim.Unknown) > 0 {
			r.verdict = open
		}
	}
	r.beside, err = c.beside(p, claim, r.verdict)
	return r, err
}

// beside is what is told with a verdict. What is right instead stands only where something
// is wrong; where it lacks, that is said.
func (c Course) beside(p lang.Printer, claim Claim, verdict string) (string, error) {
	var told Beside
	switch verdict {
	case open:
		if text := claim.Unknown[p.Language()]; text != "" {
			return p.Say("Not known:") + " " + inCell(text), nil
		}
		return "", nil
	case kept:
		told = claim.Besides
	case corrected:
		told = claim.Instead
		if len(told.Text) == 0 {
			return p.Say("Nobody has written it down yet."), nil
		}
	}
	proofs, err := c.judgeAll(p, told.Proofs)
	return strings.TrimSpace(inCell(told.Text[p.Language()]) + " " + tell(p, proofs)), err
}

func (c Course) judgeAll(p lang.Printer, proofs []Proof) ([]judged, error) {
	var all []judged
	for _, proof := range proofs {
		j, err := c.judge(p, proof)
		if err != nil {
			return nil, err
		}
		all = append(all, j)
	}
	return all, nil
}

func renderClaims(c Course, b Block) (Content, error) {
	claims, err := claimsOf(c.Files, b, c.Manifest)
	if err != nil {
		return Content{}, err
	}
	p := lang.In(b.Lang)
	count := map[string]int{}
	var rows [][]string
	for _, claim := range claims {
		r, err := c.rule(p, claim)
		if err != nil {
			return Content{}, err
		}
		count[r.verdict]++
		rows = append(rows, r.row(c, b))
	}
	sum := fmt.Sprintf("Claims: %d. Kept: %d, corrected: %d, open: %d.", len(claims), count[kept], count[corrected], count[open])
	head := []string{p.Say("claim"), p.Say("verdict"), p.Say("what the proofs say"), p.Say("what is right")}
	parts := []string{p.Say(sum), grid(head, rows)}
	if made := c.madeWith(p, claims); made != "" {
		parts = append(parts, made)
	}
	return Content{Markdown: strings.Join(parts, "\n\n")}, nil
}

// row is a line of the table.
func (r ruling) row(c Course, b Block) []string {
	p := lang.In(b.Lang)
	id := r.ID
	if link := r.link(c, b); link != "" {
		id = "[" + r.ID + "](" + link + ")"
	}
	return []string{"**" + id + "** " + inCell(r.Text[p.Language()]), p.Say(r.verdict), tell(p, r.proofs), r.beside}
}

// inCell is an author's markdown within a table.
func inCell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}

// tell is what proofs say, one after the other.
func tell(p lang.Printer, all []judged) string {
	var parts []string
	for _, j := range all {
		parts = append(parts, p.Say(string(j.outcome))+": "+j.text)
	}
	return strings.Join(parts, " · ")
}

// link leads to the chapter that teaches the claim, if that is there: beside the file of
// claims, in the folder of the language.
func (r ruling) link(c Course, b Block) string {
	chapter := path.Join(path.Dir(b.Get("file")), string(lang.In(b.Lang).Language()), r.Chapter+".md")
	if _, err := fs.Stat(c.Files, chapter); err != nil {
		return ""
	}
	to, err := filepath.Rel(filepath.FromSlash(path.Dir(b.Page)), filepath.FromSlash(chapter))
	if err != nil {
		return ""
	}
	return filepath.ToSlash(to)
}

// madeWith lists the libraries and brokers of all trials; "" where there are none.
func (c Course) madeWith(p lang.Printer, claims []Claim) string {
	var docs []evidence.Document
	for _, claim := range claims {
		for _, proof := range claim.all() {
			if doc, err := gather(c, proof.Needs); err == nil && len(proof.Needs) > 0 {
				docs = append(docs, doc)
			}
		}
	}
	if len(docs) == 0 {
		return ""
	}
	return report.Versions(p, docs...)
}
