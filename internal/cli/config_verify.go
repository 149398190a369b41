package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"kcompare/internal/config"
	"kcompare/internal/report"
	"kcompare/internal/source"
	"kcompare/internal/verify"
)

type verifyOptions struct {
	state *State
	files []string // one or two, "PATH" or "PATH:LINE"

	clients string
	role    string
	as      string
	given   bool
	deep    bool
	out     output
}

func newConfigVerify(s *State) *cobra.Command {
	opts := &verifyOptions{state: s}
	cmd := &cobra.Command{
		Use:   "verify FILE [FILE2]",
		Short: "Prove on the wire that clients given these settings behave alike",
		Long: `Builds a real client of each library from the settings in FILE, plays short
experiments with it against an embedded broker behind the recording proxy, and
compares what was seen of each setting: same, different, or not observable and why.
With FILE2 the second client gets the settings of FILE2.

FILE is .properties, .yaml, .json, Python or Go. Where it has settings of several
clients, FILE:LINE says which. Nothing outside of this machine is connected to.`,
		Example: `  kcompare config verify producer.properties
  kcompare config verify app.py:12 main.go
  kcompare config verify old.properties new.properties --client=librdkafka`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.files = args
			return runVerify(cmd.Context(), opts)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.clients, "client", "", "libraries: for one FILE those to compare (default franz,librdkafka), for two the one of each FILE, or one for both")
	f.StringVar(&opts.role, "role", "", "producer or consumer, where FILE does not tell")
	f.StringVar(&opts.as, "as", "", "language of FILE, whatever its extension")
	f.BoolVar(&opts.given, "given", false, "only the settings in FILE, not those that differ by default")
	f.BoolVar(&opts.deep, "deep", false, "wait for effects that take longer than 3 s")
	f.StringVar(&opts.out.format, "format", formatText, "text, markdown or json")
	f.StringVarP(&opts.out.file, "output", "o", "", "file to write to")
	return cmd
}

// verifyDocument is the answer as JSON.
type verifyDocument struct {
	Command  string              `json:"command"`
	Schema   string              `json:"schema"`
	Role     source.Role         `json:"role"`
	Clients  []verify.Contestant `json:"clients"`
	Keys     []verify.Key        `json:"keys"`
	Problems []string            `json:"problems,omitempty"` // experiments that failed
}

func runVerify(ctx context.Context, o *verifyOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	blocks, err := o.blocks(ctx)
	if err != nil {
		return err
	}
	clients, err := o.contestants(ctx, blocks)
	if err != nil {
		return err
	}
	role := config.Producer
	if o.role == string(source.Consumer) {
		role = config.Consumer
	}
	found, err := verify.Verify(ctx, verify.Options{Role: role, Clients: clients, GivenOnly: o.given, Deep: o.deep, Now: o.state.Now})
	if err != nil {
		return err
	}
	doc := verifyDocument{
		Command: "config verify", Schema: "kcompare/verify/v1", Role: source.Role(o.role),
		Clients: found.Clients, Keys: append([]verify.Key{}, found.Keys...), Problems: found.Problems,
	}
	if err := o.out.writeTables(o.state, doc, verifyTables(doc)...); err != nil {
		return err
	}
	for _, p := range found.Problems {
		fmt.Fprintf(o.state.Stderr, "kcompare: experiment failed: %s\n", p)
	}
	switch {
	case found.Differs():
		return finish(exitWrong)
	case len(found.Problems) > 0:
		return finish(exitUnproven)
	}
	return nil
}

func (o *verifyOptions) check() error {
	if len(o.files) == 0 || len(o.files) > 2 {
		return usagef("config verify takes one FILE or two, got %d", len(o.files))
	}
	if o.role != "" {
		if err := oneOf("role", o.role, string(source.Producer), string(source.Consumer)); err != nil {
			return err
		}
	}
	return o.out.check()
}

// settingsBlock is the settings of one file.
type settingsBlock struct {
	source.Block
	path string
}

