package source

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// version is that of the library below a client, as the nearest go.mod asks for it.
// confluent-kafka-go has the numbers of the librdkafka that is built into it. They are
// spelled as the tables of package config spell them: franz-go's with its v.
func (d *goDirectory) version(file, client string) string {
	modules := map[string][]string{
		"franz":      {"github.com/twmb/franz-go"},
		"librdkafka": {"github.com/confluentinc/confluent-kafka-go/v2", "github.com/confluentinc/confluent-kafka-go"},
	}
	required := d.required(file)
	for _, module := range modules[client] {
		if v := required[module]; v != "" {
			v, _, _ = strings.Cut(v, "+")
			if client == "librdkafka" {
				v = strings.TrimPrefix(v, "v")
			}
			return v
		}
	}
	return ""
}

// required are the modules of the nearest go.mod, with their versions.
func (d *goDirectory) required(file string) map[string]string {
	folder, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil
	}
	for {
		if text, err := os.ReadFile(filepath.Join(folder, "go.mod")); err == nil {
			return goRequirements(text)
		}
		above := filepath.Dir(folder)
		if above == folder {
			return nil
		}
		folder = above
	}
}

// goRequirements reads the lines `module version` of a go.mod, inside of require ( ) or
// behind the word.
func goRequirements(text []byte) map[string]string {
	all := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(lines.Text()), "require "))
		if len(words) >= 2 && strings.HasPrefix(words[1], "v") {
			all[words[0]] = words[1]
		}
	}
	return all
}

// goNewer reports whether a version comes after another one; both are like v1.22.3.
func goNewer(a, b string) bool {
	x, y := strings.Split(strings.TrimPrefix(a, "v"), "."), strings.Split(strings.TrimPrefix(b, "v"), ".")
	for i := range min(len(x), len(y)) {
		m, errM := strconv.Atoi(x[i])
		n, errN := strconv.Atoi(y[i])
		if errM != nil || errN != nil || m != n {
			return m > n
		}
	}
	return false
}
