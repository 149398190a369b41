package main

import (
	"context"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/twmb/franz-go/pkg/kgo"
)

// produce writes records one after the other, as a program of the user's own would:
// produce ADDRESS TOPIC RECORDS. It lets the broker create the topic. With ! in front
// every record has to fail.
func produce(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: produce ADDRESS TOPIC RECORDS")
	}
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	cl, err := kgo.NewClient(
		kgo.SeedBrokers(args[0]), kgo.ClientID("shop"),
		kgo.AllowAutoTopicCreation(), kgo.DefaultProduceTopic(args[1]),
	)
	ts.Check(err)
	defer cl.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for range n {
		err = cl.ProduceSync(ctx, kgo.StringRecord("paid")).FirstErr()
		if neg != (err != nil) {
			ts.Fatalf("produce to %s: error %v", args[1], err)
		}
	}
}
