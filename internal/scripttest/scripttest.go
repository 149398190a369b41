// Package scripttest writes the scripts that stand for a tool in a test: an npm that
// fails, a java that is too old.
package scripttest

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Write writes an executable script into a folder and returns its path. It may be started
// at once, also while other tests start processes: as long as the file is open for
// writing, none may fork, because until its child execs that would hold the file open too,
// and the kernel starts no program that somebody may write to (ETXTBSY).
func Write(t testing.TB, folder, name, script string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}
