package workbook

func plotKind() Kind {
	return Kind{Name: "plot"}
}
