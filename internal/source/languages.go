package source

import (
	"bytes"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// byExtension is the language of a file by the end of its name.
func byExtension() map[string]Language {
	return map[string]Language{
		".py": Python, ".go": Go, ".java": Java, ".properties": Properties,
		".yaml": YAML, ".yml": YAML, ".json": JSON, ".md": Markdown, ".markdown": Markdown,
	}
}

// LanguageOf is what a file is written in, going by the end of its name. Who takes one
// file of settings, such as `config convert`, asks before it reads.
func LanguageOf(path string) (language Language, known bool) {
	language, known = byExtension()[strings.ToLower(filepath.Ext(path))]
	return language, known
}

func extensions() []string { return slices.Sorted(maps.Keys(byExtension())) }

func languages() []Language {
	return []Language{Python, Go, Java, Properties, YAML, JSON, Markdown}
}

func names(all []Language) string {
	words := make([]string, len(all))
	for i, l := range all {
		words[i] = string(l)
	}
	return strings.Join(words, ", ")
}

// aboutKafka finds out cheaply whether a text can have anything to do with Kafka. Most
// files of a project have not, and are not parsed.
func aboutKafka(language Language, text []byte) bool {
	if language == Properties {
		return true // parsing is as cheap
	}
	lower := bytes.ToLower(text)
	for _, word := range []string{"kafka", "kgo", "bootstrap.servers", "transactional.id", "isolation.level", "acks"} {
		if bytes.Contains(lower, []byte(word)) {
			return true
		}
	}
	return false
}
