package workbook

func lintKind() Kind {
	return Kind{Name: "lint"}
}
