package workbook

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/token"

	"kcompare/internal/config"
	"kcompare/internal/evidence"
	"kcompare/internal/lang"
	"kcompare/internal/page"
)

// mostClaims bounds a file of claims, as mostManifest bounds the manifest.
const mostClaims = 256 << 10

// ReadClaims reads a file of claims. Unknown keys, values of a wrong type and names that
// nothing stands behind are errors of the form "file:line:column: ...", with the nearest
// valid name.
func ReadClaims(file string, content []byte, m Manifest) ([]Claim, error) {
	claims, err := readClaims(content, m)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", file, err)
	}
	return claims, nil
}

func readClaims(content []byte, m Manifest) ([]Claim, error) {
	if len(content) > mostClaims {
		return nil, fmt.Errorf("1:1: %d bytes: expected at most %d", len(content), mostClaims)
	}
	var read claimsText
	if err := yaml.UnmarshalWithOptions(content, &read, yaml.Strict()); err != nil {
		return nil, placed(err, unknownClaimKey)
	}
	clients, err := manifestClients(read.Clients, Clients())
	if err != nil {
		return nil, err
	}
	if len(clients) > 0 {
		m.Clients = clients
	}
	var claims []Claim
	for _, text := range read.Claims {
		c, err := text.claim(m)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(claims, func(other Claim) bool { return other.ID == c.ID }) {
			return nil, text.ID.wrong("id: %s is the id of another claim already", c.ID)
		}
		claims = append(claims, c)
	}
	if len(claims) == 0 {
		return nil, fmt.Errorf("1:1: expected claims")
	}
	return claims, nil
}

// claimsText is the file as it stands there.
type claimsText struct {
	Clients []word      `yaml:"clients"` // of proofs that name none
	Claims  []claimText `yaml:"claims"`
}

type claimText struct {
	ID      word        `yaml:"id"`
	Chapter word        `yaml:"chapter"`
	En      word        `yaml:"en"`
	Ru      word        `yaml:"ru"`
	Proofs  []proofText `yaml:"proofs"`
	Instead besideText  `yaml:"instead"`
	Besides besideText  `yaml:"besides"`
	Unknown besideText  `yaml:"unknown"`
}

type besideText struct {
	En     word        `yaml:"en"`
	Ru     word        `yaml:"ru"`
	Proofs []proofText `yaml:"proofs"`
}

// proofText is a proof as it stands there. Its trial is asked for in the words that blocks
// have for it.
type proofText struct {
	Trial           word   `yaml:"trial"`
	Variant         word   `yaml:"variant"`
	Clients         word   `yaml:"clients"`
	Broker          word   `yaml:"broker"`
	Seed            word   `yaml:"seed"`
	Messages        word   `yaml:"messages"`
	DropRate        word   `yaml:"drop-rate"`
	Retries         word   `yaml:"retries"`
	Warmup          word   `yaml:"warmup"`
	DeliveryTimeout word   `yaml:"delivery-timeout"`
	Check           []word `yaml:"check"`
	Answer          word   `yaml:"answer"`
	Is              word   `yaml:"is"`
	Matches         word   `yaml:"matches"`
	Error           word   `yaml:"error"`
	Code            word   `yaml:"code"`
	Class           word   `yaml:"class"`
	Verdict         word   `yaml:"verdict"`

	Bench       word `yaml:"bench"`
	Compare     word `yaml:"compare"`
	Set         word `yaml:"set"`
	Fault       word `yaml:"fault"`
	Rounds      word `yaml:"rounds"`
	Records     word `yaml:"records"`
	RecordSize  word `yaml:"record-size"`
	Keys        word `yaml:"keys"`
	Partitions  word `yaml:"partitions"`
	Rate        word `yaml:"rate"`
	Transaction word `yaml:"transaction"`
	Ratio       word `yaml:"ratio"`

	Setting word `yaml:"setting"`
	Client  word `yaml:"client"`
	Default word `yaml:"default"`
	Known   word `yaml:"known"`

	Lint   word `yaml:"lint"`
	Rule   word `yaml:"rule"`
	Source word `yaml:"source"`
	Has    word `yaml:"has"`
	Found  word `yaml:"found"`

	Program word `yaml:"program"`
	Line    word `yaml:"line"`
}

