package source

// javaType finds values of a Java type that ConfigDef.parseType of kafka-clients refuses:
// a setting that is a string takes no number and no boolean, and an int takes no long.
func javaType(key, javaType string, at Pos, v Value) (Fact, bool) {
	wrong := false
	switch javaType {
	case "int", "long", "double", "boolean":
		wrong = javaStrings[key]
	}
	if !wrong {
		return Fact{}, false
	}
	return Fact{Rule: "wrong-type", At: at, About: key, Args: map[string]string{"type": javaType, "value": v.Source}}, true
}

// javaStrings are settings of type STRING whose values look like numbers or booleans.
var javaStrings = map[string]bool{
	"acks": true, "transactional.id": true, "client.id": true, "group.id": true, "group.instance.id": true, "client.rack": true,
}
