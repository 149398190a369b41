package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"kcompare"
	"kcompare/clients"
	"kcompare/clients/install"
	"kcompare/drivers"
	"kcompare/internal/broker"
	"kcompare/internal/child"
	"kcompare/internal/performance"
	"kcompare/internal/volume"
)

const (
	largePiece    = 1_000_000        // records of a topic: 60 MB on disk
	largeValue    = 32               // bytes
	largePatience = 10 * time.Minute // for a piece
)

// large lets each client that is installed write so many records to an Apache Kafka, and
// audits them. One that fails does not keep the others from it.
func (o options) large(ctx context.Context) error {
	names := strings.Split(o.clients, ",")
	for _, name := range names {
		if !slices.Contains(performance.VolumeClients(), name) {
			return fmt.Errorf("--clients=%s: unknown client %q: expected some of %s", o.clients, name, strings.Join(performance.VolumeClients(), ","))
		}
	}
	starter := child.NewStarter()
	defer starter.Close()
	kafka, err := broker.StartKafka(ctx, broker.KafkaOptions{Nodes: 1, Progress: func(line string) { fmt.Fprintln(os.Stderr, line) }})
	if err != nil {
		return err
	}
	defer func() { _ = kafka.Close() }()
	return o.record(ctx, performance.Large, func(out io.Writer) error {
		if _, err := fmt.Fprintf(out, "broker: %s\n", kafka.Info().Software); err != nil {
			return err
		}
		var failed []error
		for _, name := range names {
			if err := o.largeOf(ctx, starter, kafka, name, out); err != nil {
				failed = append(failed, err)
			}
		}
		return errors.Join(failed...)
	})
}

func (o options) largeOf(ctx context.Context, starter *child.Starter, kafka *broker.Kafka, name string, out io.Writer) error {
	program, err := o.program(ctx, starter, name)
	if err != nil {
		fmt.Fprintf(os.Stderr, "without %s: %v\n", name, err) // it is not measured, and the page says so
		return nil
	}
	result, err := volume.Run(ctx, volume.Options{
		Program: program, Cluster: kafka, Records: o.records, Piece: largePiece, ValueBytes: largeValue, Topics: "kcompare-large",
		Config: map[string]string{
			"acks": "all", "enable.idempotence": "true", "linger.ms": "5", "batch.size": "131072", "compression.type": "none",
		},
		Patience: largePatience, Now: time.Now,
	}, os.Getpid())
	if err != nil {
		return err
	}
	return performance.WriteVolume(out, name, result)
}

// program is a client in a process of its own: the Go ones are kcompare itself.
func (o options) program(ctx context.Context, starter *child.Starter, name string) (drivers.Program, error) {
	if slices.Contains([]string{"franz", "librdkafka", "sarama"}, name) {
		return clients.New(ctx, starter, clients.Program{Client: name, Command: []string{o.kcompare, "serve-client", name}})
	}
	named, err := install.Parse(name)
	if err != nil {
		return nil, err
	}
	found, err := install.User(kcompare.Source()).Find(ctx, named)
	if err != nil {
		return nil, err
	}
	return clients.New(ctx, starter, found)
}
