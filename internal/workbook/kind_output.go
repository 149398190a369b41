package workbook

func outputKind() Kind {
	return Kind{Name: "output"}
}
