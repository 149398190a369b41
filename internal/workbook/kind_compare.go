package workbook

import (
	"kcompare/internal/evidence"
	"kcompare/internal/lang"
	"kcompare/internal/report"
)

// compareKind shows what clients did side by side, in one variant or several.
func compareKind() Kind {
	return Kind{
		Name:       "compare",
		About:      "Figures of a scenario, row by row, with a column for each client in each variant.",
		Attributes: trialAttributes(rowsAttribute()),
		Needs:      needsWithRows,
		Render: told(needsWithRows, func(b Block, doc evidence.Document) (string, error) {
			text, err := report.Compare(lang.In(b.Lang), doc.Trials, rowsOf(b))
			return text, rowError("rows", err)
		}),
	}
}
