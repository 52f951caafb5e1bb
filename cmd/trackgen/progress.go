package main

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows how many tracks are done. The zero value shows nothing.
type progress struct{ bar *progressbar.ProgressBar }

// newProgress starts a bar on a terminal, where one is wanted. Nothing else writes to the terminal until Done.
func newProgress(w io.Writer, envs, chunk int, quiet bool) progress {
	if quiet || chunk >= envs || !isTerminal(w) {
		return progress{}
	}
	return progress{progressbar.NewOptions(envs,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription("generating"),
		progressbar.OptionSetItsString("tracks"),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetWidth(30),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)}
}

// Add counts tracks that are done.
func (p progress) Add(tracks int) {
	if p.bar != nil {
		_ = p.bar.Add(tracks) // a bar that cannot be drawn must not end the run
	}
}

// Done removes the bar.
func (p progress) Done() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
