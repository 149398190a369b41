package performance

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// File is the name of a run's file.
func File(r Run) string { return string(r) + ".txt" }

// ReadAll reads the files of all runs in a folder. A run without one was not measured.
func ReadAll(dir string) (map[Run]Results, error) {
	all := map[Run]Results{}
	for _, r := range Runs() {
		name := filepath.Join(dir, File(r))
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		results, err := Read(bytes.NewReader(text), name)
		if err != nil {
			return nil, err
		}
		results.addGrowth()
		all[r] = results
	}
	return all, nil
}

// versioned are the modules whose versions figures depend on, by the file that pins them.
func versioned() map[string][]string {
	return map[string][]string{
		"go.mod": {
			"github.com/twmb/franz-go", "github.com/confluentinc/confluent-kafka-go/v2", "github.com/IBM/sarama",
			"github.com/twmb/franz-go/pkg/kfake", "github.com/twmb/franz-go/pkg/kmsg", "github.com/klauspost/compress",
		},
		"tools/toxiproxy/go.mod": {"github.com/Shopify/toxiproxy/v2"},
	}
}

// Versions are those of the libraries that are measured, or stand beside, from the files of
// the repository that pin them.
func Versions(root string) ([]Setting, error) {
	var all []Setting
	for _, name := range []string{"go.mod", "tools/toxiproxy/go.mod"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		for _, module := range versioned()[name] {
			_, rest, found := strings.Cut(string(text), module+" ")
			if !found {
				return nil, fmt.Errorf("%s does not name %s", name, module)
			}
			all = append(all, Setting{shortName(module), strings.Fields(rest)[0]})
		}
	}
	return all, nil
}

// shortName is the last part of a module's path that is no version, in lower case.
func shortName(module string) string {
	parts := strings.Split(strings.ToLower(module), "/")
	if last := parts[len(parts)-1]; last[0] == 'v' && len(last) < 4 {
		parts = parts[:len(parts)-1]
	}
	return parts[len(parts)-1]
}
