package workbook

import (
	"strings"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
	"kcompare/internal/report"
)

// exerciseKind asks a question whose answer comes from evidence and is folded.
func exerciseKind() Kind {
	return Kind{
		Name:  "exercise",
		About: "A question, and its answer from the evidence behind a fold.",
		Attributes: trialAttributes(
			Attribute{Name: "question", About: "markdown, a sentence or two", Required: true},
			Attribute{Name: "answer", About: "a metric, `verdict`, `answers` or the question of an answer: what the reader is to predict", Required: true},
			Attribute{Name: "hint", About: "markdown, behind a fold of its own"},
		),
		Needs: exerciseNeeds,
		Render: told(exerciseNeeds, func(b Block, doc evidence.Document) (string, error) {
			in := lang.In(b.Lang)
			answer, err := report.Compare(in, doc.Trials, []string{b.Get("answer")})
			return exercise(in, b.Get("question"), b.Get("hint"), answer), rowError("answer", err)
		}),
	}
}

func exerciseNeeds(b Block, m Manifest) ([]Need, error) {
	for _, name := range []string{"question", "answer"} {
		if strings.TrimSpace(b.Get(name)) == "" {
			return nil, attributeError(name, "is missing")
		}
	}
	if err := checkRows("answer", []string{b.Get("answer")}); err != nil {
		return nil, err
	}
	return needs(b, m)
}

// exercise has blank lines around the tags: they let GitHub read markdown between them.
func exercise(in lang.Printer, question, hint, answer string) string {
	parts := []string{question, in.Say("Predict first, then look.")}
	if hint != "" {
		parts = append(parts, folded(in.Say("Hint"), hint))
	}
	return strings.Join(append(parts, folded(in.Say("Answer"), answer)), "\n\n")
}

func folded(summary, text string) string {
	return "<details><summary>" + summary + "</summary>\n\n" + text + "\n\n</details>"
}
