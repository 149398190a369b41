package sequence_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"testing"

	"kcompare/internal/lang"
	"kcompare/internal/sequence"
)

func TestSVG(t *testing.T) {
	a, _ := pair(t, "all")
	a.Scene.LeftOut = 3
	golden(t, "all.svg", sequence.SVG(a, "01-all", lang.Printer{}))
}

// TestSVGTakesEverything draws texts with signs that mean something in XML.
func TestSVGTakesEverything(t *testing.T) {
	for _, text := range []string{"", `<>&"'`, "]]>", "<!--", "\x00\x1b\uFFFF", "Заказ"} {
		out := sequence.SVG(nasty(text), "x", lang.Printer{})
		d := xml.NewDecoder(bytes.NewReader(out))
		var err error
		for err == nil {
			_, err = d.Token()
		}
		if !errors.Is(err, io.EOF) {
			t.Errorf("%q: %v\n%s", text, err, out)
		}
	}
}
