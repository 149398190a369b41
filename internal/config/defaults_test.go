package config

import (
	"io/fs"
	"strings"
	"testing"
)

// TestDefaults: every file parses, and what it says is a value that the catalogue takes
// for a setting of that role.
func TestDefaults(t *testing.T) {
	files, err := fs.Glob(defaultsTSV, "defaults/*.tsv")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files of defaults: %v", len(files), err)
	}
	for _, file := range files {
		table, err := defaultsTSV.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, role := range []Role{Producer, Consumer} {
			all, err := parseDefaults(string(table), role)
			if err != nil {
				t.Errorf("%s: %v", file, err)
			}
			if len(all) == 0 {
				t.Errorf("%s: nothing for role %d", file, role)
			}
			for key := range all {
				if s, known := Lookup(key); !known || s.Name != key || !s.For(role) {
					t.Errorf("%s: %s is no canonical setting of role %d", file, key, role)
				}
			}
			if err := Check(all, role); err != nil && !strings.Contains(err.Error(), "enable.idempotence") {
				t.Errorf("%s: role %d: %v", file, role, err)
			}
		}
	}
}

// TestDefaultsOfLibrdkafka are those of the catalogue where both have one: the catalogue
// says more, and spells some otherwise.
func TestDefaultsOfLibrdkafka(t *testing.T) {
	spelled := map[string]string{"acks": "-1", "auto.offset.reset": "largest"}
	roles := map[string]string{ // what the binding sets, and what differs by role
		"allow.auto.create.topics": "false (consumer) / true (producer)",
		"client.software.name":     "librdkafka (the Go binding sets confluent-kafka-go)",
	}
	for _, role := range []Role{Producer, Consumer} {
		for key, value := range Defaults("librdkafka", "2.11.1", role) {
			if other, is := spelled[key]; is {
				value = other
			}
			s, _ := Lookup(key)
			if s.Default != value && s.Default != roles[key] && !strings.HasPrefix(s.Default, value+" (") {
				t.Errorf("%s of role %d is %q, the catalogue says %q", key, role, value, s.Default)
			}
		}
	}
}

func TestDefaultsOfAnUnknownVersion(t *testing.T) {
	if got := Defaults("librdkafka", "9.9.9", Producer); got != nil {
		t.Errorf("defaults of a version that nobody measured: %v", got)
	}
}

func TestParseDefaults(t *testing.T) {
	for table, want := range map[string]string{
		"key\tdefault\n":                         "line 1: expected the columns",
		defaultsColumns + "\nacks\tP\n":          "line 2: expected 3 columns, found 2",
		defaultsColumns + "\na\tP\t1\na\t*\t2\n": "line 3: a stands here a second time",
	} {
		if _, err := parseDefaults(table, Producer); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error is %v, want %q", table, err, want)
		}
	}
}
