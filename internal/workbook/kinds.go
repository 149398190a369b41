package workbook

// Kinds lists every kind of block, in the order of the documentation.
func Kinds() []Kind {
	return []Kind{
		compareKind(), resultsKind(), differencesKind(), verdictsKind(), errorsKind(), partitionsKind(), exerciseKind(), versionsKind(),
		sequenceKind(), plotKind(), benchKind(),
		configKind(), defaultsKind(), lintKind(), codeKind(), outputKind(),
		claimsKind(),
	}
}
