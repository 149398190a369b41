package source

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// pythonVersions remembers, folder by folder, the exact versions of Kafka's packages that
// requirements and lock files there say.
type pythonVersions map[string]packageVersions

// packageVersions is name of a package -> exact version.
type packageVersions map[string]string

// kafkaPackages are the packages whose versions matter.
var kafkaPackages = []string{"confluent-kafka", "kafka-python", "aiokafka"}

// beside is the exact version of each package for files of a folder: from the nearest
// folder that says one, within the project.
func (v pythonVersions) beside(folder string) packageVersions {
	abs, err := filepath.Abs(folder)
	if err != nil {
		return nil
	}
	return v.above(abs)
}

func (v pythonVersions) above(folder string) packageVersions {
	if known, ok := v[folder]; ok {
		return known
	}
	found := packageVersions{}
	if parent := filepath.Dir(folder); parent != folder && !isRoot(folder) {
		maps.Copy(found, v.above(parent))
	}
	maps.Copy(found, versionsIn(folder))
	v[folder] = found
	return found
}

// isRoot reports whether a project begins here: what is above it is another's.
func isRoot(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, ".git"))
	return err == nil
}

// versionsIn reads the files of one folder. Where two say different versions of a
// package, nothing says which one it runs with.
func versionsIn(folder string) packageVersions {
	found := packageVersions{}
	for _, file := range requirementFiles(folder) {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for name, version := range readVersions(filepath.Base(file), string(text)) {
			if other, twice := found[name]; twice && other != version {
				version = ""
			}
			found[name] = version
		}
	}
	maps.DeleteFunc(found, func(_, version string) bool { return version == "" })
	return found
}

func requirementFiles(folder string) []string {
	files, _ := filepath.Glob(filepath.Join(folder, "requirements*.txt")) // an odd folder name has none
	for _, name := range []string{"pyproject.toml", "Pipfile.lock", "poetry.lock", "uv.lock"} {
		files = append(files, filepath.Join(folder, name))
	}
	return files
}

func readVersions(name, text string) packageVersions {
	switch name {
	case "pyproject.toml":
		return projectVersions(text)
	case "Pipfile.lock":
		return pipfileVersions(text)
	case "poetry.lock", "uv.lock":
		return lockVersions(text)
	}
	return requirementVersions(strings.Split(text, "\n"))
}

// requirement is a name, extras, and an exact version, without what may follow.
var requirement = regexp.MustCompile(`^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?\s*===?\s*([0-9][A-Za-z0-9.+!-]*)\s*(?:[;#\\ ].*)?$`)

func requirementVersions(lines []string) packageVersions {
	found := packageVersions{}
	for _, line := range lines {
		if m := requirement.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			found.add(m[1], m[2])
		}
	}
	return found
}

// separators are what names of packages may be written with: Confluent_Kafka (PEP 503).
var separators = regexp.MustCompile(`[-_.]+`)

func (p packageVersions) add(name, version string) {
	name = separators.ReplaceAllString(strings.ToLower(name), "-")
	if slices.Contains(kafkaPackages, name) {
		p[name] = version
	}
}

func projectVersions(text string) packageVersions {
	var file struct {
		Project struct{ Dependencies []string }
	}
	if _, err := toml.Decode(text, &file); err != nil {
		return nil
	}
	return requirementVersions(file.Project.Dependencies)
}

func lockVersions(text string) packageVersions {
	var file struct {
		Package []struct{ Name, Version string }
	}
	if _, err := toml.Decode(text, &file); err != nil {
		return nil
	}
	found := packageVersions{}
	for _, p := range file.Package {
		found.add(p.Name, p.Version)
	}
	return found
}

func pipfileVersions(text string) packageVersions {
	var file struct {
		Default map[string]struct{ Version string }
	}
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		return nil
	}
	found := packageVersions{}
	for name, p := range file.Default {
		if version, exact := strings.CutPrefix(p.Version, "=="); exact {
			found.add(name, version)
		}
	}
	return found
}

// byClient is the version that each client is built on: confluent-kafka has librdkafka's
// number, but for 2.16.1, which was released for Python alone.
func (p packageVersions) byClient() map[string]string {
	library := p["confluent-kafka"]
	if library == "2.16.1" {
		library = "2.16.0"
	}
	return map[string]string{"python": library, "kafka-python": p["kafka-python"], "aiokafka": p["aiokafka"]}
}
