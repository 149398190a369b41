package workbook

import (
	"kcompare/internal/evidence"
	"kcompare/internal/lang"
	"kcompare/internal/report"
)

// errorsKind is what programs were refused.
func errorsKind() Kind {
	return Kind{
		Name:       "errors",
		About:      "What the program was refused, call by call: the code that each client told, and the class it took it for.",
		Attributes: trialAttributes(),
		Needs:      needs,
		Render: told(needs, func(b Block, doc evidence.Document) (string, error) {
			return report.Errors(lang.In(b.Lang), doc), nil
		}),
	}
}
