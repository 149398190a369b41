package install

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2/maybe"

	"kcompare/clients"
)

// ErrUnknown says that no client has such a name.
var ErrUnknown = errors.New("there is no such client")

// Cache is where clients are made ready, and with what.
type Cache struct {
	Dir     string   // kcompare's own folder; empty: there is none
	Env     []string // of the tools and the programs, which are looked for in its PATH
	Files   fs.FS    // the shipped programs and lock files: clients.Files()
	Sources fs.FS    // of kcompare's Go drivers; nil: no version of a built-in client can be built

	// Sustained finds programs that are to be measured: a JVM runs with Java's own
	// compilers and collector, and not with what makes a short run short.
	Sustained bool
}

// CacheVariable names the folder in the environment.
const CacheVariable = "KCOMPARE_CACHE"

// User is the user's own cache, in $KCOMPARE_CACHE, or in the folder kcompare where this
// system keeps caches. sources are those of kcompare itself.
func User(sources fs.FS) Cache {
	c := Cache{Env: os.Environ(), Files: clients.Files(), Sources: sources}
	if dir, err := os.UserCacheDir(); err == nil {
		c.Dir = filepath.Join(dir, "kcompare")
	}
	if dir := os.Getenv(CacheVariable); dir != "" {
		if path, err := filepath.Abs(dir); err == nil {
			c.Dir = path
		}
	}
	return c
}

// errNoCache says that this system has no folder for caches.
var errNoCache = errors.New("there is no folder for caches: set " + CacheVariable)

// folder is where clients live.
func (c Cache) folder() string { return filepath.Join(c.Dir, "clients") }

func (c Cache) folderOf(n Named) string { return filepath.Join(c.folder(), n.Folder()) }

// marker is ready.json. A folder that has it is whole.
type marker struct {
	Client  string `json:"client"`
	Version string `json:"version"`

	// Asked is the hash of what was asked for: the lock file, or the sources. Where a
	// newer kcompare asks for something else the folder is not ready.
	Asked string `json:"asked"`

	Packages []pkg `json:"packages"` // that came of it
}

// pkg is a package as it was installed.
type pkg struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Hash    string `json:"hash,omitempty"` // as its registry's tool writes it: "sha256=...", "sha512-..."
}

const markerName = "ready.json"

// errNotThere says that nobody has installed a client.
var errNotThere = errors.New("it is not installed")

// check is an error unless the folder of a client is whole, and what this kcompare
// would make.
func (c Cache) check(n Named) error {
	if c.Dir == "" {
		return errNoCache
	}
	text, err := os.ReadFile(filepath.Join(c.folderOf(n), markerName))
	if errors.Is(err, fs.ErrNotExist) {
		return errNotThere
	}
	if err != nil {
		return err
	}
	var m marker
	if err := json.Unmarshal(text, &m); err != nil {
		return fmt.Errorf("%s of %s: %w", markerName, n.Folder(), err)
	}
	asked, err := n.environment.asked(c, n)
	if err != nil {
		return err
	}
	if m.Asked != hashOf(asked) {
		return errors.New("it was installed by another version of kcompare")
	}
	return nil
}

func (c Cache) mark(n Named, packages []pkg) error {
	asked, err := n.environment.asked(c, n)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(marker{Client: n.Name, Version: n.of, Asked: hashOf(asked), Packages: packages}, "", "  ")
	if err != nil {
		return err
	}
	return maybe.WriteFile(filepath.Join(c.folderOf(n), markerName), append(text, '\n'), 0o644)
}

// hashOf is short enough for names of folders.
func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// Find is a client that is ready to start. The error says in one line how to get it.
// Where a program has changed with kcompare it is written, and compiled if its language
// needs that.
func (c Cache) Find(ctx context.Context, n Named) (clients.Program, error) {
	if err := c.check(n); err != nil {
		return clients.Program{}, fmt.Errorf("%w: %s", err, n.How())
	}
	command, err := n.environment.command(ctx, c, n)
	if err != nil {
		return clients.Program{}, fmt.Errorf("%w: install it, or %s again", err, n.How())
	}
	return clients.Program{
		Client: n.Given, Command: command, Dir: c.folderOf(n),
		Library: n.library, Version: n.version(),
	}, nil
}

// Others lists the clients that were installed in another version than the pinned one;
// sorted. Not all need be ready: kcompare may have changed since.
func (c Cache) Others() []Named {
	entries, _ := os.ReadDir(c.folder()) // nothing was ever installed, or there is no cache
	var all []Named
	for _, e := range entries {
		n, err := Parse(e.Name())
		if err != nil || !e.IsDir() || n.pinned() || errors.Is(c.check(n), errNotThere) {
			continue
		}
		all = append(all, n)
	}
	slices.SortFunc(all, func(a, b Named) int { return strings.Compare(a.Given, b.Given) })
	return all
}

// program writes the shipped program of a client beside its library, if it is not there
// yet, and returns its path.
func (c Cache) program(n Named, name string) (string, error) {
	text, err := fs.ReadFile(c.Files, n.Name+"/"+name)
	if err != nil {
		return "", fmt.Errorf("the program of %s is not in this build: %w", n.Name, err)
	}
	dir := filepath.Join(c.folderOf(n), "program-"+hashOf(text))
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("write the program of %s: %w", n.Name, err)
	}
	if err := maybe.WriteFile(path, text, 0o644); err != nil { // renamed: whoever writes at the same time writes the same
		return "", fmt.Errorf("write the program of %s: %w", n.Name, err)
	}
	return path, nil
}

// Ready says whether a client is installed, as this kcompare would install it.
func (c Cache) Ready(n Named) bool { return c.check(n) == nil }
