package source

type input struct {
	path      string
	text      []byte
	firstLine int
}
