package cli

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"kcompare/internal/workbook"
)

// quiet is how long nothing may change before render runs again: editors write a file in
// several steps.
const quiet = 200 * time.Millisecond

// watchDocs renders, and again after each change in the folders of the courses, until ctx
// ends. What is wrong is said, and the next change is waited for. What render writes is a
// change too: the second time it finds nothing to write.
func (s *State) watchDocs(ctx context.Context, paths []string, render func(context.Context) error) error {
	roots, err := watchedRoots(paths)
	switch {
	case err != nil:
		return err
	case len(roots) == 0:
		return render(ctx) // which says what is expected
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	defer func() { _ = w.Close() }() // it only read
	for {
		for _, root := range roots { // again each time: folders may have been made
			if err := watchBelow(w, root); err != nil {
				return fmt.Errorf("watch %s: %w", root, err)
			}
		}
		err := render(ctx)
		if ctx.Err() != nil {
			return err
		}
		s.exitCode(ctx, err)
		fmt.Fprintln(s.Stderr, "watching until Ctrl-C")
		if err := untilChanged(ctx, w); err != nil || ctx.Err() != nil {
			return err
		}
	}
}

// watchedRoots is the folders of the courses that paths are in.
func watchedRoots(paths []string) ([]string, error) {
	var roots []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, usageError{err}
		}
		if info.IsDir() {
			path = filepath.Join(path, "any.md")
		}
		root, err := workbook.RootOf(path)
		if err != nil {
			return nil, err
		}
		roots = append(roots, root)
	}
	return roots, nil
}

// watchBelow adds a folder and those in it.
func watchBelow(w *fsnotify.Watcher, root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !d.IsDir():
			return nil
		case path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		}
		return w.Add(path)
	})
}

// untilChanged returns when files have changed and nothing has since for a moment, or ctx
// has ended.
func untilChanged(ctx context.Context, w *fsnotify.Watcher) error {
	var settled <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-settled:
			return nil
		case err := <-w.Errors:
			return fmt.Errorf("watch: %w", err)
		case event := <-w.Events:
			if event.Op != fsnotify.Chmod && !strings.HasPrefix(filepath.Base(event.Name), ".") {
				settled = time.After(quiet)
			}
		}
	}
}
