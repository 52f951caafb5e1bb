//go:build cgo && linux

package cuda

import (
	"fmt"
	"runtime"
	"strings"
)

// ownMethods is how the methods that make resources begin.
const ownMethods = "github.com/trackgen-go/trackgen/backend/cuda.(*"

// site returns file:line of the first caller outside this package, for the leak report; empty unless in debug mode.
func (d *device) site() string {
	if !d.debug {
		return ""
	}
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		frame, more := frames.Next()
		if !strings.HasPrefix(frame.Function, ownMethods) {
			return fmt.Sprintf("%s:%d", frame.File, frame.Line)
		}
		if !more {
			return ""
		}
	}
}
