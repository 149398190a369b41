package convert

import (
	"slices"
	"strings"

	"kcompare/internal/config"
)

// knownTo reports whether any version of the library has a setting of that name.
func knownTo(library, name string) bool {
	_, known := property(library, name)
	return known
}

// property is what the newest version that has the setting says of it.
func property(library, name string) (config.Property, bool) {
	all := versions(library)
	for _, v := range slices.Backward(all) {
		if p, has := v.Property(name); has {
			return p, true
		}
	}
	return config.Property{}, false
}

// versions are those with a table of settings, the oldest first.
func versions(library string) []config.Version {
	return slices.DeleteFunc(config.Versions(), func(v config.Version) bool { return v.Library != library })
}

// lacking is the versions of librdkafka that have no setting of that name, in words; ""
// where all have it.
func lacking(name string) string {
	return inWords(slices.DeleteFunc(versions("librdkafka"), func(v config.Version) bool {
		_, has := v.Property(name)
		return has
	}))
}

func inWords(all []config.Version) string {
	names := make([]string, len(all))
	for i, v := range all {
		names[i] = v.Name
	}
	return strings.Join(names, " and ")
}

// librdkafkaVersions says for which versions the names below are.
func librdkafkaVersions() string {
	return "# Known to librdkafka " + inWords(versions("librdkafka")) + ", where no line says otherwise.\n"
}
