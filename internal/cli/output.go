package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2/maybe"
	"github.com/spf13/pflag"

	"kcompare/internal/evidence"
	"kcompare/internal/lang"
	"kcompare/internal/report"
)

// The formats of a report.
const (
	formatText     = "text"
	formatMarkdown = "markdown"
	formatJSON     = "json"
	formatHTML     = "html" // of evidence alone
)

// oneOf checks the value of a flag that takes one of few words.
func oneOf(flag, value string, words ...string) error {
	if slices.Contains(words, value) {
		return nil
	}
	return usagef("--%s=%s: expected %s", flag, value, strings.Join(words, " or "))
}

// output is where a report goes and how it looks.
type output struct {
	format string
	file   string // empty or "-": stdout
	lang   string // of a report; empty: English
}

func (o output) toStdout() bool { return o.file == "" || o.file == "-" }

// check finds out before a run whether the result can be written afterwards. Beside the
// formats that every report has there may be others.
func (o output) check(others ...string) error {
	return o.checkOf(append([]string{formatText, formatMarkdown, formatJSON}, others...)...)
}

// checkOf is check for a report that has these formats alone.
func (o output) checkOf(formats ...string) error {
	if err := oneOf("format", o.format, formats...); err != nil {
		return err
	}
	if _, err := lang.Parse(cmp.Or(o.lang, string(lang.English))); err != nil {
		return usagef("--lang=%s: %w", o.lang, err)
	}
	return o.checkFile()
}

// langFlag is --lang of a command that prints a report. JSON is the same in every language.
func (o *output) langFlag(f *pflag.FlagSet) {
	f.StringVar(&o.lang, "lang", string(lang.English), "language of the report: en or ru (json stays as it is)")
}

// printer speaks the language of the report.
func (o output) printer() lang.Printer { return lang.In(lang.Language(o.lang)) }

// checkFile finds out whether the file can be written.
func (o output) checkFile() error {
	if o.toStdout() {
		return nil
	}
	info, err := os.Stat(o.file)
	switch {
	case err == nil && info.IsDir():
		return usagef("-o %s: is a directory, expected a file", o.file)
	case err == nil && !info.Mode().IsRegular():
		return nil // a pipe or a device shows only when it is written to
	}
	if err := writable(filepath.Dir(o.target())); err != nil {
		return usagef("-o %s: %w", o.file, err)
	}
	return nil
}

// target is the file behind a symbolic link, which stays a link.
func (o output) target() string {
	if path, err := filepath.EvalSymlinks(o.file); err == nil {
		return path
	}
	link, err := os.Readlink(o.file)
	switch {
	case err != nil:
		return o.file // it does not exist yet
	case filepath.IsAbs(link):
		return link // what it leads to does not exist yet
	}
	return filepath.Join(filepath.Dir(o.file), link)
}

// writable tries, because permissions alone do not tell.
func writable(dir string) error {
	probe, err := os.CreateTemp(dir, ".kcompare-*")
	if err != nil {
		return fmt.Errorf("cannot write into %s: %w", dir, err)
	}
	_ = probe.Close()
	return os.Remove(probe.Name())
}

// write renders the document. A file is replaced in one step, or not at all.
func (o output) write(s *State, doc evidence.Document, wires report.Wires) error {
	var b bytes.Buffer
	if err := o.render(&b, s, doc, wires); err != nil {
		return err
	}
	return o.put(s, b.Bytes())
}

// writeTables prints the document as JSON, or its tables.
func (o output) writeTables(s *State, doc any, tables ...report.Table) error {
	var b bytes.Buffer
	var err error
	switch o.format {
	case formatJSON:
		err = writeJSON(&b, doc)
	case formatMarkdown:
		err = report.MarkdownTables(&b, tables...)
	default:
		err = report.TextTables(&b, tables...)
	}
	if err != nil {
		return err
	}
	return o.put(s, b.Bytes())
}

// put sends what was rendered to where it goes.
func (o output) put(s *State, content []byte) error {
	if o.toStdout() {
		_, err := s.Stdout.Write(content)
		return err
	}
	if err := o.replace(content); err != nil {
		return fmt.Errorf("write %s: %w", o.file, err)
	}
	return nil
}

// replace never puts a file in the place of a pipe or a device.
func (o output) replace(content []byte) error {
	info, err := os.Stat(o.file)
	if err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(o.file, content, 0o644)
	}
	return maybe.WriteFile(o.target(), content, 0o644)
}

func (o output) render(b *bytes.Buffer, s *State, doc evidence.Document, wires report.Wires) error {
	switch o.format {
	case formatHTML:
		return report.HTML(b, doc, report.HTMLOptions{In: o.printer(), Wires: wires})
	case formatJSON:
		return evidence.Encode(b, doc)
	case formatMarkdown:
		return report.Markdown(b, doc, o.printer())
	}
	return report.Text(b, doc, o.text(s))
}

// text is how a report in text looks.
func (o output) text(s *State) report.TextOptions {
	return report.TextOptions{Width: s.Width, Color: s.StdoutTerminal && o.toStdout(), In: o.printer()}
}
