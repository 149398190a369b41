package workbook

func resultsKind() Kind {
	return Kind{Name: "results"}
}
