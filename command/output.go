package command

import (
	"errors"
	"io"
	"syscall"
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
