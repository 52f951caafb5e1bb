// Package command is the command trackgen: it generates batches of race tracks, draws them, makes data sets of them and
// measures the devices that can make them. A program that registers its own generators before it calls Main has them in
// every command, by name, with their settings. examples/generator/mytrackgen is one:
//
//	func main() {
//		if err := generator.Register("waves", generator.Defaults); err != nil {
//			log.Fatal(err)
//		}
//		command.Main()
//	}
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/internal/settings"
	"github.com/trackgen-go/trackgen/internal/suggest"
)

// Exit codes. The help documents them.
const (
	exitDone        = 0
	exitFailed      = 1
	exitBadInput    = 2
	exitInterrupted = 130 // 128 + SIGINT, the convention of shells
	exitReaderGone  = 141 // 128 + SIGPIPE, the convention of shells
)

// Main runs the command line of the process, os.Args, and ends the process with the exit code that the help documents.
// Register generators before: the help, the completions and the checks of the settings list what is registered.
func Main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, func() { hurry(os.Stderr) })
	// With SIGPIPE caught, a write to a closed pipe returns an error instead of ending the process. A run continues when
	// the reader of its messages exits, and removes its unfinished files when the reader of its output exits.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	code := newApp(os.Stdin, os.Stdout, os.Stderr).execute(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// hurry ends the process some seconds after the first signal, or at once on a second one, if the run has not ended by
// then: a running kernel cannot be stopped, and with a large batch it may take minutes.
func hurry(stderr io.Writer) {
	const patience = 3 * time.Second
	again := make(chan os.Signal, 1)
	signal.Notify(again, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	select {
	case <-again:
	case <-time.After(patience):
	}
	if isTerminal(stderr) {
		fmt.Fprintln(stderr) // below the progress bar
	}
	if err := export.RemoveUnfinished(); err != nil {
		fmt.Fprintf(stderr, "trackgen: %v\n", err)
	} else {
		fmt.Fprintln(stderr, "trackgen: interrupted; unfinished files were removed")
	}
	os.Exit(exitInterrupted)
}

// app is one run of the command line.
type app struct {
	stdin  io.Reader
	stdout *output   // data only
	stderr io.Writer // messages and progress

	running bool // the arguments have been parsed and the command has started
}

func newApp(stdin io.Reader, stdout, stderr io.Writer) *app {
	return &app{stdin: stdin, stdout: &output{w: stdout}, stderr: stderr}
}

// execute runs one command line, prints its error and returns the exit code.
func (a *app) execute(ctx context.Context, arguments []string) int {
	root := a.rootCommand()
	root.SetArgs(arguments)
	command, err := root.ExecuteContextC(ctx)
	if err == nil && a.stdout.err == nil {
		return exitDone
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		a.message("interrupted; unfinished files were removed")
		return exitInterrupted
	}
	if a.stdout.readerGone() {
		return exitReaderGone
	}
	if a.stdout.err != nil && !errors.Is(err, a.stdout.err) {
		err = errors.Join(err, a.stdout.err)
	}
	for _, part := range settings.Parts(err) {
		a.message("%v", part)
	}
	var input *inputError
	switch {
	case a.stdout.err != nil:
		return exitFailed
	case !a.running:
		a.message("see %s --help", command.CommandPath())
		return exitBadInput
	case errors.As(err, &input), errors.Is(err, trackgen.ErrConfig): // or a device cannot run it
		return exitBadInput
	default:
		return exitFailed
	}
}

// message prints a line to standard error.
func (a *app) message(format string, args ...any) {
	fmt.Fprintf(a.stderr, "trackgen: "+format+"\n", args...)
}

// run wraps the work of a command. Errors before it are errors of the arguments.
func (a *app) run(work func(ctx context.Context, arguments []string) error) func(*cobra.Command, []string) error {
	return func(command *cobra.Command, arguments []string) error {
		a.running = true
		if err := refuseEmptyFlags(command); err != nil {
			return err
		}
		if err := a.refuseSharedFiles(command, arguments); err != nil {
			return err
		}
		return work(command.Context(), arguments)
	}
}

// refuseEmptyFlags refuses flags with an empty value, which an unset variable in a shell script can cause. If they were
// treated as absent, the run would not do what the user requested.
func refuseEmptyFlags(command *cobra.Command) (err error) {
	command.Flags().Visit(func(f *pflag.Flag) {
		empty := f.Value.Type() == "string" && f.Value.String() == "" || f.Value.Type() == "stringSlice" &&
			f.Value.String() == "[]"
		if empty && f.Name != "title" {
			err = errors.Join(err, fmt.Errorf("--%s is empty: give it a value or leave it out", f.Name))
		}
	})
	return badInput(err)
}

// inputError is an error of the input: of the arguments or of the files that they name. Its exit code is 2. All other
// errors of a command that has started have exit code 1.
type inputError struct{ parts []error }

// badInput marks the parts of err as errors of the input. It returns nil for nil.
func badInput(err error) error {
	if err == nil {
		return nil
	}
	return &inputError{settings.Parts(err)}
}

// badInputf returns a formatted error of the input.
func badInputf(format string, args ...any) error { return badInput(fmt.Errorf(format, args...)) }

func (e *inputError) Error() string   { return errors.Join(e.parts...).Error() }
func (e *inputError) Unwrap() []error { return e.parts }
func (e *inputError) Parts() []error  { return e.parts }

// flagError adds a suggestion to pflag's error for a misspelt flag.
func flagError(command *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return err
	}
	var names []string
	command.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	name := missing.GetSpecifiedName()
	if missing.GetSpecifiedShortnames() != "" || strings.TrimLeft(name, "-") == "" {
		return err
	}
	if nearest := suggest.Nearest(name, names); nearest != "" {
		return fmt.Errorf("%w; did you mean --%s?", err, nearest)
	}
	return err
}
