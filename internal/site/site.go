// Package site finds where a resource was created, for the leak reports of the backends.
package site

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// module is the path of the library: of its front door, and before a slash of every other package.
const module = "github.com/trackgen-go/trackgen"

// programs are the directories of the module whose packages use the library as anyone's program does. A resource that
// any other package creates belongs to its caller, which the report must name.
var programs = []string{"bench", "cmd", "examples"}

// between are the packages whose functions the library calls with functions of its own.
var between = []string{"runtime.", "reflect.", "sync.", "slices.", "iter."}

// Outside returns file:line of the first caller outside of the library. If there is none, it returns that of the first
// caller that is not a method of a backend.
func Outside() string {
	inside := ""
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		frame, more := frames.Next()
		switch at := fmt.Sprintf("%s:%d", frame.File, frame.Line); {
		case slices.ContainsFunc(between, func(p string) bool { return strings.HasPrefix(frame.Function, p) }):
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
	return strings.HasPrefix(function, module+"/backend/") && strings.Contains(function, ".(*")
}

// library reports whether a frame belongs to the library. Its tests do not.
func library(frame runtime.Frame) bool {
	path, ok := strings.CutPrefix(frame.Function, module)
	switch {
	case !ok || strings.HasSuffix(frame.File, "_test.go"):
		return false
	case strings.HasPrefix(path, "."):
		return true // the front door
	case !strings.HasPrefix(path, "/"):
		return false // another module, whose path goes on
	}
	layer, _, _ := strings.Cut(path[1:], "/")
	layer, _, _ = strings.Cut(layer, ".")
	return !slices.Contains(programs, layer)
}
