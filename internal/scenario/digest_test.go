package scenario

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDigestsCoverEveryScenario finds a scenario whose files are not called after it: its
// evidence would not get stale.
func TestDigestsCoverEveryScenario(t *testing.T) {
	own, seen := map[string]bool{}, map[string]string{}
	for _, file := range sourceFiles() {
		if name, is := ownerOf(file); is {
			own[name] = true
		}
	}
	digests := Digests()
	for _, name := range Names() {
		if !own[name] {
			t.Errorf("no file of this folder begins with the name of %s", name)
		}
		if twin, twice := seen[digests[name]]; twice {
			t.Errorf("%s and %s have the same digest", name, twin)
		}
		seen[digests[name]] = name
	}
}

func TestOwnerOf(t *testing.T) {
	for file, want := range map[string]string{
		"sequence.go": "sequence", "sequence_by_hand.go": "sequence", "producer.go": "", "producer_restart_payer.go": "producer-restart",
		"transactional_sends.go": "transactional", "stage.go": "",
	} {
		if got, _ := ownerOf(file); got != want {
			t.Errorf("%s is of %q, expected %q", file, got, want)
		}
	}
}

// TestWords changes what may change, and what may not.
func TestWords(t *testing.T) {
	const code = "package x\n\nfunc f() int { return 1 }\n"
	for _, same := range []string{
		"package x\r\n\r\nfunc f() int { return 1 }\r\n",
		"// Package x is.\npackage x\n\n\n// f is one.\nfunc f() int {\n\treturn 1 /* one */\n}\n",
	} {
		if d := cmp.Diff(words([]byte(code)), words([]byte(same))); d != "" {
			t.Errorf("%q (-want +got):\n%s", same, d)
		}
	}
	if cmp.Equal(words([]byte(code)), words([]byte("package x\n\nfunc f() int { return 2 }\n"))) {
		t.Error("another number is the same code")
	}
}
