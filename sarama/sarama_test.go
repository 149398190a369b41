package sarama

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"regexp"
	"runtime/debug"
	"testing"

	"kcompare/drivers"
	"kcompare/drivers/drivertest"
	"kcompare/drivers/drivertest/kfaketest"
)

func TestDriver(t *testing.T) {
	drivertest.Run(t, kfaketest.New(t), New())
}

func TestVersion(t *testing.T) {
	dep := func(path, version string, replace *debug.Module) *debug.BuildInfo {
		return &debug.BuildInfo{Deps: []*debug.Module{{Path: "other", Version: "v0.0.1"}, {Path: path, Version: version, Replace: replace}}}
	}
	tests := map[string]struct {
		info *debug.BuildInfo
		want string
	}{
		"built in":       {dep(module, "v1.2.3", nil), "v1.2.3"},
		"replaced":       {dep(module, "v1.2.3", &debug.Module{Path: "fork", Version: "v1.2.4"}), "v1.2.4"},
		"not among them": {dep("another", "v1.2.3", nil), fallback},
		"no information": {nil, fallback},
	}
	for name, tc := range tests {
		if got := version(tc.info); got != tc.want {
			t.Errorf("%s: got %s, want %s", name, got, tc.want)
		}
	}
}

func TestFallbackIsTheVersionInGoMod(t *testing.T) {
	text, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^\s+` + regexp.QuoteMeta(module) + ` (\S+)`).FindSubmatch(text)
	if found == nil || string(found[1]) != fallback {
		t.Errorf("go.mod has %q, the fallback is %q", found, fallback)
	}
}

// What this binary was built with is what Library says, where it can be told.
func TestLibrary(t *testing.T) {
	want := drivers.Library{Name: "sarama", Version: fallback}
	if exe, err := os.Executable(); err == nil {
		if info, err := buildinfo.ReadFile(exe); err == nil {
			want.Version = version(info)
		}
	}
	if got := New().Library(); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := fmt.Sprint(New().Library()); got != "sarama "+want.Version {
		t.Errorf("printed as %q", got)
	}
}
