package source

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Options say how Read reads.
type Options struct {
	// As is the language of the files that are named one by one, whatever their extension.
	// With As a file may also be prose with listings in it that no fence marks. "" goes by
	// the extension.
	As Language
}

// input is a text that a frontend reads: a whole file or one fenced block of it.
type input struct {
	path string
	text []byte

	// firstLine is how many lines of the file stand before text: 0 for a whole file.
	firstLine int

	// unfenced says that text may be prose around listings, which no fence marks
	// (--as=python FILE.txt).
	unfenced bool

	// every says that listings of Go and Python in a page are parsed, those that have nothing
	// to do with Kafka too, because their syntax errors are asked for (Mistake).
	every bool
}

// frontend reads all inputs of one language in one call, so that a helper process starts
// once. It returns a File for each input, in their order, with positions as they are in
// the file. A text that it cannot read is a File with Unread, and no reason to stop.
type frontend func(ctx context.Context, inputs []input) []File

// frontends are the readers by language; markdown is taken apart for them.
func frontends() map[Language]frontend {
	return map[Language]frontend{
		Python: readPython, Go: readGo, Java: readJava,
		Properties: readProperties, YAML: readYAML, JSON: readJSON,
	}
}

// maxSize is the size in bytes above which a file is no source that a person wrote.
const maxSize = 1 << 20

// Read reads files, and folders with all files of a known language below them, in the
// order given. A file that cannot be looked at is returned with the reason (Unread). The
// error is for a path that does not exist or has no language.
func Read(ctx context.Context, o Options, paths ...string) ([]File, error) {
	if o.As != "" && !slices.Contains(languages(), o.As) {
		return nil, fmt.Errorf("--as=%s: expected %s", o.As, names(languages()))
	}
	files, err := collect(o, paths)
	if err != nil {
		return nil, err
	}
	if err := load(ctx, files); err != nil {
		return nil, err
	}
	return parse(ctx, files), nil
}

// ReadText reads what stands in no file, such as standard input; name is its path in the
// result. The error is for a language that does not exist.
func ReadText(ctx context.Context, language Language, name string, content []byte) (File, error) {
	if !slices.Contains(languages(), language) {
		return File{}, fmt.Errorf("--as=%s: expected %s", language, names(languages()))
	}
	f := newText(name, language)
	f.text, f.unfenced = content, true
	return parse(ctx, []text{f})[0], nil
}

// Page is a markdown page as it is in memory.
type Page struct {
	Path    string // of the file: versions of libraries are looked up beside it
	Content []byte
}

// ReadPages reads pages together, and their listings with Mistakes: those of Go and Python
// in any case, others where they are about Kafka.
func ReadPages(ctx context.Context, pages []Page) []File {
	texts := make([]text, len(pages))
	for i, p := range pages {
		texts[i] = newText(p.Path, Markdown)
		texts[i].text, texts[i].every = p.Content, true
	}
	return parse(ctx, texts)
}

// text is a file on its way from its path to what it says.
type text struct {
	File
	input
	quiet bool // nothing in it is about Kafka
}

// load reads all texts.
func load(ctx context.Context, files []text) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(2 * runtime.GOMAXPROCS(0)) // disks answer several at a time
	for i := range files {
		group.Go(func() error {
			files[i].load()
			return ctx.Err()
		})
	}
	return group.Wait()
}

func (f *text) load() {
	content, err := os.ReadFile(f.Path)
	switch {
	case err != nil:
		f.Unread = err.Error()
	case len(content) > maxSize:
		f.Unread = "larger than 1 MB"
	default:
		f.text = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	}
	f.quiet = f.Unread != "" || !aboutKafka(f.Language, f.text)
}

// parse hands every language its texts, the blocks of markdown among them, and waits for
// all frontends.
func parse(ctx context.Context, files []text) []File {
	jobs := map[Language]*job{}
	done := make([]File, len(files))
	pages := map[int]*page{}
	for i, f := range files {
		done[i] = f.File
		switch {
		case f.quiet:
		case f.Language == Markdown:
			pages[i] = readPage(f.input)
			for _, b := range pages[i].blocks {
				jobFor(jobs, b.language).add(b.input, func(read File) { b.take(read) })
			}
		default:
			jobFor(jobs, f.Language).add(f.input, func(read File) { done[i] = read })
		}
	}
	run(ctx, jobs)
	for i, p := range pages {
		done[i] = p.file()
	}
	return done
}

// job is what one frontend has to read, who takes each result, and the results.
type job struct {
	inputs []input
	takers []func(File)
	read   []File
}

func jobFor(jobs map[Language]*job, language Language) *job {
	if jobs[language] == nil {
		jobs[language] = &job{}
	}
	return jobs[language]
}

func (j *job) add(in input, take func(File)) {
	j.inputs = append(j.inputs, in)
	j.takers = append(j.takers, take)
}

// run lets the frontends read side by side; their results are taken one after the other.
func run(ctx context.Context, jobs map[Language]*job) {
	var all sync.WaitGroup
	for language, j := range jobs {
		all.Go(func() { j.read = frontends()[language](ctx, j.inputs) })
	}
	all.Wait()
	for language, j := range jobs {
		for i, f := range j.read {
			if language == Go || language == Java {
				f.Ignores = append(f.Ignores, codeIgnores(j.inputs[i])...)
			}
			j.takers[i](f)
		}
	}
}

// collect finds the files below the paths. One that is named twice is read once.
func collect(o Options, paths []string) ([]text, error) {
	var all []text
	seen := map[string]bool{}
	for _, path := range paths {
		found, err := below(o, path)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			if clean := filepath.Clean(f.Path); !seen[clean] {
				seen[clean] = true
				all = append(all, f)
			}
		}
	}
	return all, nil
}

func below(o Options, path string) ([]text, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir():
		f, err := named(o, path)
		return []text{f}, err
	}
	return walk(path)
}

// named is a file that the user named.
func named(o Options, path string) (text, error) {
	own, known := LanguageOf(path)
	language := own
	switch {
	case o.As != "":
		language = o.As
	case !known:
		return text{}, fmt.Errorf("%s: expected a file that ends in %s; --as=LANGUAGE says what another one is (%s)",
			path, strings.Join(extensions(), " "), names(languages()))
	}
	f := newText(path, language)
	f.unfenced = own != language
	return f, nil
}

func newText(path string, language Language) text {
	return text{File: File{Path: path, Language: language}, input: input{path: path}}
}

// walk finds the files of a folder. Folders that others wrote are left out.
func walk(folder string) ([]text, error) {
	var found []text
	root := folder + string(filepath.Separator) // a link to a folder is followed
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && skipped(d.Name()):
			return filepath.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		if language, ok := LanguageOf(path); ok && small(d) {
			found = append(found, newText(filepath.Clean(path), language))
		}
		return nil
	})
	return found, err
}

func skipped(folder string) bool {
	return strings.HasPrefix(folder, ".") || folder == "node_modules" || folder == "vendor"
}

func small(d os.DirEntry) bool {
	info, err := d.Info()
	return err != nil || info.Size() <= maxSize // what is wrong with it shows when it is read
}
