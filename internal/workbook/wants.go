package workbook

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"kcompare/internal/config"
	"kcompare/internal/page"
)

// Wants is what blocks tell of: trials, programs of the manifest, files.
type Wants struct {
	Needs    []Need
	Benches  []BenchNeed
	Programs []string
	Listings []string // files below the root that are read for what they say of Kafka
}

// Wants lists what the chosen blocks of a book tell of, each once, in the order of the
// pages, and checks what the markers of all blocks say on the way. The error is
// page.Problems, all of them.
func (b Book) Wants(m Manifest, choice Choice) (Wants, error) {
	var w Wants
	var problems page.Problems
	files := os.DirFS(b.Root)
	for _, c := range b.Chapters {
		for _, block := range c.Page.Blocks {
			own, wrong := wantsOf(files, c.block(block), m)
			problems = append(problems, wrong...)
			if choice.takes(block) {
				w.Needs = append(w.Needs, own.Needs...)
				w.Benches = append(w.Benches, own.Benches...)
				w.Programs = append(w.Programs, own.Programs...)
				w.Listings = append(w.Listings, own.Listings...)
			}
		}
	}
	if len(problems) > 0 {
		return Wants{}, problems
	}
	return Wants{Needs: once(w.Needs), Benches: once(w.Benches), Programs: once(w.Programs), Listings: once(w.Listings)}, nil
}

// Lacking says whether some of it is missing or stale.
func (w Wants) Lacking(s Source) bool {
	changed, _ := w.changed(s)
	return len(changed) > 0
}

// once is a list without what stands there a second time.
func once[T comparable](all []T) []T {
	var list []T
	seen := map[T]bool{}
	for _, one := range all {
		if !seen[one] {
			seen[one] = true
			list = append(list, one)
		}
	}
	return list
}

// wantsOf is what one block tells of.
func wantsOf(files fs.FS, b Block, m Manifest) (Wants, page.Problems) {
	kind, problems := kindOf(b)
	if len(problems) > 0 {
		return Wants{}, problems
	}
	var w Wants
	if program := b.Get("program"); program != "" {
		if err := checkProgram(m, program); err != nil {
			return Wants{}, page.Problems{problemOf(b, err)}
		}
		w.Programs = append(w.Programs, program)
	}
	if kind.Listings != nil {
		w.Listings = kind.Listings(b)
	}
	if kind.Wants != nil {
		w, err := kind.Wants(files, b, m)
		if err != nil {
			return Wants{}, page.Problems{problemOf(b, err)}
		}
		return w, nil
	}
	if kind.Needs == nil {
		return w, nil
	}
	needs, err := kind.Needs(b, m)
	if err != nil {
		return Wants{}, page.Problems{problemOf(b, err)}
	}
	w.Needs = needs
	return w, nil
}

// kindOf is the kind of a block, if the block has what that kind understands.
func kindOf(b Block) (Kind, page.Problems) {
	kinds := Kinds()
	at := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == b.Kind })
	if at < 0 {
		return Kind{}, page.Problems{{At: b.At, Message: unknownName("kind", b.Kind, namesOf(kinds, func(k Kind) string { return k.Name }))}}
	}
	kind := kinds[at]
	if kind.Render == nil {
		return Kind{}, page.Problems{{At: b.At, Message: fmt.Sprintf("kind %s is not built yet", kind.Name)}}
	}
	known := namesOf(kind.Attributes, func(a Attribute) string { return a.Name })
	var problems page.Problems
	for _, a := range b.Attributes {
		if !slices.Contains(known, a.Name) {
			problems = append(problems, page.Problem{At: a.At, Message: unknownName("attribute", a.Name, append(known, "id", "kind")) + ", in a block of kind " + kind.Name})
		}
	}
	for _, a := range kind.Attributes {
		if len(problems) == 0 && a.Required && b.Get(a.Name) == "" { // else it may be the one that is misspelt
			problems = append(problems, page.Problem{At: b.At, Message: fmt.Sprintf("block %q of kind %s has no %s: expected %s=\"...\", %s", b.ID, kind.Name, a.Name, a.Name, a.About)})
		}
	}
	return kind, problems
}

// problemOf gives the error of a kind its place in the page.
func problemOf(b Block, err error) page.Problem {
	if all := (page.Problems)(nil); errors.As(err, &all) {
		return all[0]
	}
	wrong := (*AttributeError)(nil)
	if !errors.As(err, &wrong) {
		return page.Problem{At: b.At, Message: fmt.Sprintf("block %q: %v", b.ID, err)}
	}
	for _, a := range b.Attributes {
		if a.Name == wrong.Name {
			return page.Problem{At: a.In, Message: wrong.Error()}
		}
	}
	return page.Problem{At: b.At, Message: fmt.Sprintf("block %q: %v", b.ID, wrong)}
}

// unknownName says that there is no thing of a name, and which one was probably meant.
func unknownName(thing, name string, known []string) string {
	if near := config.Nearest(name, known); near != "" {
		return fmt.Sprintf("unknown %s %q: did you mean %s?", thing, name, near)
	}
	return fmt.Sprintf("unknown %s %q: expected one of %s", thing, name, strings.Join(known, ", "))
}

func namesOf[T any](all []T, name func(T) string) []string {
	list := make([]string, 0, len(all))
	for _, one := range all {
		list = append(list, name(one))
	}
	return list
}
