//go:build !linux

package broker

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// startTime asks ps, which every Unix has, for seconds since 1970.
func startTime(pid int) (string, error) {
	ps := exec.Command("ps", "-o", "stat=", "-o", "lstart=", "-p", strconv.Itoa(pid))
	ps.Env = append(os.Environ(), "LC_ALL=C")
	out, err := ps.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) { // ps found nothing
		return "", errNoProcess
	}
	if err != nil {
		return "", fmt.Errorf("start time of process %d: %w", pid, err)
	}
	state, when, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if strings.HasPrefix(state, "Z") {
		return "", errNoProcess
	}
	t, err := time.ParseInLocation(time.ANSIC, strings.TrimSpace(when), time.Local)
	if err != nil {
		return "", fmt.Errorf("start time of process %d: %w", pid, err)
	}
	return strconv.FormatInt(t.Unix(), 10), nil
}

// standsStill says whether a process is stopped.
func standsStill(pid int) (bool, error) {
	out, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return strings.HasPrefix(string(out), "T"), err
}
