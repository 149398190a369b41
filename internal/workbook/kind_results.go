package workbook

import (
	"kcompare/internal/evidence"
	"kcompare/internal/lang"
	"kcompare/internal/report"
)

// resultsKind is the table METRIC and VALUE of one trial.
func resultsKind() Kind {
	return Kind{
		Name:       "results",
		About:      "The table METRIC and VALUE of one client in one variant.",
		Attributes: trialAttributes(rowsAttribute()),
		Needs:      oneTrial,
		Render: told(oneTrial, func(b Block, doc evidence.Document) (string, error) {
			text, err := report.Results(lang.In(b.Lang), doc.Trials[0], rowsOf(b))
			return text, rowError("rows", err)
		}),
	}
}
