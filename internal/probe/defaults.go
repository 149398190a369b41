package probe

import (
	"strings"

	"kcompare/internal/config"
	"kcompare/internal/fingerprint"
	"kcompare/internal/source"
)

// defaultOf is what the client would do if nobody had set the key, in the spelling of
// settings; "" where that is not known of this version of its library, or where it both
// produces and consumes and the two have different defaults.
func defaultOf(f fingerprint.Fingerprint, key string) string {
	produces, consumes := roleDefault(f.Library, key, config.Producer), roleDefault(f.Library, key, config.Consumer)
	switch {
	case f.Produces() && f.Consumes():
		if produces == consumes || consumes == "" {
			return produces
		}
		if produces == "" {
			return consumes
		}
		return ""
	case f.Produces():
		return produces
	case f.Consumes():
		return consumes
	}
	return ""
}

// roleDefault takes what was measured on the wire before what the library documents.
func roleDefault(l fingerprint.Library, key string, role config.Role) string {
	s, known := config.Lookup(key)
	if !known || !s.For(role) {
		return ""
	}
	if measured, has := config.Defaults(l.Catalogue, l.CatalogueVersion, role)[key]; has {
		return measured
	}
	v, has := config.Find(l.Catalogue, l.CatalogueVersion)
	if !has {
		return ""
	}
	if key == "allow.auto.create.topics" && l.Catalogue == "librdkafka" && role == config.Producer {
		return "true" // whatever its table says: rdkafka_conf.c, rd_kafka_conf_finalize
	}
	return documented(v, s, role)
}

// documented is the default in the table of a version.
func documented(v config.Version, s config.Setting, role config.Role) string {
	for _, p := range v.Properties() {
		name, value := s.Name, p.Default
		switch v.Library {
		case "librdkafka", "kafka-clients":
			if own, has := v.Of(s); !has || own.Name != p.Name {
				continue
			}
		case "kafka-python", "aiokafka":
			name, value = source.Keyword(v.Library, p.Name, source.Value{Kind: kindOf(p), Text: p.Default})
		default:
			continue
		}
		if name != s.Name || value == "-" || !appliesTo(p, role) {
			continue
		}
		return fingerprint.Spelled(s.Name, value)
	}
	return ""
}

// kindOf is what the default is in the source of a program.
func kindOf(p config.Property) source.Kind {
	switch {
	case p.Default == "-":
		return source.Null
	case p.Type == config.Integer || p.Type == config.Float:
		return source.Number
	case p.Type == config.Boolean:
		return source.Truth
	}
	return source.Text
}

// appliesTo reads the letters of config.Property.Applies.
func appliesTo(p config.Property, role config.Role) bool {
	letter := "P"
	if role == config.Consumer {
		letter = "C"
	}
	return p.Applies == "*" || strings.Contains(p.Applies, letter)
}
