package workbook

func differencesKind() Kind {
	return Kind{Name: "differences"}
}
