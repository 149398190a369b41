//go:build cgo

package librdkafka

import (
	"regexp"
	"runtime/debug"
	"testing"

	"kcompare/drivers"
	"kcompare/drivers/drivertest"
	"kcompare/drivers/drivertest/kfaketest"
)

func newDriver(t *testing.T) drivers.Driver {
	t.Helper()
	d, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestSuite(t *testing.T) {
	drivertest.Run(t, kfaketest.New(t), newDriver(t))
}

func TestLibrary(t *testing.T) {
	got := newDriver(t).Library().String()
	// A test binary does not know the versions of its modules.
	want := regexp.MustCompile(`^librdkafka \d+\.\d+\.\d+ \(confluent-kafka-go( v\d+\.\d+\.\d+)?\)$`)
	if !want.MatchString(got) {
		t.Errorf("Library() = %q, want %s", got, want)
	}
}

func TestVia(t *testing.T) {
	module := func(version string, replace *debug.Module) *debug.BuildInfo {
		return &debug.BuildInfo{Deps: []*debug.Module{
			{Path: "golang.org/x/sys", Version: "v0.1.0"},
			{Path: "github.com/confluentinc/confluent-kafka-go/v2", Version: version, Replace: replace},
		}}
	}
	for _, tt := range []struct {
		name  string
		build *debug.BuildInfo
		ok    bool
		want  string
	}{
		{"module", module("v2.11.1", nil), true, "confluent-kafka-go v2.11.1"},
		{"replaced", module("v2.11.1", &debug.Module{Version: "v2.12.0"}), true, "confluent-kafka-go v2.12.0"},
		{"not a dependency", &debug.BuildInfo{}, true, "confluent-kafka-go"},
		{"no build info", nil, false, "confluent-kafka-go"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := via(tt.build, tt.ok); got != tt.want {
				t.Errorf("via() = %q, want %q", got, tt.want)
			}
		})
	}
}
