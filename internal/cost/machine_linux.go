package cost

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"kcompare/internal/evidence"
)

// describe asks /proc and the distribution. A file that cannot be read tells nothing.
func describe(m *evidence.Machine) {
	cpuinfo, _ := os.ReadFile("/proc/cpuinfo")
	m.Processor = processorOf(cpuinfo)
	meminfo, _ := os.ReadFile("/proc/meminfo")
	if kilobytes, err := kilobytesOf(meminfo, "MemTotal:"); err == nil {
		m.MemoryMB = kilobytes >> 10
	}
	release, _ := os.ReadFile("/etc/os-release")
	m.System = strings.Trim(systemOf(release)+", "+kernel(), ", ")
}

// processorOf is the first "model name" of /proc/cpuinfo; some architectures have none.
func processorOf(cpuinfo []byte) string {
	for line := range bytes.Lines(cpuinfo) {
		if name, value, _ := strings.Cut(string(line), ":"); strings.TrimSpace(name) == "model name" {
			return strings.Join(strings.Fields(value), " ")
		}
	}
	return ""
}

// systemOf is name and version of os-release(5).
func systemOf(release []byte) string {
	said := map[string]string{"NAME": "Linux"}
	for line := range bytes.Lines(release) {
		name, value, _ := strings.Cut(strings.TrimSpace(string(line)), "=")
		if plain, err := strconv.Unquote(value); err == nil {
			value = plain
		}
		said[name] = value
	}
	return strings.TrimSpace(said["NAME"] + " " + said["VERSION_ID"])
}

// kernel is "kernel 6.1", without what a distribution adds.
func kernel() string {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return ""
	}
	numbers := strings.SplitN(unix.ByteSliceToString(name.Release[:]), ".", 3)
	return "kernel " + strings.Join(numbers[:min(2, len(numbers))], ".")
}
