package workbook

import (
	"errors"
	"regexp"
	"strings"

	"kcompare/internal/config"
	"kcompare/internal/report"
)

// rowsAttribute is of kinds that show figures of trials.
func rowsAttribute() Attribute {
	return Attribute{Name: "rows", About: "what is shown, with commas between, or with ; where a name has a comma: metrics of the evidence, `verdict`, `elapsed`, `answers`, the question of an answer (default: what helps to judge)"}
}

// rowsOf is what the attribute asks for; none: what helps to judge.
func rowsOf(b Block) []string {
	separator := ","
	if strings.Contains(b.Get("rows"), ";") {
		separator = ";"
	}
	return listOf(b, "rows", separator)
}

// metricLike is how a metric is spelled. A question of an answer is hardly ever.
var metricLike = regexp.MustCompile(`^[a-z_]+$`)

// checkRows refuses what is nearly the name of a row before anything is played for it.
// Which questions there are is known from the evidence alone.
func checkRows(attribute string, rows []string) error {
	for _, name := range rows {
		near := config.Nearest(name, report.RowNames())
		if metricLike.MatchString(name) && near != "" && near != name {
			return wrongName(attribute, "row", name, report.RowNames())
		}
	}
	return nil
}

// rowError says in which attribute an unknown row stands.
func rowError(attribute string, err error) error {
	var unknown *report.UnknownRow
	if errors.As(err, &unknown) {
		return wrongName(attribute, "row", unknown.Name, unknown.Known)
	}
	return err
}

// needsWithRows is needs of a block whose rows are checked too.
func needsWithRows(b Block, m Manifest) ([]Need, error) {
	if err := checkRows("rows", rowsOf(b)); err != nil {
		return nil, err
	}
	return needs(b, m)
}

// oneTrial is needsWithRows of a block that tells of one trial.
func oneTrial(b Block, m Manifest) ([]Need, error) {
	all, err := needsWithRows(b, m)
	if err == nil {
		err = oneVariant(b, all)
	}
	if err == nil {
		err = mostClients(b, all, 1)
	}
	return all, err
}
