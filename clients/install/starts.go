package install

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Starts gives the commands that start programs of somebody else's, one source file each,
// with the library of an installed client. work is an empty folder for what is compiled,
// which is compiled once for all. The error says in one line how to get the client, or has
// the last lines that the compiler printed.
func (c Cache) Starts(ctx context.Context, n Named, work string, files []string) ([][]string, error) {
	if err := c.check(n); err != nil {
		return nil, fmt.Errorf("%w: %s", err, n.How())
	}
	switch n.environment.(type) {
	case python:
		return pythonStarts(venvPython(c.folderOf(n)), files), nil
	case java:
		return c.javaStarts(ctx, n, work, files)
	}
	return nil, fmt.Errorf("programs of a file are started for Python and Java: %s is %s", n.Name, n.Language)
}

func pythonStarts(interpreter string, files []string) [][]string {
	var commands [][]string
	for _, file := range files {
		commands = append(commands, []string{interpreter, "-I", file})
	}
	return commands
}

// javaStarts takes a class to have the name of its file.
func (c Cache) javaStarts(ctx context.Context, n Named, work string, files []string) ([][]string, error) {
	path, ok := javaProgram(c.Env)
	if !ok {
		return nil, fmt.Errorf("java was %w", errNotFound)
	}
	lib := filepath.Join(c.folderOf(n), "lib")
	classes := filepath.Join(work, javaClasses)
	if err := compile(ctx, c, path, lib, classes, files...); err != nil {
		return nil, fmt.Errorf("compile %s: %w", strings.Join(files, ", "), err)
	}
	var commands [][]string
	for _, file := range files {
		command := append([]string{path}, javaOptions()...)
		class := strings.TrimSuffix(filepath.Base(file), ".java")
		commands = append(commands, append(command, "-cp", classes+string(os.PathListSeparator)+filepath.Join(lib, "*"), class))
	}
	return commands, nil
}
