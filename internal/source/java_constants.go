package source

import (
	_ "embed"
	"strings"
	"sync"

	"kcompare/internal/config"
)

// javaConstantsTSV has the public constants of the classes of kafka-clients that settings
// are named by, of versions 3.9.1 and 4.4.0, as `javap -constants -public` prints them; "-"
// for one that is no string, or none that the compiler knows. Constants that end in _DOC
// are left out. TestJavaConstants makes it again.
//
//go:embed java_constants.tsv
var javaConstantsTSV string

// javaConstants are values by class and name, and the keys among them.
type javaConstants struct {
	values  map[string]string   // by "ProducerConfig.ACKS_CONFIG"
	classes map[string][]string // names by class
	keys    map[string]bool
}

var loadJavaConstants = sync.OnceValue(func() javaConstants {
	c := javaConstants{values: map[string]string{}, classes: map[string][]string{}, keys: map[string]bool{}}
	_, rows, _ := strings.Cut(javaConstantsTSV, "\n")
	for row := range strings.Lines(rows) {
		f := strings.Split(strings.TrimSuffix(row, "\n"), "\t")
		c.values[f[0]+"."+f[1]] = f[2]
		c.classes[f[0]] = append(c.classes[f[0]], f[1])
		if strings.Contains(f[2], ".") || strings.HasSuffix(f[1], "_CONFIG") {
			c.keys[f[2]] = true
		}
	}
	return c
})

// javaConstant is what "@Class.NAME" stands for; a text without @ is itself. known is
// false for a constant of which the value is not known.
func javaConstant(s string) (value string, known bool) {
	name, constant := strings.CutPrefix(s, "@")
	if !constant {
		return s, true
	}
	value, known = loadJavaConstants().values[name]
	return value, known && value != "-"
}

// javaKnown reports whether kafka-clients has a setting of that name. Kafka Streams has
// settings of its own, and hands on those of the clients behind a prefix.
func javaKnown(key string) bool {
	return loadJavaConstants().keys[key]
}

// javaMember is a constant that is used; the fact is for one that does not exist.
func (f *File) javaMember(at Pos, class, name string) {
	c := loadJavaConstants()
	if _, exists := c.values[class+"."+name]; exists || strings.HasSuffix(name, "_DOC") {
		return
	}
	f.Facts = append(f.Facts, Fact{Rule: "no-such-member", At: at, About: name, Args: map[string]string{
		"class": class, "package": "kafka-clients", "versions": "3.9.1 and 4.4.0", "nearest": config.Nearest(name, c.classes[class]),
	}})
}
