package workbook

import (
	"kcompare/internal/evidence"
	"kcompare/internal/lang"
	"kcompare/internal/report"
)

// differencesKind says where clients did not do the same.
func differencesKind() Kind {
	return Kind{
		Name:       "differences",
		About:      "Where clients did not do the same: verdicts, answers, what they said, errors, the log, the wire.",
		Attributes: trialAttributes(),
		Needs:      severalClients,
		Render: told(severalClients, func(b Block, doc evidence.Document) (string, error) {
			return report.Differences(lang.In(b.Lang), doc), nil
		}),
	}
}

// severalClients is needs of a block that tells clients apart.
func severalClients(b Block, m Manifest) ([]Need, error) {
	all, err := needs(b, m)
	if err == nil && len(distinct(all, func(n Need) string { return n.Client })) < 2 {
		return nil, attributeError("clients", "%s alone differs from nobody: expected two clients or more", all[0].Client)
	}
	return all, err
}
