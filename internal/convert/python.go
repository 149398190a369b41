package convert

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kcompare/internal/config"
)

// This file writes Python: a dict for confluent_kafka, whose keys are librdkafka's.

func writePython(path string, all []block) ([]byte, []Lost) {
	var body strings.Builder
	var lost []Lost
	env := false
	for _, b := range all {
		pairs := b.librdkafka()
		lost = append(lost, b.lost...)
		env = env || slices.ContainsFunc(pairs, func(p pair) bool { return p.env != "" })
		b.writePython(&body, path, pairs)
	}
	head := "# Written by kcompare config convert: settings for confluent_kafka.\n" + librdkafkaVersions()
	if env {
		head += "\nimport os\n"
	}
	return []byte(head + body.String()), lost
}

func (b block) writePython(text *strings.Builder, path string, pairs []pair) {
	b.writeHead(text, path)
	fmt.Fprintf(text, "%s = {\n", strings.ToUpper(b.name))
	told := false
	for _, p := range pairs {
		if p.silent && !told {
			fmt.Fprintf(text, "    # What %s does where nothing is set, and librdkafka would do otherwise.\n", library(b.client))
			told = true
		}
		for _, note := range p.notes {
			fmt.Fprintf(text, "    # %s\n", note)
		}
		comment := ""
		if p.env != "" {
			comment = "  # secrets are not carried over, nor what a program computes"
		}
		fmt.Fprintf(text, "    %s: %s,%s\n", strconv.Quote(p.key), p.python(), comment)
	}
	text.WriteString("}\n")
}

// python is the value in the type that the binding takes for the setting.
func (p pair) python() string {
	if p.env != "" {
		return "os.environ[" + strconv.Quote(p.env) + "]"
	}
	s, _ := config.Lookup(p.key)
	switch s.Type {
	case config.Boolean:
		if v, ok := config.Bool(p.value); ok {
			return map[bool]string{true: "True", false: "False"}[v]
		}
	case config.Integer:
		if n, err := strconv.ParseInt(p.value, 10, 64); err == nil {
			return strconv.FormatInt(n, 10)
		}
	case config.Float:
		if _, err := strconv.ParseFloat(p.value, 64); err == nil && !strings.ContainsAny(p.value, "+xXpPnN_") {
			return pythonNumber(p.value)
		}
	}
	return strconv.Quote(p.value)
}

// pythonNumber: Python has no integers that begin with a zero.
func pythonNumber(text string) string {
	n, _ := strconv.ParseFloat(text, 64)
	return strconv.FormatFloat(n, 'f', -1, 64)
}
