package workbook

func configKind() Kind {
	return Kind{Name: "config"}
}
