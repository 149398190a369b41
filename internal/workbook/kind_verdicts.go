package workbook

import (
	"kcompare/internal/evidence"
	"kcompare/internal/lang"
	"kcompare/internal/report"
)

// verdictsKind is what became of the claims of scenarios.
func verdictsKind() Kind {
	return Kind{
		Name:       "verdicts",
		About:      "Variants of one scenario or several: kind, claim, and the verdict on every client.",
		Attributes: trialAttributes(),
		Needs:      needs,
		Render: told(needs, func(b Block, doc evidence.Document) (string, error) {
			return report.Verdicts(lang.In(b.Lang), doc), nil
		}),
	}
}
