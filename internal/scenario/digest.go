package scenario

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"io/fs"
	"slices"
	"strings"
)

//go:embed *.go
var sources embed.FS

// Digests is a fingerprint of the sources of every scenario, by its name: of the files
// that begin with its name (late_commit_story.go is of late-commit) and of those that
// belong to no scenario. Comments, blanks and line ends do not count. It is the same in
// every build of the same sources; whoever keeps evidence compares it with the one that
// the evidence was made by.
func Digests() map[string]string {
	all, shared := map[string][]string{}, []string{}
	for _, file := range sourceFiles() {
		sum := digestFile(file)
		if name, own := ownerOf(file); own {
			all[name] = append(all[name], sum)
		} else {
			shared = append(shared, sum)
		}
	}
	digests := map[string]string{}
	for _, name := range Names() {
		digests[name] = shortSum(strings.Join(slices.Concat(all[name], shared), "\n"))
	}
	return digests
}

// sourceFiles are those that are compiled, in the order of their names.
func sourceFiles() []string {
	entries, err := fs.ReadDir(sources, ".")
	if err != nil {
		panic(err) // the files are in the program
	}
	var files []string
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), "_test.go") {
			files = append(files, e.Name())
		}
	}
	return files
}

// ownerOf is the scenario whose name a file begins with: the longest one, should names
// begin with each other.
func ownerOf(file string) (name string, own bool) {
	for _, n := range Names() {
		stem := strings.ReplaceAll(n, "-", "_")
		if (file == stem+".go" || strings.HasPrefix(file, stem+"_")) && len(n) > len(name) {
			name = n
		}
	}
	return name, name != ""
}

func digestFile(file string) string {
	content, err := sources.ReadFile(file)
	if err != nil {
		panic(err) // the files are in the program
	}
	return shortSum(file + "\n" + strings.Join(words(content), "\n"))
}

// words are the tokens of a Go file, without semicolons: the scanner puts one at most line
// ends.
func words(content []byte) []string {
	files := token.NewFileSet()
	var s scanner.Scanner
	s.Init(files.AddFile("", files.Base(), len(content)), content, nil, 0)
	var all []string
	for {
		_, tok, text := s.Scan()
		if tok == token.EOF {
			return all
		}
		if tok == token.SEMICOLON {
			continue
		}
		all = append(all, fmt.Sprintf("%v %s", tok, text))
	}
}

func shortSum(text string) string {
	h := sha256.New()
	_, _ = io.WriteString(h, text) // a hash takes everything
	return hex.EncodeToString(h.Sum(nil))[:16]
}
