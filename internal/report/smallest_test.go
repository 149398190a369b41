package report

import (
	"testing"

	"kcompare/internal/evidence"
)

func TestSmallest(t *testing.T) {
	shrunk := evidence.Shrunk{
		Command: "kcompare run idempotent --client=kafkajs --messages=2 --seed=3", Records: 2,
		Struck: map[string]int64{"drop-response": 1, "hold-request": 2}, Times: 2, Tries: 3,
	}
	got := smallest(client{trials: []evidence.Trial{{}, {Shrunk: &shrunk}}})
	const want = "smallest case found: 2 records, 1 lost answer, 2 hold-requests, 2 of 3 times: kcompare run idempotent --client=kafkajs --messages=2 --seed=3"
	if len(got) != 1 || got[0].paint(newPainter(false)) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if none := smallest(client{trials: []evidence.Trial{{}}}); none != nil {
		t.Errorf("a trial that was not shrunk has %v", none)
	}
}
