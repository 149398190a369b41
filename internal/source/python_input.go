package source

// input is a text that a frontend reads: a whole file or one fenced block of it.
type input struct {
	path      string
	text      []byte
	firstLine int  // how many lines of the file stand before text
	unfenced  bool // text may be prose around listings
}
