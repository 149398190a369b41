package report

import (
	"testing"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
)

// TestAnomaliesAreSaid: what is wrong stands behind a figure, so that one sentence is said.
func TestAnomaliesAreSaid(t *testing.T) {
	in := lang.In(lang.Russian)
	for _, kind := range []evidence.AnomalyKind{
		evidence.Lost, evidence.Duplicate, evidence.Reordered, evidence.Corrupted, evidence.WrongPartition, evidence.Phantom,
		evidence.FailedButPresent, evidence.OffsetMismatch, evidence.OffsetGap, evidence.AbortedVisible, evidence.TornTransaction,
		evidence.FencedWriteVisible, evidence.UncommittedVisible, evidence.StuckReader, evidence.InputSkipped,
		evidence.InputReprocessed, evidence.PollSkipped, evidence.PollNonmonotonic, "of-tomorrow",
	} {
		for _, n := range []int64{1, 2, 5} {
			noun, rest := inWords(kind)
			text := over([]int64{n}).plural(noun) + " " + rest
			if !in.Knows(text) {
				t.Errorf("%s has no Russian translation: %s", kind, text)
			}
		}
		if kind != "of-tomorrow" && !in.Knows(string(kind)) {
			t.Errorf("the name %s has no Russian translation", kind)
		}
	}
}

// TestNamesStay: a client may be called as a word of a report is.
func TestNamesStay(t *testing.T) {
	in := lang.In(lang.Russian)
	got := sayPhrase(in, phrase{name("lost"), word("lost"), {text: "VIOLATED", mark: bad}})
	want := phrase{name("lost"), word("потеряно"), {text: "НАРУШЕНО", mark: bad}}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %v, want %v", got[i], want[i])
		}
	}
}

// TestNumberWords: every number that a sentence spells out.
func TestNumberWords(t *testing.T) {
	for n := 2; n <= 10; n++ {
		if text := "the other " + numberWord(n); !lang.In(lang.Russian).Knows(text) {
			t.Errorf("%s has no Russian translation", text)
		}
	}
}
