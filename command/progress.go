package command

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

const (
	// Columns of the bar between its edges: an eighth of the terminal within these limits.
	narrowestBar, widestBar = 5, 30
	// Columns of a terminal that does not report its width.
	usualColumns = 80
	// A bar is drawn this often, also while nothing is completed, so that its time advances.
	drawInterval = 200 * time.Millisecond
)

// progress is a progress bar. A nil *progress shows nothing.
type progress struct {
	screen io.Writer
	width  int // of the bar between its edges
	done   sync.Once
	stop   chan struct{} // closed by Done
	idle   chan struct{} // closed when nothing draws the bar any more

	mutex            sync.Mutex // guards what follows
	bar              *progressbar.ProgressBar
	start            time.Time
	doing            string // what is being done
	things           string // what is counted, such as tracks; empty if their rate means nothing
	completed, total int
}

// newProgress draws a bar that counts things up to total. If things is empty, it shows no rate. It returns nil if w is
// not a terminal. Until Done, the caller must not write anything else to the terminal.
func newProgress(w io.Writer, doing, things string, total int) *progress {
	if !isTerminal(w) {
		return nil
	}
	return startProgress(w, doing, things, total)
}

// startProgress draws a bar on any w.
func startProgress(w io.Writer, doing, things string, total int) *progress {
	p := &progress{screen: w, stop: make(chan struct{}), idle: make(chan struct{})}
	p.width = min(max(p.columns()/8, narrowestBar), widestBar)
	p.begin(doing, things, total)
	go p.drawOften()
	return p
}

// begin draws an empty bar. The caller holds the mutex, or nobody else has p.
func (p *progress) begin(doing, things string, total int) {
	p.start, p.doing, p.things, p.completed, p.total = time.Now(), doing, things, 0, max(total, 1)
	p.bar = progressbar.NewOptions(p.total,
		progressbar.OptionSetWriter(p.screen),
		progressbar.OptionSetDescription(p.text(0)),
		progressbar.OptionShowDescriptionAtLineEnd(),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(false), // its prediction jumps with the size of chunks
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionSetWidth(p.width),
		progressbar.OptionUseANSICodes(runtime.GOOS != "windows" && os.Getenv("TERM") != "dumb"),
		progressbar.OptionSetRenderBlankState(true),
	)
}

// drawOften draws the bar at intervals until Done.
func (p *progress) drawOften() {
	defer close(p.idle)
	ticker := time.NewTicker(drawInterval)
	defer ticker.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-ticker.C:
			p.mutex.Lock()
			p.draw()
			p.mutex.Unlock()
		}
	}
}

// draw draws the bar. The caller holds the mutex. The run continues if the bar cannot be drawn.
func (p *progress) draw() {
	p.bar.Describe(p.text(time.Since(p.start)))
	_ = p.bar.Set(p.completed)
}

// Add increases the number of completed things. A complete bar is drawn at once.
func (p *progress) Add(things int) {
	if p == nil {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.completed = min(p.completed+things, p.total); p.completed == p.total {
		p.draw()
	}
}

// Do sets what is being done now. Work after the last thing has a bar of its own, which counts the work as one thing:
// the library does not draw a complete bar again, so its time would stand still.
func (p *progress) Do(doing string) {
	if p == nil {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.completed == p.total {
		_ = p.bar.Clear()
		p.begin(doing, "", 1)
	}
	p.doing = doing
}

// columns returns the width of the terminal, which may change.
func (p *progress) columns() int {
	if columns := columnsOf(p.screen); columns > 0 {
		return columns
	}
	return usualColumns
}

// text returns the text behind the bar, after the given time.
func (p *progress) text(elapsed time.Duration) string {
	const percentAndEdges, blanks = len(" 100%") + len("||"), 5
	count := fmt.Sprintf("(%d/%d) [%v]", p.completed, p.total, elapsed.Truncate(time.Second))
	room := p.columns() - percentAndEdges - p.width - blanks - len(count)
	return progressText(p.doing, p.things, p.completed, p.total, elapsed, room)
}

// progressText returns the text behind a bar: what is being done, how many things are completed in a second, and the
// time that the others take at this rate. If the text is wider than room, it omits the first part, then the last.
func progressText(doing, things string, done, total int, elapsed time.Duration, room int) string {
	variants := [][]string{{doing}}
	if things != "" && done > 0 && elapsed > 0 {
		perSecond := float64(done) / elapsed.Seconds()
		rate := rateText(perSecond, things)
		variants = [][]string{{doing, rate}, {rate}}
		if done < total {
			left := leftText(float64(total-done) / perSecond)
			variants = [][]string{{doing, rate, left}, {rate, left}, {rate}}
		}
	}
	for _, parts := range variants {
		if text := strings.Join(parts, ", "); textWidth(text) <= room {
			return text
		}
	}
	return shorten(strings.Join(variants[len(variants)-1], ", "), room)
}

// leftText returns a remaining time, in seconds up to ten minutes and in minutes beyond.
func leftText(seconds float64) string {
	const longest = 1000 * time.Hour
	left := longest
	if seconds < longest.Seconds() {
		left = time.Duration(seconds * float64(time.Second)).Round(time.Second)
	}
	if left < 10*time.Minute {
		return left.String() + " left"
	}
	return strings.TrimSuffix(left.Round(time.Minute).String(), "0s") + " left"
}

// rateText returns a rate with about three digits, per minute if it is below one per second.
func rateText(perSecond float64, things string) string {
	switch {
	case perSecond >= 99.5:
		return fmt.Sprintf("%.0f %s/s", perSecond, things)
	case perSecond >= 1:
		return fmt.Sprintf("%.3g %s/s", perSecond, things)
	default:
		return fmt.Sprintf("%.3g %s/min", 60*perSecond, things)
	}
}

// shorten cuts a text to a width. A text that was cut ends in an ellipsis.
func shorten(text string, room int) string {
	if textWidth(text) <= room {
		return text
	}
	if room < 2 {
		return ""
	}
	return foldLine(text, room-1, 0, true)[0] + "…"
}

// Finish completes the bar, and removes it.
func (p *progress) Finish() {
	if p != nil {
		p.Add(p.total)
		p.Done()
	}
}

// Done removes the bar as it is. It may be called several times.
func (p *progress) Done() {
	if p == nil {
		return
	}
	p.done.Do(func() {
		close(p.stop)
		<-p.idle
		_ = p.bar.Clear()
	})
}
