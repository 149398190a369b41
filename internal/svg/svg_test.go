package svg_test

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"kcompare/internal/svg"
)

// light is the relative luminance of a colour (WCAG 2).
func light(t *testing.T, hex string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	part := func(shift uint) float64 {
		v := float64(n>>shift&0xff) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*part(16) + 0.7152*part(8) + 0.0722*part(0)
}

func contrast(t *testing.T, a, b string) float64 {
	x, y := light(t, a), light(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// TestContrast: text has 4.5 to 1 on what it stands on, in both modes (WCAG 2, AA). The
// colours of series are held to that as well, though a bar needs but 3 to 1.
func TestContrast(t *testing.T) {
	by := map[string]svg.Colour{}
	for _, c := range svg.Colours() {
		by[c.Name] = c
	}
	for _, on := range [][2]string{
		{"ink", "paper"}, {"muted", "paper"}, {"bad", "paper"}, {"bad", "badbox"},
		{"s0", "paper"}, {"s1", "paper"}, {"s2", "paper"}, {"s3", "paper"}, {"s4", "paper"},
	} {
		if c := contrast(t, by[on[0]].Light, by[on[1]].Light); c < 4.5 {
			t.Errorf("light: %s on %s has %.2f to 1", on[0], on[1], c)
		}
		if c := contrast(t, by[on[0]].Dark, by[on[1]].Dark); c < 4.5 {
			t.Errorf("dark: %s on %s has %.2f to 1", on[0], on[1], c)
		}
	}
}

func TestBytes(t *testing.T) {
	p := svg.Picture{ID: "01-b", Title: `<"&'>`, About: "a\x00b\uFFFFc\nd"}
	p.Text(svg.Ink, -0.04, 1.0/3, svg.Middle, "x < y & z")
	p.Shape(svg.Solid, 0, 0, 1, 1.25, 2, 0)
	p.Shape(svg.SeriesLine(1), 0, 0, 1, 1)
	p.Line(svg.Edge, 1, 2, 3, 4)
	out := string(p.Bytes(10.2, 9))
	for _, want := range []string{
		`viewBox="0 0 11 9" width="11" height="9"`, `role="img" aria-labelledby="p-01-b-title p-01-b-desc"`,
		`<title id="p-01-b-title">&lt;"&amp;'&gt;</title>`, `<desc id="p-01-b-desc">abc d</desc>`, `x="0" y="0.3" text-anchor="middle">x &lt; y &amp; z<`,
		`d="M0 0L1 1.3L2 0Z"`, `d="M0 0L1 1"`, `<line class="edge" x1="1" y1="2" x2="3" y2="4"/>`, "prefers-color-scheme:dark", "#p-01-b .ink", "url(#p-01-b-p1)",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("lacks %s:\n%s", want, out)
		}
	}
	wellFormed(t, out)
}

func wellFormed(t *testing.T, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
	}
}
