// Package workbook fills the blocks of a course's pages: what each kind of block needs to
// know, how it is written from evidence and sources, and whether what stands in a page is
// still that. Values in, values out: nothing is run here, no network, no clock.
package workbook

import (
	"io/fs"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
	"kcompare/internal/page"
	"kcompare/internal/source"
)

// Block is a block of a page, with what the page says of all of its blocks.
type Block struct {
	page.Block
	Page string        // path of the page from the root of the course, with slashes
	Lang lang.Language // of the page
}

// Get is the value of an attribute, "" where it is not there.
func (b Block) Get(name string) string {
	for _, a := range b.Attributes {
		if a.Name == name {
			return a.Value
		}
	}
	return ""
}

// Need is one trial that a block tells of. Two blocks, in whatever language, that need the
// same one share its evidence.
type Need struct {
	Scenario   string
	Variant    string // its whole name
	Client     string
	Broker     string // embedded or kafka
	Parameters Parameters
	Scene      string // which scene of the trace is kept (evidence.Scene.Of); "" none
}

// Parameters shape a trial beside its variant: the flags of `kcompare run` of these names,
// as they are written there. What a page does not say is the default of `kcompare run`, and
// stands here too: the zero value is no parameters at all.
type Parameters struct {
	Seed            int64
	Messages        int
	DropRate        float64
	Retries         int
	Warmup          int
	DeliveryTimeout string // "1m0s"
	Nodes           int
}

// Content is what a block becomes.
type Content struct {
	Markdown string            // between the markers, \n as line ends, none at its end
	Files    map[string][]byte // pictures, by path beside the page: "img/02-lost-ack.svg"
}

// Kind is a kind of block.
type Kind struct {
	Name       string
	About      string // one sentence
	Attributes []Attribute

	// Needs lists the trials that the block tells of; nil for a kind that needs none.
	// The error is an *AttributeError.
	Needs func(b Block, m Manifest) ([]Need, error)

	// Listings lists the files below the root that are read for what they say of Kafka
	// (ReadListings); nil for a kind that reads none. What is no such file Render refuses.
	Listings func(b Block) []string

	// Wants lists what the block tells of where a file of the course says it; nil for a kind
	// whose attributes say all. The error is an *AttributeError.
	Wants func(files fs.FS, b Block, m Manifest) (Wants, error)

	// Render writes the block. Every trial of Needs and every file of Listings, and what
	// Wants has of them, is in the course. The error is an *AttributeError where the page is wrong, an
	// *UncheckedError where this machine lacks what is needed.
	Render func(c Course, b Block) (Content, error)
}

// Attribute is one that a kind understands beside id and kind.
type Attribute struct {
	Name     string
	About    string // what may stand there
	Required bool
}

// AttributeError says that the value of an attribute, or the lack of one, is wrong; Message
// has what was expected and the nearest valid name.
type AttributeError struct {
	Name    string
	Message string

	// Broken says that the page may not be to blame: a file or a region of one that it shows
	// is not there any more. check tells of it as "broken region".
	Broken bool
}

func (e *AttributeError) Error() string { return e.Name + ": " + e.Message }

// UncheckedError says that a block could not be looked at on this machine, and what is
// missing: Python, a JDK. It is no mistake of the page.
type UncheckedError struct{ Reason string }

func (e *UncheckedError) Error() string { return e.Reason }

// Course is everything that blocks are rendered from.
type Course struct {
	Manifest Manifest
	Files    fs.FS // the course, from its root
	Evidence Evidence
	Listings map[string]source.File // of all blocks, by path below the root: see ReadListings
}

// Evidence is what was found out, by need.
type Evidence interface {
	// Trial is the evidence of a need and the document that it came from, without its
	// other trials; ok is false where there is none.
	Trial(n Need) (t evidence.Trial, of evidence.Document, ok bool)

	// Bench is the evidence of a bench; ok is false where there is none.
	Bench(n BenchNeed) (b evidence.Bench, ok bool)

	// Output is what the named program of the manifest printed, normalised, one line an
	// element; ok is false where there is none.
	Output(program string) (lines []string, ok bool)
}

// Manifest is kcompare.yaml at the root of a course. A course without one has the defaults.
type Manifest struct {
	Clients  []string      // of blocks that name none
	Programs []Program     // whose output blocks show
	Evidence string        // folder below the root: "evidence"
	Language lang.Language // of pages that no folder on the way to them says it of: English
}

// Program is one whose output a block may show. Pages name programs; what is run for a name
// stands in the manifest alone.
type Program struct {
	Name    string   // "franz/transaction"
	Client  string   // the client it is written for: says how it is started
	File    string   // path below the root: a Go package's folder, a .py or a .java
	Topics  []string // to make before: "orders:3" with three partitions
	Sources []string // patterns of the files it is made of, beside File
}
