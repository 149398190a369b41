package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"kcompare/internal/convert"
	"kcompare/internal/source"
)

type configConvertOptions struct {
	state *State
	file  string // "-": stdin

	to     string
	role   string
	as     string
	output output
}

func newConfigConvert(s *State) *cobra.Command {
	opts := &configConvertOptions{state: s}
	cmd := &cobra.Command{
		Use:   "convert FILE --to=franz|librdkafka|python|java",
		Short: "Write settings in another client's words, with what cannot be carried over",
		Long: `Reads the settings of clients in a file (.properties, .yaml, .json, .py, .go, .java) and
writes them for another client: Go code with kgo options, .properties of librdkafka, a
dict for Python, .properties of Java. Where the source is silent and the other client
would do otherwise, the source's default is written too. What cannot be carried over is
a comment that says why; a count of it goes to stderr. Secrets are never written: a
look-up in the environment stands for them.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("config convert: expected one FILE, or - for standard input")
			}
			opts.file = args[0]
			return runConfigConvert(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVar(&opts.to, "to", "", "franz, librdkafka, python or java")
	cmd.Flags().StringVar(&opts.role, "role", "", "producer or consumer: what settings are for that do not tell")
	cmd.Flags().StringVar(&opts.as, "as", "", "what FILE is written in: python, go, java, properties, yaml, json or markdown")
	cmd.Flags().StringVarP(&opts.output.file, "output", "o", "", "write to this file instead of stdout")
	return cmd
}

func (o *configConvertOptions) check() error {
	if err := oneOf("to", o.to, convert.Targets()...); err != nil {
		return err
	}
	if err := oneOf("role", o.role, "", "producer", "consumer"); err != nil {
		return usagef("--role=%s: expected producer or consumer", o.role)
	}
	if o.file == "-" && o.as == "" {
		return usagef("config convert -: --as=LANGUAGE says what standard input is written in")
	}
	o.output.format = formatText
	return o.output.check()
}

func runConfigConvert(ctx context.Context, opts *configConvertOptions) error {
	if err := opts.check(); err != nil {
		return err
	}
	file, err := opts.read(ctx)
	if err != nil {
		return err
	}
	result, err := convert.Convert(file, convert.Options{To: convert.Target(opts.to), Role: source.Role(opts.role)})
	var wrong *convert.Error
	switch {
	case errors.As(err, &wrong):
		return usageError{err}
	case err != nil:
		return err
	}
	if err := opts.output.put(opts.state, result.Text); err != nil {
		return err
	}
	opts.report(file, result)
	return nil
}

func (o *configConvertOptions) read(ctx context.Context) (source.File, error) {
	if o.file == "-" {
		text, err := io.ReadAll(o.state.Stdin)
		if err != nil {
			return source.File{}, fmt.Errorf("read standard input: %w", err)
		}
		file, err := source.ReadText(ctx, source.Language(o.as), "standard input", text)
		if err != nil {
			return file, usageError{err}
		}
		return file, nil
	}
	if info, err := os.Stat(o.file); err == nil && info.IsDir() {
		return source.File{}, usagef("%s: is a folder, expected one file", o.file)
	}
	files, err := source.Read(ctx, source.Options{As: source.Language(o.as)}, o.file)
	switch {
	case ctx.Err() != nil:
		return source.File{}, ctx.Err()
	case err != nil:
		return source.File{}, usageError{err}
	}
	return files[0], nil
}

// report says on stderr what the result leaves to its reader.
func (o *configConvertOptions) report(file source.File, result convert.Result) {
	if file.Unread != "" {
		fmt.Fprintf(o.state.Stderr, "kcompare: %s: a part was not read: %s\n", file.Path, file.Unread)
	}
	switch n := len(result.Lost); n {
	case 0:
	case 1:
		fmt.Fprintln(o.state.Stderr, "kcompare: 1 setting could not be carried over, a comment says why")
	default:
		fmt.Fprintf(o.state.Stderr, "kcompare: %d settings could not be carried over, comments say why\n", n)
	}
}
