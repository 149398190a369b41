// Package page finds the blocks of kcompare in a markdown page and puts new content in
// their place. It finds them with a markdown parser and replaces bytes: what stands
// outside blocks is never touched, whatever its line ends, indents and spelling are.
//
// A block stands between two comments on lines of their own:
//
//	<!-- kcompare:begin id="lost-ack" kind="compare" scenario="idempotent" -->
//	<!-- kcompare:end id="lost-ack" sum="vXcVMEUp9m" -->
//
// A marker within a fence or a code span is text.
package page

import (
	"fmt"
	"strings"
)

// Position is a place in a page, counted from 1, columns in characters.
type Position struct {
	File   string
	Line   int
	Column int
}

// Attribute is one key="value" of a begin marker.
type Attribute struct {
	Name  string
	Value string
	At    Position // of the name
	In    Position // of the first character of the value
}

// Block is what stands between two markers.
type Block struct {
	ID         string
	Kind       string
	At         Position    // of the begin marker
	Attributes []Attribute // in their order, without id and kind
	Body       string      // with \n as line ends, without the indents of a list or quote around it and without the blank lines beside the markers
	Sum        string      // what the end marker says; "" where it was never rendered
}

// Problem is one thing that is wrong with the markers of a page.
type Problem struct {
	At      Position
	Message string // what was found, what was expected
}

// Error is the problem as "file:line:col: message".
func (p Problem) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", p.At.File, p.At.Line, p.At.Column, p.Message)
}

// Problems is everything that is wrong with a page, in its order; the error of Parse.
type Problems []Problem

// Error has a line for each problem.
func (p Problems) Error() string {
	lines := make([]string, 0, len(p))
	for _, one := range p {
		lines = append(lines, one.Error())
	}
	return strings.Join(lines, "\n")
}

// Edited says that a person wrote in the block since kcompare did, or before it ever did:
// its text is not what the sum in its end marker is of.
func (b Block) Edited() bool {
	if b.Sum == "" {
		return b.Body != ""
	}
	return b.Sum != Sum(b.Body)
}
