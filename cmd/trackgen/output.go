package main

import (
	"bytes"
	"errors"
	"io"
	"syscall"

	"github.com/spf13/cobra"
)

// output is the standard output. It keeps the first error of a write: libraries that write help texts and tables drop
// it.
type output struct {
	w   io.Writer
	err error
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// readerGone reports whether whoever read the output has closed it, as head does when it has seen enough.
func (o *output) readerGone() bool { return errors.Is(o.err, syscall.EPIPE) }

// tell writes something for people to the standard error. A failure is no failure of the run: the standard error is not
// what was asked for.
func (a *app) tell(write func(io.Writer) error) { _ = write(a.stderr) }

// helpOnce lets a command write its help in one piece: cobra reports a failed write in words of its own, and execute
// does too.
func (a *app) helpOnce(show func(*cobra.Command, []string)) func(*cobra.Command, []string) {
	return func(command *cobra.Command, arguments []string) {
		var text bytes.Buffer
		command.SetOut(&text)
		show(command, arguments)
		_, _ = a.stdout.Write(text.Bytes()) // the output keeps the error
	}
}
