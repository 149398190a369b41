package brokerdiff

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"kcompare/internal/broker"
)

func TestScratch(t *testing.T) {
	e, err := broker.StartEmbedded(1)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	a, err := Ask(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	k, err := broker.StartKafka(t.Context(), broker.KafkaOptions{Nodes: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	b, err := Ask(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	f, _ := os.Create("/tmp/h5-answers.txt")
	for _, s := range Situations() {
		x, y := strings.Join(a[s.ID], "; "), strings.Join(b[s.ID], "; ")
		if x == y {
			fmt.Fprintf(f, "SAME %s: %s\n   %s\n", s.ID, s.Asks, x)
		} else {
			fmt.Fprintf(f, "DIFF %s: %s\n   kafka: %s\n   kfake: %s\n", s.ID, s.Asks, y, x)
		}
	}
	f.Close()
}
