package cli

import (
	"context"
	"path/filepath"
	"time"

	"kcompare/internal/programs"
	"kcompare/internal/workbook"
)

// What bounds the playing of a course's programs: most take a few seconds, and Java's
// start costs two of CPU.
const (
	programLimit = 2 * time.Minute
	programsSide = 4
)

// playPrograms plays programs of a course's manifest, whose root is a folder. printed gets
// what each printed, not normalised yet, never concurrently. A child has another working
// directory than this process, so it gets absolute paths.
func (s *State) playPrograms(ctx context.Context, root string, list []workbook.Program, printed func(workbook.Program, []string) error) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	player := programs.Player{Cache: s.Installed, Root: root, Limit: programLimit, Side: programsSide}
	return player.Play(ctx, list, printed)
}
