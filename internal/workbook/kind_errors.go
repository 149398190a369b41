package workbook

func errorsKind() Kind {
	return Kind{Name: "errors"}
}
