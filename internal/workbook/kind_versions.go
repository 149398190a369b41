package workbook

func versionsKind() Kind {
	return Kind{Name: "versions"}
}
