package main

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress is a progress bar. The zero value shows nothing.
type progress struct{ bar *progressbar.ProgressBar }

// newProgress starts a bar that counts things, such as tracks, up to total. It shows nothing if w is not a terminal.
// Until Done, the caller must not write anything else to the terminal.
func newProgress(w io.Writer, doing, things string, total int) progress {
	if !isTerminal(w) {
		return progress{}
	}
	return progress{progressbar.NewOptions(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(doing),
		progressbar.OptionSetItsString(things),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetWidth(30),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)}
}

// Add increases the number of completed things.
func (p progress) Add(things int) {
	if p.bar != nil {
		_ = p.bar.Add(things) // the run continues if the bar cannot be drawn
	}
}

// Set sets the number of completed things and the description of the current work.
func (p progress) Set(things int, doing string) {
	if p.bar != nil {
		p.bar.Describe(doing)
		_ = p.bar.Set(things)
	}
}

// Done removes the bar.
func (p progress) Done() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
