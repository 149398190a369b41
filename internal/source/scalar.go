package source

import (
	"slices"
	"strings"
)

// scalar is a value of a file whose values are all text. What is to be filled in later
// (${ACKS}, {{ .acks }}, <your id>) has no value that can be judged.
func scalar(text, source string, at Pos) Value {
	v := Value{Kind: Text, Text: text, Source: source, At: at}
	if isPlaceholder(text) {
		v.Kind, v.Text = Computed, ""
	}
	return v
}

func isPlaceholder(text string) bool {
	if slices.ContainsFunc([]string{"${", "{{", "$(", "@@"}, func(sign string) bool { return strings.Contains(text, sign) }) {
		return true
	}
	bare := strings.TrimSpace(text)
	return strings.HasPrefix(bare, "<") && strings.HasSuffix(bare, ">") || strings.HasPrefix(bare, "$")
}
