package workbook

func compareKind() Kind {
	return Kind{Name: "compare"}
}
