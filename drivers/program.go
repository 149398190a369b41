package drivers

import "context"

// Program is a Driver whose library lives in a process of its own, such as that of
// another language. It can be asked about settings as it is; whoever plays a story
// starts a process for that story alone.
type Program interface {
	Driver

	// Start starts a process, or takes one that played before and has nothing left of it.
	// Its error says why it is not ready; ctx bounds the start only.
	Start(ctx context.Context) (Running, error)
}

// Running is the Driver of one process. All clients that it makes live there.
type Running interface {
	Driver

	// Fault is what the program itself did wrong so far: it ended, hung, or said what
	// makes no sense. Nothing that it told can be relied on then. It is nil for errors
	// of the library, which the clients report.
	Fault() error

	// Process is the id of the process, for whoever measures what it costs.
	Process() int

	// Close ends the process, whatever its clients still do, and waits until it is gone;
	// where the program allows it and all its clients are closed it is kept for another
	// Start. Clients that were not closed before are given up.
	Close()
}

// Speaking is a Running that knows in which language its program is written.
type Speaking interface {
	// Language is the language and the version of what runs it: "Python 3.11.7".
	Language() string
}