// blocks chooses one of each file, all of one role.
func (o *verifyOptions) blocks(ctx context.Context) ([]settingsBlock, error) {
	var all []settingsBlock
	for _, name := range o.files {
		b, err := o.block(ctx, name)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	for _, b := range all {
		role := b.Role
		if role == source.AnyRole {
			continue
		}
		if o.role == "" {
			o.role = string(role)
		}
		if string(role) != o.role {
			return nil, usagef("%s:%d has the settings of a %s, expected a %s", b.path, b.At.Line, role, o.role)
		}
	}
	if o.role == "" {
		return nil, usagef("%s does not tell whether it is for a producer or a consumer: expected --role=producer or --role=consumer", all[0].path)
	}
	return all, nil
}

func (o *verifyOptions) block(ctx context.Context, name string) (settingsBlock, error) {
	path, line := name, 0
	if before, after, found := cutLast(name, ":"); found {
		if n, err := strconv.Atoi(after); err == nil {
			path, line = before, n
		}
	}
	files, err := source.Read(ctx, source.Options{As: source.Language(o.as)}, path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return settingsBlock{}, usageError{err}
	case err != nil:
		return settingsBlock{}, usageError{fmt.Errorf("read %s: %w", path, err)}
	case len(files) != 1:
		return settingsBlock{}, usagef("%s: expected one file, found %d", path, len(files))
	case files[0].Unread != "":
		return settingsBlock{}, fmt.Errorf("%s could not be read: %s", path, files[0].Unread)
	}
	fitting := o.fitting(files[0].Blocks, line)
	if len(fitting) != 1 {
		return settingsBlock{}, wrongBlocks(path, line, fitting, files[0].Blocks)
	}
	return settingsBlock{fitting[0], path}, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// fitting are the blocks of clients, of the role and line that are asked for.
func (o *verifyOptions) fitting(blocks []source.Block, line int) []source.Block {
	var all []source.Block
	for _, b := range blocks {
		switch {
		case b.Client == "broker", b.Client == "topic", b.Client == "connect", b.Role == source.Admin:
		case line > 0 && b.At.Line != line:
		case o.role != "" && b.Role != source.AnyRole && string(b.Role) != o.role:
		default:
			all = append(all, b)
		}
	}
	return all
}

func wrongBlocks(path string, line int, fitting, all []source.Block) error {
	if len(fitting) > 1 {
		all = fitting
	}
	var places []string
	for _, b := range all {
		places = append(places, fmt.Sprintf("%s:%d (%s)", path, b.At.Line, strings.TrimSpace(b.Client+" "+string(b.Role))))
	}
	switch {
	case len(all) == 0:
		return usagef("%s: expected the settings of a Kafka client, found none", path)
	case len(fitting) > 1:
		return usagef("%s has the settings of several clients: expected one of %s", path, strings.Join(places, ", "))
	case line > 0:
		return usagef("%s:%d: no client's settings begin there: expected %s", path, line, strings.Join(places, ", "))
	}
	return usagef("%s: expected the settings of a producer or consumer, found %s", path, strings.Join(places, ", "))
}

// contestants gives each client its settings.
func (o *verifyOptions) contestants(ctx context.Context, blocks []settingsBlock) ([]verify.Client, error) {
	names, err := o.libraries(blocks)
	if err != nil {
		return nil, err
	}
	var all []verify.Client
	for i, name := range names {
		d, err := o.state.running(ctx, name)
		if err != nil {
			return nil, err
		}
		b := blocks[min(i, len(blocks)-1)]
		settings, unread, err := verify.FromBlock(b.path, b.Block)
		if err != nil {
			return nil, usageError{err}
		}
		c := verify.Client{Name: name, Driver: d, Config: settings, Unread: unread}
		if len(blocks) > 1 {
			c.Name += ": " + filepath.Base(b.path)
			if i > 0 && c.Name == all[0].Name {
				c.Name += ":" + strconv.Itoa(b.At.Line)
			}
			if i > 0 && c.Name == all[0].Name {
				c.Name += " (second)"
			}
		}
		all = append(all, c)
	}
	return all, nil
}

// The clients that settings are given to where nothing says which.
const (
	clientFranz      = "franz"
	clientLibrdkafka = "librdkafka"
)

// libraries are the clients in the order of columns: two or more for one file, one a
// file for two.
func (o *verifyOptions) libraries(blocks []settingsBlock) ([]string, error) {
	named := strings.FieldsFunc(o.clients, func(r rune) bool { return r == ',' })
	switch {
	case o.clients == "all":
		named = []string{clientFranz, clientLibrdkafka}
	case len(blocks) == 1 && len(named) == 0:
		return []string{clientFranz, clientLibrdkafka}, nil
	}
	switch {
	case len(blocks) == 1 && len(named) == 1:
		return nil, usagef("--client=%s: one client has nothing to be compared with: expected two, or a second FILE", o.clients)
	case len(blocks) == 1 && len(named) > 1 && named[0] == named[1]:
		return nil, usagef("--client=%s: %s is named twice", o.clients, named[0])
	case len(blocks) == 1:
		return named, nil
	case len(named) > 2:
		return nil, usagef("--client=%s: expected one client for each FILE", o.clients)
	case len(named) == 2:
		return named, nil
	case len(named) == 1:
		return []string{named[0], named[0]}, nil
	}
	return []string{libraryOf(blocks[0].Client, clientLibrdkafka), libraryOf(blocks[1].Client, clientFranz)}, nil
}

// libraryOf is the client here that a block is for, or otherwise where it is for none of
// them, or does not say.
func libraryOf(client, otherwise string) string {
	switch client {
	case "python", clientLibrdkafka:
		return clientLibrdkafka
	case clientFranz:
		return clientFranz
	}
	return otherwise
}

// verifyTables are the settings of the file, and what differs beside them.
func verifyTables(doc verifyDocument) []report.Table {
	columns := []report.Column{{Name: "KEY"}, {Name: "VALUE"}, {Name: "RESULT"}}
	for _, c := range doc.Clients {
		columns = append(columns, report.Column{Name: c.Name})
	}
	columns = append(columns, report.Column{Name: "WHY"})
	given := report.Table{Columns: columns}
	others := report.Table{Title: "Not in the file, and different by default", Columns: columns}
	for _, k := range doc.Keys {
		row := []string{k.Key, k.Value, string(k.Result)}
		for _, c := range doc.Clients {
			row = append(row, k.Observed[c.Name])
		}
		row = append(row, strings.Join(append(nonEmpty(k.Reason), k.Notes...), "; "))
		if k.Given {
			given.Rows = append(given.Rows, row)
		} else {
			others.Rows = append(others.Rows, row)
		}
	}
	verdict := report.Table{Notes: []string{verdictOf(doc)}}
	if len(others.Rows) == 0 {
		return []report.Table{given, verdict}
	}
	return []report.Table{given, others, verdict}
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// verdictOf counts, and names the libraries.
func verdictOf(doc verifyDocument) string {
	n := map[verify.Result]int{}
	byDefault := 0
	for _, k := range doc.Keys {
		if k.Given {
			n[k.Result]++
		} else {
			byDefault++
		}
	}
	var libraries []string
	for _, c := range doc.Clients {
		libraries = append(libraries, c.Library)
	}
	return fmt.Sprintf("%d same, %d different, %d not observable, %d different by default: %s",
		n[verify.Same], n[verify.Different], n[verify.NotObservable], byDefault, strings.Join(libraries, " and "))
}
