package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kcompare/drivers"
	"kcompare/internal/config"
)

// The exit codes of the contract. Those of a run come from verdict.Exit.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitWrong       = 3
	exitUnproven    = 4
	exitInterrupted = 130
)

// usageError is a mistake of the user's: exit 2.
type usageError struct{ error }

func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// unknown says that there is no thing of that kind and name, which one was
// probably meant, and which there are.
func unknown(kind, name string, known []string) error {
	if near := config.Nearest(name, known); near != "" {
		return usagef("unknown %s %q: did you mean %s?", kind, name, near)
	}
	return usagef("unknown %s %q: expected %s", kind, name, strings.Join(known, ", "))
}

// codeError carries the exit code of a command that did its work: what it found
// is printed, there is nothing more to say.
type codeError int

func (c codeError) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// finish turns a code into a command's error.
func finish(code int) error {
	if code == exitOK {
		return nil
	}
	return codeError(code)
}

// exitCode prints the error in one line, if it has something to say, and chooses
// the code.
func (s *State) exitCode(ctx context.Context, err error) int {
	var code codeError
	var usage usageError
	var lines linesError
	var wrongConfig *drivers.ConfigError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &lines):
		fmt.Fprintln(s.Stderr, lines)
		return exitUsage
	}
	fmt.Fprintf(s.Stderr, "kcompare: %v\n", err)
	switch {
	case errors.As(err, &usage), errors.As(err, &wrongConfig):
		return exitUsage
	case ctx.Err() != nil:
		return exitInterrupted
	}
	return exitFailed
}

// flagError names the nearest flag for one that does not exist.
func flagError(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	if errors.As(err, &value) {
		f := value.GetFlag()
		return usagef("--%s=%s: expected a value of type %s, such as %s", f.Name, value.GetValue(), f.Value.Type(), f.DefValue)
	}
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return usageError{err}
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	name := missing.GetSpecifiedName()
	if near := config.Nearest(name, known); near != "" {
		return usagef("unknown flag --%s: did you mean --%s?", name, near)
	}
	return usagef("unknown flag --%s: %s --help lists them", name, cmd.CommandPath())
}

// noArguments refuses arguments with a usage error.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments, got %q", cmd.CommandPath(), args[0])
	}
	return nil
}
