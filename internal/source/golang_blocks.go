package source

import (
	"go/ast"
	"slices"
	"strings"

	"kcompare/internal/config"
)

// confluentClient is kafka.NewProducer and its like.
func (w *goWalker) confluentClient(c *ast.CallExpr, maker string) *goSettings {
	args := w.arguments(c.Args)
	if len(args) == 1 && args[0] != nil {
		w.client(c, maker, args[0])
	}
	return nil
}

// kgoClient is kgo.NewClient and its like.
func (w *goWalker) kgoClient(c *ast.CallExpr, maker string) *goSettings {
	s := &goSettings{options: true, in: w.f, at: c, home: w.path}
	w.options(s, c.Args, c.Ellipsis.IsValid())
	w.client(c, maker, s)
	return nil
}

func (w *goWalker) client(c *ast.CallExpr, maker string, s *goSettings) {
	w.clients = append(w.clients, goClient{call: c, in: w.f, maker: maker, settings: s.clone(), entries: s.settled(w.path)})
}

// written are the blocks of the file: what clients get, and what is given to none.
func (w *goWalker) written() []Block {
	var blocks []Block
	var given []ast.Node
	for _, c := range w.clients {
		given = append(given, c.settings.from...)
		if len(c.entries) > 0 {
			blocks = append(blocks, w.asBlock(c))
		}
	}
	for _, s := range w.made {
		given = append(given, s.from[1:]...)
	}
	for _, s := range w.made {
		if len(s.entries) > 0 && !slices.Contains(given, s.at) {
			c := goClient{settings: s, entries: s.settled(s.home)}
			blocks = append(blocks, w.asBlock(c))
		}
	}
	slices.SortStableFunc(blocks, func(a, b Block) int { return goBefore(a.At, b.At) })
	return blocks
}

func goBefore(a, b Pos) int {
	if a.Line != b.Line {
		return a.Line - b.Line
	}
	return a.Column - b.Column
}

func (w *goWalker) asBlock(c goClient) Block {
	b := Block{Client: "librdkafka", Class: c.maker, Open: c.settings.open}
	if c.settings.options {
		b.Client = "franz"
	}
	b.Version = w.f.beside.version(w.f.in.path, b.Client)
	b.At = w.place(c)
	for _, e := range c.entries {
		b.Entries = append(b.Entries, e.seenFrom(w.f))
	}
	b.Role = c.role()
	return b
}

// place is where the settings are written, or the call where they are from another file.
func (w *goWalker) place(c goClient) Pos {
	switch {
	case c.settings.in == w.f:
		return w.f.at(c.settings.at.Pos())
	case c.in == w.f:
		return w.f.at(c.call.Pos())
	}
	return Pos{Line: w.f.in.firstLine + 1, Column: 1}
}

// seenFrom is the entry as a file has it: one that stands in another says in which.
func (e goEntry) seenFrom(f *goFile) Entry {
	seen := e.Entry
	if e.in != f {
		seen.Path = e.in.in.path
	}
	return seen
}

// role is what the call makes, or else what the keys are for.
func (c goClient) role() Role {
	switch c.maker {
	case "NewProducer":
		return Producer
	case "NewConsumer":
		return Consumer
	case "NewAdminClient":
		return Admin
	}
	var produces, consumes bool
	for _, e := range c.entries {
		switch goApplies(e) {
		case "P":
			produces = true
		case "C":
			consumes = true
		}
	}
	switch {
	case produces && !consumes:
		return Producer
	case consumes && !produces:
		return Consumer
	}
	return AnyRole
}

// goApplies is "P" for what is of producers alone, and "C" for what is of consumers alone.
func goApplies(e goEntry) string {
	if e.call != nil {
		return kgoApplies(e.Key)
	}
	if s, known := config.Lookup(e.Key); known {
		return s.Applies
	}
	if strings.HasPrefix(e.Key, "go.events.channel.enable") || e.Key == "go.application.rebalance.enable" {
		return "C"
	}
	return ""
}
