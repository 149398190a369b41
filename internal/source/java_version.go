package source

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
)

// version is that of kafka-clients, as the nearest pom.xml or build.gradle says; "" where
// they do not say it plainly.
func (a *javaAnswer) version(file string) string {
	folder, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return ""
	}
	if v, known := a.versions[folder]; known {
		return v
	}
	v := javaVersion(folder)
	a.versions[folder] = v
	return v
}

func javaVersion(folder string) string {
	for {
		for _, name := range []string{"pom.xml", "build.gradle", "build.gradle.kts"} {
			text, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				continue
			}
			v := gradleVersion(string(text))
			if name == "pom.xml" {
				v = mavenVersion(text)
			}
			if v != "" {
				return v
			}
		}
		above := filepath.Dir(folder)
		if above == folder {
			return ""
		}
		folder = above
	}
}

// mavenVersion looks at dependencies and managed ones; a version may be a property.
func mavenVersion(text []byte) string {
	type dependency struct {
		Artifact string `xml:"artifactId"`
		Version  string `xml:"version"`
	}
	var pom struct {
		Dependencies []dependency `xml:"dependencies>dependency"`
		Managed      []dependency `xml:"dependencyManagement>dependencies>dependency"`
		Properties   struct {
			All []struct {
				XMLName xml.Name
				Value   string `xml:",chardata"`
			} `xml:",any"`
		} `xml:"properties"`
	}
	if err := xml.Unmarshal(text, &pom); err != nil {
		return ""
	}
	for _, d := range append(pom.Dependencies, pom.Managed...) {
		if d.Artifact != "kafka-clients" || d.Version == "" {
			continue
		}
		v := strings.TrimSpace(d.Version)
		for _, p := range pom.Properties.All {
			if v == "${"+p.XMLName.Local+"}" {
				v = strings.TrimSpace(p.Value)
			}
		}
		return plainVersion(v)
	}
	return ""
}

// gradleVersion knows the one form "org.apache.kafka:kafka-clients:VERSION".
func gradleVersion(text string) string {
	_, rest, found := strings.Cut(text, "org.apache.kafka:kafka-clients:")
	if !found {
		return ""
	}
	end := strings.IndexAny(rest, `"'`)
	if end < 0 {
		return ""
	}
	return plainVersion(rest[:end])
}

// plainVersion is a version that is a number, and no range or variable.
func plainVersion(v string) string {
	if v == "" || strings.Trim(v, "0123456789.") != "" {
		return ""
	}
	return v
}
