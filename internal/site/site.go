// Package site finds where a resource was made, for the leak reports of the backends.
package site

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
)

const module = "github.com/trackgen-go/trackgen/"

// layers are the directories of the library: what they make they make for somebody, who is to be named.
var layers = []string{"backend", "column", "course", "exec", "export", "gate", "interop", "kernels", "pipeline", "seeds", "track"}

// Outside returns file:line of the first caller outside the library. A caller inside of it, but for the methods of the
// backends, is returned only if there is no other.
func Outside() string {
	inside := ""
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		frame, more := frames.Next()
		switch at := fmt.Sprintf("%s:%d", frame.File, frame.Line); {
		case strings.HasPrefix(frame.Function, "runtime."):
		case !library(frame):
			return at
		case inside == "" && !backendMethod(frame.Function):
			inside = at
		}
		if !more {
			return inside
		}
	}
}

// backendMethod tells whether a function is a method of a backend, or of what the backends share.
func backendMethod(function string) bool {
	return strings.HasPrefix(function, module+"backend/") && strings.Contains(function, ".(*")
}

// library tells whether a frame is of the library. Its tests are not.
func library(frame runtime.Frame) bool {
	path, ok := strings.CutPrefix(frame.Function, module)
	if !ok || strings.HasSuffix(frame.File, "_test.go") {
		return false
	}
	layer := path[:strings.IndexFunc(path+".", func(r rune) bool { return r == '/' || r == '.' })]
	return slices.Contains(layers, layer)
}
