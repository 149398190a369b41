package source

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// FuzzPythonListings gives any text to the splitter. Its helper has to live on, and
// whatever is found has to stand within the text.
func FuzzPythonListings(f *testing.F) {
	f.Add(string(readTestFile(f, "testdata/python/listings/notes.txt")))
	for _, seed := range []string{
		"", "\n", "Producer(", "  Producer({'acks':\n 1})\n", "try:\n\nexcept kafka", "if kafka (\n\n\n", "\x0cimport kafka\x1c\n",
		"from confluent_kafka import *\r\np = Producer({'acks': 0})\r\tq", "kafka = '''", "é = Producer({'bootstrap.servers': f'{é}'})",
		"@kafka\n\n@kafka\ndef", "kafka: \"\\", "else:\n kafka()", "class A:\n\tkafka=1\n        x=2\n",
		"from confluent_kafka import Producer\nx = Producer(x)\nx = Producer({**x, **x})\n", "import kafka as k\nq = k.client(**k)\n",
		"from kafka import KafkaProducer\nx = 9 ** 9 ** 9\nKafkaProducer(acks='%99999999d' % 1, retries=1 << 10 ** 9)\n",
	} {
		f.Add(seed)
	}
	helper, err := startPython(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(helper.stop)
	f.Fuzz(func(t *testing.T, text string) {
		slow := time.AfterFunc(10*time.Second, func() { _ = helper.cmd.Process.Kill() }) // then the answer fails
		defer slow.Stop()
		if err := json.NewEncoder(helper.in).Encode(pythonQuestion{Path: "fuzz.txt", Text: text, Unfenced: true, Versions: map[string]string{}}); err != nil {
			t.Fatal(err)
		}
		var file File
		if err := helper.answer(&file); err != nil {
			t.Fatalf("%v: %s", err, helper.bad.String())
		}
		if strings.Contains(file.Unread, "reader failed") {
			t.Error(file.Unread)
		}
		if err := placesWithin(text, file); err != nil {
			t.Error(err)
		}
	})
}

// placesWithin finds a place that the text has not.
func placesWithin(text string, f File) error {
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
	var places []Pos
	for _, b := range f.Blocks {
		places = append(places, b.At)
		for _, e := range b.Entries {
			places = append(places, e.KeyAt, e.Value.At)
		}
	}
	for _, x := range f.Facts {
		places = append(places, x.At)
	}
	for _, p := range places {
		if p.Line < 1 || p.Line > len(lines) || p.Column < 1 || p.Column > len([]rune(lines[p.Line-1])) {
			return fmt.Errorf("found something at %v, where the text has nothing", p)
		}
	}
	return nil
}
