package main

import (
	"bytes"
	"errors"
	"io"
	"syscall"

	"github.com/spf13/cobra"
)

// output is standard output. It keeps the first write error, because libraries that write help texts and tables ignore
// errors.
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

// readerGone reports whether the reader of the output has closed the pipe, as head does after its last line.
func (o *output) readerGone() bool { return errors.Is(o.err, syscall.EPIPE) }

// helpOnce makes a command write its help in a single write to the output, folded to the width of the terminal.
// Otherwise cobra would print a message about a failed write, in addition to that of execute.
func (a *app) helpOnce(show func(*cobra.Command, []string)) func(*cobra.Command, []string) {
	return func(command *cobra.Command, arguments []string) {
		var text bytes.Buffer
		command.SetOut(&text)
		show(command, arguments)
		help := text.String()
		if columns := columnsOf(a.stdout.w); columns > 0 {
			help = reflowHelp(help, columns)
		}
		_, _ = io.WriteString(a.stdout, help) // a.stdout keeps the error
	}
}
