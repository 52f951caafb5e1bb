package main

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows how much of something is done. The zero value shows nothing.
type progress struct{ bar *progressbar.ProgressBar }

// newProgress starts a bar of so many things, such as tracks, on a terminal. Nothing else writes to the terminal until
// Done.
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

// Add counts things that are done.
func (p progress) Add(things int) {
	if p.bar != nil {
		_ = p.bar.Add(things) // a bar that cannot be drawn must not end the run
	}
}

// Set says how many things are done, and what is done next.
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
