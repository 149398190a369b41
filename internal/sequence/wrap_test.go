package sequence

import (
	"strings"
	"testing"
)

func TestWrapped(t *testing.T) {
	for text, want := range map[string]string{
		"":             "",
		"ok, offset 3": "ok, offset 3",
		"order-0003 to payments-1, P1 epoch 0 sequence 4": "order-0003 to payments-1,|P1 epoch 0 sequence 4",
		"a word by word that goes beyond the line":        "a word by word that goes|beyond the line",
		strings.Repeat("x", 60):                           strings.Repeat("x", lineLength-3) + "...",
	} {
		if got := strings.Join(wrapped(text, 26), "|"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