var (
	claimID     = regexp.MustCompile(`^[A-Z][0-9]{2}$`)
	chapterName = regexp.MustCompile(`^[0-9]{2}(-[a-z]+)+$`)
)

func (c claimText) claim(m Manifest) (Claim, error) {
	claim := Claim{ID: c.ID.text, Chapter: c.Chapter.text}
	switch {
	case c.ID.at == nil:
		return claim, c.En.wrong("a claim: expected the key id")
	case !claimID.MatchString(claim.ID):
		return claim, c.ID.wrong("id: %q: expected a capital letter and two digits, as I23", claim.ID)
	case !chapterName.MatchString(claim.Chapter):
		return claim, c.ID.wrong("%s: chapter: %q: expected the name of a chapter, as 02-idempotent-producer", claim.ID, claim.Chapter)
	case c.En.at == nil || c.Ru.at == nil:
		return claim, c.ID.wrong("%s: expected the claim in both languages, en and ru", claim.ID)
	case len(c.Proofs) == 0:
		return claim, c.ID.wrong("%s: expected proofs: a claim without one cannot be looked at", claim.ID)
	case len(c.Unknown.Proofs) > 0:
		return claim, c.ID.wrong("%s: unknown: expected no proofs of it", claim.ID)
	}
	claim.Text = bothTexts(c.En, c.Ru)
	var err error
	if claim.Proofs, err = proofs(c.ID, c.Proofs, m); err != nil {
		return claim, err
	}
	for _, beside := range []struct {
		text besideText
		into *Beside
	}{{c.Instead, &claim.Instead}, {c.Besides, &claim.Besides}, {c.Unknown, &Beside{}}} {
		if *beside.into, err = beside.text.beside(c.ID, m); err != nil {
			return claim, err
		}
	}
	claim.Unknown = bothTexts(c.Unknown.En, c.Unknown.Ru)
	return claim, nil
}

func (t besideText) beside(of word, m Manifest) (Beside, error) {
	if (t.En.at == nil) != (t.Ru.at == nil) || t.En.at == nil && len(t.Proofs) > 0 {
		return Beside{}, of.wrong("%s: expected instead, besides and unknown in both languages, en and ru", of.text)
	}
	all, err := proofs(of, t.Proofs, m)
	return Beside{bothTexts(t.En, t.Ru), all}, err
}

func bothTexts(en, ru word) inLanguages {
	if en.at == nil {
		return nil
	}
	return inLanguages{lang.English: en.text, lang.Russian: ru.text}
}

