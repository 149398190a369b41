package explain

import (
	"slices"
	"strings"

	"kcompare/internal/config"
)

// told is what one client makes of a setting: a row, or several where versions of its
// library differ.
func told(s config.Setting, client string, value *string, good bool, given map[string]string) []Client {
	var rows []Client
	switch client {
	case "franz":
		rows = []Client{inFranz(s)}
	case "librdkafka":
		rows = inLibrdkafka(s, value)
	case "java":
		rows = []Client{inJava(s)}
	}
	for i := range rows {
		if value != nil && good && rows[i].Lost == "" {
			rows[i].Equivalent, rows[i].Lost = equivalent(s, client, given)
		}
		if p, has := property(rows[i]); has && rows[i].Lost == "" && client == "java" {
			rows[i].refuse(p)
		}
	}
	return rows
}

// refuse says that the value is beyond what the library takes.
func (c *Client) refuse(p config.Property) {
	for _, line := range c.Equivalent {
		name, value, _ := strings.Cut(line, "=")
		if name != p.Name {
			continue
		}
		if reason := p.Refuse(value); reason != "" {
			c.Equivalent, c.Lost = nil, reason
			return
		}
	}
}

func property(c Client) (config.Property, bool) {
	if len(c.Names) == 0 {
		return config.Property{}, false
	}
	return config.Newest(c.Library).Property(c.Names[0])
}

func inFranz(s config.Setting) Client {
	v := config.Newest("franz-go")
	c := Client{Client: "franz", Library: v.Library, Versions: []string{v.Name}, Names: []string{}, Default: "-", Range: "-"}
	if s.Relation == config.NotApplicable {
		return c
	}
	c.Names, c.Nearest = append(c.Names, s.KgoNames()...), s.Relation == config.Approximate || s.Relation == config.NoEquivalent
	if s.KgoDefault != "-" {
		c.Default = s.KgoDefault
	}
	if p, has := property(c); has {
		c.Range = p.Range
	}
	return c
}

// inLibrdkafka has a row for each way in which its versions have the setting.
func inLibrdkafka(s config.Setting, value *string) []Client {
	var rows []Client
	for _, v := range config.Versions() {
		if v.Library != "librdkafka" {
			continue
		}
		c := Client{Client: "librdkafka", Library: v.Library, Versions: []string{v.Name}, Names: []string{}, Default: "-", Range: "-"}
		if p, has := v.Of(s); has {
			c.Names, c.Default, c.Range = []string{p.Name}, p.Default, p.Range
			if value != nil {
				c.Lost = p.Refuse(*value)
			}
		} else if value != nil {
			c.Lost = "no such setting in this version"
		}
		if last := len(rows) - 1; last >= 0 && same(rows[last], c) {
			rows[last].Versions = append(rows[last].Versions, v.Name)
			continue
		}
		rows = append(rows, c)
	}
	return rows
}

// same compares what two versions say of a setting.
func same(a, b Client) bool {
	return slices.Equal(a.Names, b.Names) && a.Default == b.Default && a.Range == b.Range && a.Lost == b.Lost
}

func inJava(s config.Setting) Client {
	v := config.Newest("kafka-clients")
	c := Client{Client: "java", Library: v.Library, Versions: []string{v.Name}, Names: []string{}, Default: "-", Range: "-"}
	key, _, explained := strings.Cut(s.JavaKey, " (")
	p, has := v.Property(key)
	if !has {
		return c
	}
	c.Names, c.Default, c.Range = []string{key}, p.Default, p.Range
	c.Nearest = explained || !slices.Contains(append([]string{s.Name}, s.Aliases...), key)
	for _, other := range v.Properties() {
		if other.Name == key && other.Default != p.Default {
			c.Default += " (" + roles(p.Applies) + "), " + other.Default + " (" + roles(other.Applies) + ")"
		}
	}
	return c
}
