package backendtest

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/wording"
)

// check is the environment of a case: the device, helpers that fail the case, and the resources to close after it.
type check struct {
	device backend.Device
	open   func(options ...backend.Option) backend.Device // opens another device of the same backend

	mu       sync.Mutex
	messages []string
	err      error
	cleanups []func() error
}

// errorf reports a failure; the case continues.
func (c *check) errorf(format string, arguments ...any) {
	message := fmt.Sprintf(format, arguments...)
	for skip := 1; ; skip++ {
		_, file, line, ok := runtime.Caller(skip)
		if !ok {
			break
		}
		if base := filepath.Base(file); base != "check.go" && base != "array.go" {
			message = fmt.Sprintf("%s:%d: %s", base, line, message)
			break
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.messages = append(c.messages, message)
}

// fatalf reports a failure and ends the case.
func (c *check) fatalf(format string, arguments ...any) {
	c.errorf(format, arguments...)
	runtime.Goexit()
}

// ok ends the case if err is not nil.
func (c *check) ok(err error, doing string) {
	if err == nil {
		return
	}
	c.mu.Lock()
	if c.err == nil {
		c.err = err
	}
	c.mu.Unlock()
	c.fatalf("%s: %v", doing, err)
}

// refused reports a failure unless err matches one of the targets.
func (c *check) refused(err error, doing string, targets ...error) {
	for _, target := range targets {
		if errors.Is(err, target) {
			if fault := wording.Fault(err.Error()); fault != "" {
				c.errorf("%s: the error is %q, which has %s", doing, err, fault)
			}
			return
		}
	}
	c.errorf("%s: the error is %v, want one of %v", doing, err, targets)
}

// that reports a failure unless the condition holds.
func (c *check) that(condition bool, format string, arguments ...any) {
	if !condition {
		c.errorf(format, arguments...)
	}
}

// later registers a function to run after the case; the last one runs first.
func (c *check) later(cleanup func() error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cleanups = append(c.cleanups, cleanup)
}

// cleanUp closes what the case created. Its errors count only if nothing failed before.
func (c *check) cleanUp() {
	failed := len(c.messages) > 0
	for i := len(c.cleanups) - 1; i >= 0; i-- {
		if err := c.cleanups[i](); err != nil && !failed {
			c.errorf("cleaning up: %v", err)
		}
	}
}

// stream creates a stream and closes it after the case.
func (c *check) stream() backend.Stream {
	s, err := c.device.NewStream()
	c.ok(err, "new stream")
	c.later(s.Close)
	return s
}

// event creates an event and closes it after the case.
func (c *check) event() backend.Event {
	e, err := c.device.NewEvent()
	c.ok(err, "new event")
	c.later(e.Close)
	return e
}

// capture records the work of emit and returns the graph, which it closes after the case.
func (c *check) capture(s backend.Stream, emit func()) backend.Graph {
	c.ok(s.BeginCapture(), "begin capture")
	emit()
	g, err := s.EndCapture()
	c.ok(err, "end capture")
	c.later(g.Close)
	return g
}

// replay replays a graph and waits for it.
func (c *check) replay(s backend.Stream, g backend.Graph) {
	c.ok(s.Replay(g), "replay")
	c.ok(s.Sync(), "sync")
}
