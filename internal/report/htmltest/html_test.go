package htmltest_test

import (
	"encoding/base64"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var shots = flag.String("shots", "", "write pictures of the pages into this directory")

// TestPages opens every golden file of package report. One has everything that a page may
// have, and gets the checks that take the browser seconds. The same browser, because it
// takes long to start, is then shown a page on which all is wrong.
func TestPages(t *testing.T) {
	files, err := filepath.Glob("../testdata/*.html")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	b := newBrowser(t)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".html")
		for _, wrong := range b.wrong(file, name == "violated") {
			t.Errorf("%s: %s", name, wrong)
		}
		if *shots != "" {
			b.shoot(file)
		}
	}
	for _, missed := range b.missed() {
		t.Error(missed)
	}
}

// wrong is what the checks say of a page.
func (b *browser) wrong(file string, thorough bool) []string {
	b.width(1280)
	b.media("", "prefers-color-scheme", "light")
	b.open(file)
	wrong := b.alone(file)
	if title := b.text("document.title"); !strings.HasPrefix(title, "kcompare ") {
		wrong = append(wrong, "its title is "+title)
	}
	wrong = slices.Concat(wrong, b.still(), b.named(), b.narrow(360), b.narrow(1280))
	if !thorough {
		return wrong
	}
	return slices.Concat(wrong, b.dayAndNight(), b.folds(), b.printed(), b.scriptless(file))
}

// missed is what nobody says of a page that has one fault for each check, or the check
// could not tell anything.
func (b *browser) missed() []string {
	b.t.Helper()
	file := filepath.Join(b.t.TempDir(), "wrong.html")
	page := `<!doctype html><html lang="xx"><title>other</title><style>a:focus, summary:focus { outline: none }
		html { scroll-behavior: smooth } body { background: white }</style>
		<script>addEventListener("load", () => { document.querySelector("p").textContent += "more" })</script>
		<body><a href="#report" class="skip">skip</a><main id="report" tabindex="-1"><h1>One</h1><h4>Two</h4>
		<p style="color: #ccc">pale</p><div style="width: 2000px">wide</div>
		<details><summary onclick="return false">fold</summary><p>folded</p></details>
		<table><tr><th>a</th></tr></table><svg role="img"><path/></svg><img src="other.png">
		</main></body></html>`
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		b.t.Fatal(err)
	}
	var missed []string
	said := strings.Join(b.wrong(file, true), "\n")
	for _, want := range []string{
		"it asks for file://", "the browser says", "its title is other", "nothing shows that this has the focus", "Enter does not fold",
		"it scrolls smooth", "parts are not printed", "a image without a name", "0 landmarks of the kind navigation", "its language is xx", "a table without a caption",
		"\ncolor-contrast", "dark: color-contrast", "heading-order", "as dark by day", "in a window of 1280", "in a window of 360", "something else without scripts",
	} {
		if !strings.Contains(said, want) {
			missed = append(missed, fmt.Sprintf("the page is wrong, and nobody says %q:\n%s", want, said))
		}
	}
	return missed
}

// shoot takes pictures of the page for somebody to look at.
func (b *browser) shoot(file string) {
	b.t.Helper()
	name := strings.TrimSuffix(filepath.Base(file), ".html")
	for _, one := range []struct {
		name, scheme string
		width        int
	}{{"light", "light", 1280}, {"dark", "dark", 1280}, {"narrow", "light", 360}} {
		b.media("", "prefers-color-scheme", one.scheme)
		b.width(one.width)
		b.open(file)
		b.eval(unfold, nil)
		for y, n := 0, 1; y < b.height(); y, n = y+1600, n+1 {
			b.picture(filepath.Join(*shots, fmt.Sprintf("%s-%s-%d.png", name, one.name, n)), y, one.width)
		}
	}
}

func (b *browser) picture(file string, y, width int) {
	b.t.Helper()
	var picture struct{ Data string }
	b.devtools("Page.captureScreenshot", map[string]any{"captureBeyondViewport": true, "clip": map[string]any{
		"x": 0, "y": y, "width": width, "height": min(1600, b.height()-y), "scale": 1,
	}}, &picture)
	content, err := base64.StdEncoding.DecodeString(picture.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(file, content, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// height is that of the page, as far as a picture may be.
func (b *browser) height() int {
	b.t.Helper()
	var height int
	b.eval("Math.min(document.scrollingElement.scrollHeight, 5000)", &height)
	return height
}
