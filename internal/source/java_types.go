package source

import (
	"math"
	"slices"

	"kcompare/internal/config"
)

// javaType finds values of a Java type that ConfigDef.parseType of kafka-clients refuses: a
// string takes no number and no boolean, a boolean no number, and an int no long. Each was
// tried on kafka-clients 4.4.0, which says "Expected value to be a 32-bit integer, but it
// was a java.lang.Long". A string is good for all.
func javaType(key, javaType string, at Pos, v Value) (Fact, bool) {
	p, known := config.Newest("kafka-clients").Property(key)
	if !known {
		return Fact{}, false
	}
	var wanted string
	switch p.Type {
	case config.String, config.Enum:
		wanted = "String"
	case config.Boolean:
		wanted = "boolean"
	case config.Integer:
		if wanted = "long"; p.Max == math.MaxInt32 {
			wanted = "int"
		}
	}
	taken := map[string][]string{"String": {}, "boolean": {"boolean"}, "int": {"int"}, "long": {"int", "long"}}[wanted]
	primitive := slices.Contains([]string{"int", "long", "double", "boolean"}, javaType)
	if wanted == "" || !primitive || slices.Contains(taken, javaType) {
		return Fact{}, false
	}
	return Fact{Rule: "wrong-type", At: at, About: key, Args: map[string]string{"type": javaType, "value": v.Source, "wanted": wanted}}, true
}
