//go:build linux

package cost

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/evidence"
)

// TestCPU: a clock goes on while its process works, and only then, and the clock of one
// that is gone is an error that names it.
func TestCPU(t *testing.T) {
	cmd := exec.Command("sh", "-c", `read x; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo; read x`)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil || err1 != nil || err2 != nil {
		t.Fatal(err, err1, err2)
	}
	pid := cmd.Process.Pid
	before, err := CPU(pid)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	after, err := CPU(pid)
	if err != nil || after-before < time.Millisecond {
		t.Errorf("20,000 turns of a loop took %v, error %v", after-before, err)
	}
	both, err := CPU(pid, os.Getpid())
	if err != nil || both <= after {
		t.Errorf("two processes took %v, one of them %v, error %v", both, after, err)
	}
	in.Close()
	if err := cmd.Wait(); err == nil {
		t.Error("expected that read ends with an error")
	}
	if _, err := CPU(pid); err == nil || !strings.Contains(err.Error(), "processor time of process") {
		t.Errorf("error %v", err)
	}
	if _, err := PeakMemory(pid); err == nil || !strings.Contains(err.Error(), "peak memory of process") {
		t.Errorf("error %v", err)
	}
}

// TestPeakMemory: what was used once stays the peak until it is forgotten.
func TestPeakMemory(t *testing.T) {
	const size = 64 << 20
	cmd := exec.Command("sh", "-c", `x=$(head -c 67108864 /dev/zero | tr '\0' x); x=; echo; read y`)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil || err1 != nil || err2 != nil {
		t.Fatal(err, err1, err2)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	peak, err := PeakMemory(cmd.Process.Pid)
	if err != nil || peak < size || peak > 8*size {
		t.Errorf("peak of a shell with a variable of %d bytes: %d, error %v", size, peak, err)
	}
	if err := ForgetPeak(cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	if now, err := PeakMemory(cmd.Process.Pid); err != nil || now >= peak {
		t.Errorf("after it was forgotten: %d, before %d, error %v", now, peak, err)
	}
	in.Close()
	cmd.Wait()
}

func TestKilobytesOf(t *testing.T) {
	status := []byte("Name:\tsh\nVmPeak:\t    2588 kB\nVmHWM:\t     123 kB\nThreads:\t1\n")
	if n, err := kilobytesOf(status, "VmHWM:"); n != 123 || err != nil {
		t.Errorf("%d, error %v", n, err)
	}
	if _, err := kilobytesOf(status, "Threads:"); err == nil {
		t.Error("expected an error where there is no such size")
	}
}

func TestMachine(t *testing.T) {
	cpuinfo := "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC 7R13   Processor\nprocessor\t: 1\nmodel name\t: another\n"
	if got := processorOf([]byte(cpuinfo)); got != "AMD EPYC 7R13 Processor" {
		t.Errorf("processor %q", got)
	}
	for release, want := range map[string]string{
		"PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian GNU/Linux\"\nVERSION_ID=\"12\"\n": "Debian GNU/Linux 12",
		"NAME=Alpine\nVERSION_ID=3.20.1\n": "Alpine 3.20.1",
		"":                                 "Linux",
	} {
		if got := systemOf([]byte(release)); got != want {
			t.Errorf("%q: %q, want %q", release, got, want)
		}
	}
	m := ThisMachine()
	if diff := cmp.Diff(evidence.Machine{}, m); m.Cores < 1 || m.MemoryMB < 1 || !strings.Contains(m.System, ", kernel ") {
		t.Errorf("this machine: %s", diff)
	}
}
