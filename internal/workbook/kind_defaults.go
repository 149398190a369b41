package workbook

func defaultsKind() Kind {
	return Kind{Name: "defaults"}
}
