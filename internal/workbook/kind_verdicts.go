package workbook

func verdictsKind() Kind {
	return Kind{Name: "verdicts"}
}
