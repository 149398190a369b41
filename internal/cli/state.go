// Package cli is the command line: one command, one file. It wires rooms
// together and decides nothing about Kafka.
package cli

import (
	"context"
	"io"
	"time"

	"kcompare/clients/install"
	"kcompare/drivers"
	"kcompare/internal/child"
)

// Version is what evidence and --version call this program.
const Version = "0.1.0"

// State is the process as a value: whatever a command needs of the world
// outside. It is made once, in main or in a test.
type State struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	StdoutTerminal bool // colour is welcome
	StderrTerminal bool // a live progress display is welcome
	Width          int  // columns of a report
	Now            func() time.Time
	Clients        []Client

	// Self is how this program is started again, as a contestant in a process of its
	// own: its path. "": it cannot be.
	Self string

	// Installed has the clients that are programs of their own.
	Installed install.Cache

	starter *child.Starter // of their processes: none outlives Main
}

// Client is a contestant that this build may have.
type Client struct {
	Name string
	New  func() (drivers.Driver, error) // the error says how to get it
}

// Main runs the command line and returns the exit code of the contract. It
// returns within two seconds after ctx has ended.
func Main(ctx context.Context, s State, args []string) int {
	s.starter = child.NewStarter()
	defer s.starter.Close()
	root := newRoot(&s)
	root.SetArgs(args)
	return s.exitCode(ctx, root.ExecuteContext(ctx))
}
