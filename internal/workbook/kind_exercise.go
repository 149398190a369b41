package workbook

func exerciseKind() Kind {
	return Kind{Name: "exercise"}
}
