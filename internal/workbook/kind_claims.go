package workbook

func claimsKind() Kind {
	return Kind{Name: "claims"}
}
