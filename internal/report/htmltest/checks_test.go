package htmltest_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Each check says what is wrong with the page that is open.

// unfold opens whatever is folded, as a reader may.
const unfold = `document.querySelectorAll("details").forEach(d => d.open = true)`

// alone: the page asked for nothing but itself, and the browser had nothing to say.
func (b *browser) alone(file string) []string {
	var wrong []string
	for _, url := range b.requests() {
		if !strings.HasSuffix(url, "/"+filepath.Base(file)) {
			wrong = append(wrong, "it asks for "+url)
		}
	}
	for _, e := range b.log("browser") {
		wrong = append(wrong, "the browser says: "+e.Level+" "+e.Message)
	}
	return wrong
}

// accessible is what axe-core has against the page, as it is painted now: all of it, or
// what these rules find.
func (b *browser) accessible(rules ...string) []string {
	b.eval(unfold, nil)
	b.eval(b.axe, nil)
	options := `{resultTypes: ["violations"]}`
	if len(rules) > 0 {
		options = fmt.Sprintf(`{resultTypes: ["violations"], runOnly: ["%s"]}`, strings.Join(rules, `","`))
	}
	var wrong []string
	b.eval(`axe.run(document, `+options+`).then(r => r.violations.flatMap(v => v.nodes.map(n =>
		v.id + ": " + v.help + ": " + n.html.slice(0, 160) + " " + n.failureSummary.slice(0, 200))))`, &wrong)
	return wrong
}

// dayAndNight: it is light or dark as the reader likes it, and can be read in both.
func (b *browser) dayAndNight() []string {
	defer b.media("")
	const background = "getComputedStyle(document.body).backgroundColor"
	b.media("", "prefers-color-scheme", "light")
	light, wrong := b.text(background), b.accessible()
	b.media("", "prefers-color-scheme", "dark")
	if b.text(background) == light {
		wrong = append(wrong, "it is as dark by day as by night")
	}
	for _, one := range b.accessible("color-contrast") {
		wrong = append(wrong, "dark: "+one)
	}
	return wrong
}

// named: whoever cannot see the page is told what each picture and table is, where the
// parts of the page are, and which language to read it in.
func (b *browser) named() []string {
	b.eval(unfold, nil)
	var tree struct {
		Nodes []struct {
			Role, Name struct{ Value any }
			Ignored    bool
		}
	}
	b.devtools("Accessibility.getFullAXTree", map[string]any{}, &tree)
	var wrong []string
	seen := map[string]int{}
	for _, n := range tree.Nodes {
		role := fmt.Sprint(n.Role.Value)
		if n.Ignored {
			continue
		}
		seen[role]++
		if slices.Contains([]string{"image", "img", "table", "navigation", "link", "button", "DisclosureTriangle"}, role) && n.Name.Value == "" {
			wrong = append(wrong, "a "+role+" without a name")
		}
	}
	for _, landmark := range []string{"banner", "main", "navigation"} {
		if seen[landmark] != 1 {
			wrong = append(wrong, fmt.Sprintf("%d landmarks of the kind %s, expected 1", seen[landmark], landmark))
		}
	}
	if seen["heading"] < 2 {
		wrong = append(wrong, "it has no headings")
	}
	if language := b.text("document.documentElement.lang"); language != "en" && language != "ru" {
		wrong = append(wrong, "its language is "+language)
	}
	var cells []string
	b.eval(`[...document.querySelectorAll("th:not([scope]), table:not(:has(caption)), table:not(:has(th))")].map(e => e.outerHTML.slice(0, 80))`, &cells)
	for _, cell := range cells {
		wrong = append(wrong, "a table without a caption or headings: "+cell)
	}
	return wrong
}

// narrow: nothing is wider than the window but what can be moved in its own frame.
func (b *browser) narrow(pixels int) []string {
	b.width(pixels)
	b.eval(unfold, nil)
	var width int
	b.eval("document.scrollingElement.scrollWidth", &width)
	if width > pixels {
		return []string{fmt.Sprintf("it is %d pixels wide in a window of %d", width, pixels)}
	}
	return nil
}

// folds: whoever has only a keyboard skips to the report, sees where he is, and folds.
func (b *browser) folds() []string {
	b.eval("getSelection().removeAllRanges(); document.activeElement.blur(); scrollTo(0, 0)", nil)
	b.key("Tab")
	if left := b.text(`document.activeElement.className + " " + (document.activeElement.getBoundingClientRect().left >= 0)`); left != "skip true" {
		return []string{"the first thing with the focus is no visible link that skips: " + left}
	}
	b.key("Enter")
	if id := b.text("document.activeElement.id"); id != "report" {
		return []string{"the link does not lead to the report, but to " + id}
	}
	var wrong []string
	for range 200 {
		b.key("Tab")
		if b.text("document.activeElement.tagName") == "BODY" {
			return append(wrong, "no fold can be reached")
		}
		if b.text(`getComputedStyle(document.activeElement).outlineStyle`) == "none" {
			wrong = append(wrong, "nothing shows that this has the focus: "+b.text("document.activeElement.outerHTML.slice(0, 80)"))
		}
		if b.text("document.activeElement.tagName") == "SUMMARY" {
			break
		}
	}
	const open = "document.activeElement.parentElement.open"
	before := b.text(open)
	b.key("Enter")
	if b.text(open) == before {
		wrong = append(wrong, "Enter does not fold: "+b.text("document.activeElement.outerHTML.slice(0, 80)"))
	}
	return wrong
}

// scriptless: without scripts the page says the same.
func (b *browser) scriptless(file string) []string {
	const words = `document.querySelector("main").textContent`
	with := b.text(words)
	b.scripting(false)
	defer b.scripting(true)
	b.open(file)
	if without := b.text(words); without != with || b.text(`document.querySelectorAll("button").length`) != "0" {
		return []string{"it says something else without scripts"}
	}
	return nil
}

// printed: on paper nothing is folded.
func (b *browser) printed() []string {
	b.media("print")
	defer b.media("")
	b.eval(`document.querySelectorAll("details").forEach(d => d.open = false)`, nil)
	var hidden int
	b.eval(`[...document.querySelectorAll("details > *")].filter(e => e.checkVisibility({contentVisibilityAuto: true}) === false || e.getBoundingClientRect().height === 0).length`, &hidden)
	if hidden > 0 {
		return []string{fmt.Sprintf("%d parts are not printed", hidden)}
	}
	return nil
}

// still: nothing moves by itself where the reader asked for that.
func (b *browser) still() []string {
	b.media("", "prefers-reduced-motion", "reduce")
	defer b.media("")
	if how := b.text("getComputedStyle(document.documentElement).scrollBehavior"); how != "auto" {
		return []string{"it scrolls " + how + " although motion is to be reduced"}
	}
	return nil
}
