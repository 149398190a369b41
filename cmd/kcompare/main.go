// Command kcompare compares what Kafka client libraries promise with what really
// happens.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/term"

	"kcompare"
	"kcompare/clients/install"
	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/cli"
	"kcompare/librdkafka"
	"kcompare/sarama"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	self, _ := os.Executable()   // without it stories with processes are not supported, and say so
	return cli.Main(ctx, cli.State{
		Self:           self,
		Stdin:          os.Stdin,
		Stdout:         os.Stdout,
		Stderr:         os.Stderr,
		StdoutTerminal: term.IsTerminal(int(os.Stdout.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
		StderrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
		Width:          width(),
		Now:            time.Now,
		Clients:        clients(),
		Installed:      install.User(kcompare.Source()),
	}, os.Args[1:])
}

// width is that of a report: 100 columns, or fewer on a narrow terminal.
func width() int {
	const most = 100
	if columns, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		return min(columns, most)
	}
	return most
}

func clients() []cli.Client {
	return []cli.Client{
		{Name: "franz", New: func() (drivers.Driver, error) { return franz.New(), nil }},
		{Name: "librdkafka", New: librdkafka.New},
		{Name: "sarama", New: func() (drivers.Driver, error) { return sarama.New(), nil }},
	}
}
