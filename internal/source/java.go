package source

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// javaReader is the program that reads Java: the JDK's own parser. Its files are put
// together into one, because `java FILE` runs one.
//
//go:embed javareader/*.java
var javaReader embed.FS

// javaTime is how long reading Java may take, with the start of the JVM.
const javaTime = time.Minute

// readJava reads Java files and listings with one helper process for all of them. Nothing
// is compiled, and no class path is needed.
func readJava(ctx context.Context, files []input) []File {
	read := make([]File, len(files))
	var sent []int // the files that the helper gets, by their number there
	for i, in := range files {
		read[i] = File{Path: in.path, Language: Java}
		if bytes.Contains(bytes.ToLower(in.text), []byte("kafka")) || in.listing() {
			sent = append(sent, i)
		}
	}
	if len(sent) == 0 {
		return read
	}
	answer, err := runJavaReader(ctx, files, sent)
	if err != nil {
		for _, i := range sent {
			read[i].Unread = err.Error()
		}
		return read
	}
	a := javaAnswer{files: files, read: read, sent: sent, versions: map[string]string{}}
	if err := a.take(answer); err != nil {
		for _, i := range sent {
			read[i].Unread = err.Error()
		}
	}
	return read
}

const errNoJDK = "needs a JDK 11 or newer to be read"

// listing reports whether a text need not be a whole file.
func (in input) listing() bool {
	return in.firstLine > 0 || !strings.HasSuffix(in.path, ".java")
}

// runJavaReader runs the helper. The error is a plain sentence for a person who has no JDK.
func runJavaReader(ctx context.Context, files []input, sent []int) ([]byte, error) {
	java, err := exec.LookPath("java")
	if err != nil {
		return nil, fmt.Errorf("%s: java is not installed", errNoJDK)
	}
	dir, err := os.MkdirTemp("", "kcompare-java-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program, err := javaProgram()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "JavaReader.java")
	if err := os.WriteFile(file, program, 0o600); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, javaTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, java, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dfile.encoding=UTF-8", file)
	cmd.Dir, cmd.Stdin = dir, javaInput(files, sent)
	var answer, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &answer, &said
	if err := cmd.Run(); err != nil {
		return nil, javaFailure(ctx, err, said.String())
	}
	return answer.Bytes(), nil
}

func javaFailure(ctx context.Context, err error, said string) error {
	first, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("not read: the Java reader was stopped: %w", context.Cause(ctx))
	case strings.Contains(said, "jdk.compiler not found") || strings.Contains(said, "Could not find or load main class"):
		return fmt.Errorf("%s: the java that is installed has no compiler in it", errNoJDK)
	}
	return fmt.Errorf("not read: the Java reader failed: %w: %s", err, first)
}

// javaProgram is one file of all: imports stand first, and the class that runs comes
// first of the classes.
func javaProgram() ([]byte, error) {
	var imports []string
	var classes bytes.Buffer
	for _, name := range []string{"JavaReader", "SettingsWalk", "Settings", "Folding", "FactScan"} {
		text, err := javaReader.ReadFile("javareader/" + name + ".java")
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, "import ") {
				classes.WriteString(line)
			} else if !slices.Contains(imports, line) {
				imports = append(imports, line)
			}
		}
	}
	return append([]byte(strings.Join(imports, "")), classes.Bytes()...), nil
}

// javaInput is what the helper reads: a line about each text, and the text.
func javaInput(files []input, sent []int) *bytes.Buffer {
	var all bytes.Buffer
	for _, i := range sent {
		kind := "file"
		if files[i].listing() {
			kind = "listing"
		}
		all.WriteString(kind + " " + strconv.Itoa(len(files[i].text)) + "\n")
		all.Write(files[i].text)
	}
	return &all
}
