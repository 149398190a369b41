package workbook

func partitionsKind() Kind {
	return Kind{Name: "partitions"}
}