func proofs(of word, texts []proofText, m Manifest) ([]Proof, error) {
	var all []Proof
	for _, text := range texts {
		p, err := text.proof(of, m)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// proof reads one. What it looks at says which keys may stand beside.
func (t proofText) proof(of word, m Manifest) (Proof, error) {
	for _, form := range []struct {
		about word
		keys  string
		read  func(Proof, Manifest) (Proof, error)
	}{
		{t.Trial, "trial variant clients broker seed messages drop-rate retries warmup delivery-timeout check answer is matches error code class verdict", t.ofTrial},
		{t.Bench, "bench clients broker warmup compare set fault rounds records record-size keys partitions rate transaction ratio", t.ofBench},
		{t.Setting, "setting client default known", t.ofSetting},
		{t.Lint, "lint rule found", t.ofLint},
		{t.Source, "source has found", t.ofSource},
		{t.Program, "program line", t.ofProgram},
	} {
		if form.about.at == nil {
			continue
		}
		for key, w := range t.words() {
			if w.at != nil && !slices.Contains(strings.Fields(form.keys), key) {
				return Proof{}, w.wrong("%s: expected no such key in this proof, only some of %s", key, strings.Join(strings.Fields(form.keys), ", "))
			}
		}
		if err := t.checkCode(); err != nil {
			return Proof{}, err
		}
		return form.read(Proof{}, m)
	}
	return Proof{}, of.wrong("%s: a proof looks at nothing: expected trial, bench, setting, lint, source or program", of.text)
}

// checkCode refuses what cannot stand as code in a table.
func (t proofText) checkCode() error {
	for _, w := range []word{t.Setting, t.Default, t.Error, t.Lint, t.Rule, t.Source, t.Has, t.Program, t.Line} {
		if strings.ContainsAny(w.text, "`|\\\n") {
			return w.wrong("%q: expected one line without ` | and \\", w.text)
		}
	}
	return nil
}

// words are the keys that the proof has.
func (t proofText) words() map[string]word {
	all := map[string]word{
		"variant": t.Variant, "clients": t.Clients, "broker": t.Broker, "seed": t.Seed, "messages": t.Messages, "drop-rate": t.DropRate,
		"retries": t.Retries, "warmup": t.Warmup, "delivery-timeout": t.DeliveryTimeout, "answer": t.Answer, "is": t.Is, "matches": t.Matches,
		"error": t.Error, "code": t.Code, "class": t.Class, "verdict": t.Verdict, "client": t.Client, "default": t.Default,
		"known": t.Known, "rule": t.Rule, "has": t.Has, "found": t.Found, "line": t.Line,
		"bench": t.Bench, "compare": t.Compare, "set": t.Set, "fault": t.Fault, "rounds": t.Rounds, "records": t.Records, "record-size": t.RecordSize,
		"keys": t.Keys, "partitions": t.Partitions, "rate": t.Rate, "transaction": t.Transaction, "ratio": t.Ratio,
		"trial": t.Trial, "setting": t.Setting, "lint": t.Lint, "source": t.Source, "program": t.Program,
	}
	if len(t.Check) > 0 {
		all["check"] = t.Check[0]
	}
	return all
}

func (t proofText) ofTrial(p Proof, m Manifest) (Proof, error) {
	b := Block{Block: page.Block{Kind: "claims"}}
	all := t.words()
	for _, name := range []string{"clients", "broker", "seed", "messages", "drop-rate", "retries", "warmup", "delivery-timeout"} {
		b = b.with(name, all[name].text)
	}
	b = b.with("scenario", t.Trial.text).with("variants", t.Variant.text)
	var err error
	if p.Needs, err = needs(b, m); err == nil {
		err = oneVariant(b, p.Needs)
	}
	if err != nil {
		return p, t.Trial.wrong("%s", err)
	}
	if p.Checks, err = comparisons(t.Check); err != nil {
		return p, err
	}
	if t.Answer.at != nil {
		if p.Answer, err = t.answer(); err != nil {
			return p, err
		}
	}
	if t.Error.at != nil {
		p.Error = &errorProof{t.Error.text, t.Code.text, t.Class.text}
	}
	p.Judged = t.Verdict.text
	asked := 0
	for _, is := range []bool{len(p.Checks) > 0, p.Answer != nil, p.Error != nil, p.Judged != ""} {
		if is {
			asked++
		}
	}
	if asked != 1 {
		return p, t.Trial.wrong("trial: expected one of check, answer, error and verdict beside it, there are %d", asked)
	}
	return p, t.checkVerdict()
}

func (t proofText) checkVerdict() error {
	known := []string{string(evidence.Holds), string(evidence.Violated)}
	if t.Verdict.at != nil && !slices.Contains(known, t.Verdict.text) {
		return t.Verdict.wrong("verdict: %q: expected %s", t.Verdict.text, strings.Join(known, " or "))
	}
	return nil
}

func (t proofText) answer() (*answerProof, error) {
	a := &answerProof{question: t.Answer.text, is: t.Is.text}
	if (t.Is.at == nil) == (t.Matches.at == nil) {
		return nil, t.Answer.wrong("answer: expected is or matches beside it")
	}
	if t.Matches.at == nil {
		return a, nil
	}
	var err error
	if a.matches, err = regexp.Compile("^(?:" + t.Matches.text + ")$"); err != nil {
		return nil, t.Matches.wrong("matches: %v", err)
	}
	return a, nil
}

var comparisonText = regexp.MustCompile(`^([A-Za-z_.]+) (==|!=|>=|<=|>|<) ([A-Za-z0-9_.]+)$`)

func comparisons(words []word) ([]comparison, error) {
	var all []comparison
	for _, w := range words {
		match := comparisonText.FindStringSubmatch(w.text)
		if match == nil {
			return nil, w.wrong("check: %q: expected a comparison such as duplicates == responses_dropped", w.text)
		}
		for _, operand := range []string{match[1], match[3]} {
			if err := checkOperand(w, operand); err != nil {
				return nil, err
			}
		}
		all = append(all, comparison{match[1], match[2], match[3]})
	}
	return all, nil
}

// requestsOf is how a comparison asks for requests of an API.
const requestsOf = "requests."

// checkOperand takes numbers, metrics and requests.API.
func checkOperand(w word, operand string) error {
	if _, isNumber := evidence.Counts(nil).Value(operand); isNumber || strings.HasPrefix(operand, requestsOf) {
		return nil
	}
	var known []string
	for _, m := range evidence.Metrics() {
		known = append(known, string(m))
	}
	if slices.Contains(known, operand) {
		return nil
	}
	if near := config.Nearest(operand, known); near != "" {
		return w.wrong("check: unknown metric %q: did you mean %s?", operand, near)
	}
	return w.wrong("check: unknown metric %q: expected a number, %sAPI or one of %s", operand, requestsOf, strings.Join(known, ", "))
}

func (t proofText) ofSetting(p Proof, _ Manifest) (Proof, error) {
	clients := distinct(libraries(), func(l library) string { return l.client })
	if err := knownClient(t.Client, clients); err != nil {
		return p, orAt(t.Client, t.Setting, err, "client")
	}
	if (t.Default.at == nil) == (t.Known.at == nil) {
		return p, t.Setting.wrong("setting: expected default or known beside it")
	}
	p.Option = &settingProof{key: t.Setting.text, client: t.Client.text, byDefault: t.Default.text}
	if _, ok := config.Lookup(t.Setting.text); !ok && t.Default.at != nil {
		return p, t.Setting.wrong("setting: there is none of the name %s", t.Setting.text)
	}
	var err error
	p.Option.known, err = t.Known.yes()
	return p, err
}

// orAt is the error of a word, or where that is missing one at the word beside which it was
// expected.
func orAt(w, beside word, err error, key string) error {
	if w.at == nil {
		return beside.wrong("expected %s beside it", key)
	}
	return err
}

func (t proofText) ofLint(p Proof, _ Manifest) (Proof, error) {
	if t.Rule.at == nil {
		return p, t.Lint.wrong("lint: expected rule beside it")
	}
	p.Rule = t.Rule.text
	return t.inFile(p, t.Lint, "lint")
}

func (t proofText) ofSource(p Proof, _ Manifest) (Proof, error) {
	if t.Has.at == nil {
		return p, t.Source.wrong("source: expected has beside it")
	}
	p.Has = t.Has.text
	return t.inFile(p, t.Source, "source")
}

func (t proofText) inFile(p Proof, file word, key string) (Proof, error) {
	var err error
	if p.File, err = file.below(key); err != nil {
		return p, err
	}
	found := true
	if t.Found.at != nil {
		found, err = t.Found.yes()
	}
	p.Absent = !found
	return p, err
}

func (t proofText) ofProgram(p Proof, m Manifest) (Proof, error) {
	if t.Line.at == nil {
		return p, t.Program.wrong("program: expected line beside it")
	}
	if err := checkProgram(m, t.Program.text); err != nil {
		return p, t.Program.wrong("%s", err)
	}
	p.Program, p.Line = t.Program.text, t.Line.text
	return p, nil
}

// yes reads "yes" and "no"; a word that is not there is no.
func (w word) yes() (bool, error) {
	if w.at != nil && w.text != "yes" && w.text != "no" {
		return false, w.wrong("%q: expected \"yes\" or \"no\"", w.text)
	}
	return w.text == "yes", nil
}

// unknownClaimKey words the error of a key that no part of the file has.
func unknownClaimKey(t *token.Token) error {
	known := slices.Concat(keysOf[claimsText](), keysOf[claimText](), keysOf[besideText](), keysOf[proofText]())
	if slices.Contains(known, t.Value) {
		return problemAt(t, "key %q: expected none of that name here", t.Value)
	}
	if near := config.Nearest(t.Value, known); near != "" {
		return problemAt(t, "unknown key %q: did you mean %s?", t.Value, near)
	}
	return problemAt(t, "unknown key %q: expected one of %s", t.Value, strings.Join(slices.Compact(slices.Sorted(slices.Values(known))), ", "))
}
