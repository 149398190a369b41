package workbook

func codeKind() Kind {
	return Kind{Name: "code"}
}
