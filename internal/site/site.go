// Package site finds where a resource was created, for the leak reports of the backends.
package site

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
)

const module = "github.com/trackgen-go/trackgen/"

// layers are the directories of the library. A resource that they create belongs to their caller, which the report must
// name.
var layers = []string{"backend", "column", "course", "exec", "export", "gate", "interop", "kernels", "pipeline",
	"seeds", "track"}

// Outside returns file:line of the first caller outside of the library. If there is none, it returns that of the first
// caller that is not a method of a backend.
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

// backendMethod reports whether a function is a method of a backend or of the code that the backends share.
func backendMethod(function string) bool {
	return strings.HasPrefix(function, module+"backend/") && strings.Contains(function, ".(*")
}

// library reports whether a frame belongs to the library. Its tests do not.
func library(frame runtime.Frame) bool {
	path, ok := strings.CutPrefix(frame.Function, module)
	if !ok || strings.HasSuffix(frame.File, "_test.go") {
		return false
	}
	layer := path[:strings.IndexFunc(path+".", func(r rune) bool { return r == '/' || r == '.' })]
	return slices.Contains(layers, layer)
}
