package workbook

func sequenceKind() Kind {
	return Kind{Name: "sequence"}
}
