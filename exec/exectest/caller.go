package exectest

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

const (
	execPath    = "github.com/trackgen-go/trackgen/exec"
	backendPath = "github.com/trackgen-go/trackgen/backend"
	ownPath     = execPath + "/exectest"
)

// frame is one function on the call stack.
type frame struct {
	module   string // import path of its package
	function string // without the package, e.g. "(*T).Method"
	file     string
	line     int
}

func (f frame) String() string {
	return fmt.Sprintf("%s:%d (%s.%s)", filepath.Base(f.file), f.line, f.module, f.function)
}

// inside reports whether the frame belongs to this package or to a backend.
func (f frame) inside() bool {
	return f.module == ownPath || f.module == backendPath || strings.HasPrefix(f.module, backendPath+"/")
}

// runtime reports whether the frame belongs to the run-time packages between a producer and the device: package exec,
// the backends and generated launchers.
func (f frame) runtime() bool {
	return f.inside() || f.module == execPath || strings.HasPrefix(f.module, execPath+"/internal/") ||
		strings.HasPrefix(filepath.Base(f.file), "kernel_generated")
}

// path describes the call stack of a call.
type path struct {
	direct frame   // innermost frame outside of this package and the backends (C17)
	site   frame   // innermost frame outside of the run-time packages (C18)
	exec   []frame // frames of package exec between the two
}

// legacySites are the functions of package exec that read the current stream for legacy producers (D15).
var legacySites = []string{"LegacyProducer.run", "(*GraphRunner).currentStream", "(*GraphRunner).needsSerial",
	"(*GraphRunner).CheckRecord"}

// servesLegacy reports whether package exec itself makes the call on behalf of a legacy producer.
func (p path) servesLegacy() bool {
	return p.direct.module == execPath && slices.Contains(legacySites, p.direct.function)
}

// callers returns the path of the call that the device receives.
func callers() path {
	var counters [64]uintptr
	frames := runtime.CallersFrames(counters[:runtime.Callers(2, counters[:])])
	var p path
	found := false
	for {
		f, more := frames.Next()
		if f.Function != "" && !strings.HasPrefix(f.Function, "runtime.") {
			at := frameOf(f)
			if !found && !at.inside() {
				p.direct, found = at, true
			}
			if at.module == execPath {
				p.exec = append(p.exec, at)
			}
			if !at.runtime() {
				p.site = at
				return p
			}
		}
		if !more {
			return p
		}
	}
}

// frameOf splits the name of a function at the first dot after the last slash, where the package ends. It drops type
// arguments, which may contain slashes and dots.
func frameOf(f runtime.Frame) frame {
	name := f.Function
	if i := strings.Index(name, "["); i >= 0 {
		if j := strings.LastIndex(name, "]"); j > i {
			name = name[:i] + name[j+1:]
		}
	}
	slash := strings.LastIndex(name, "/") + 1
	dot := strings.Index(name[slash:], ".")
	if dot < 0 {
		return frame{module: name, file: f.File, line: f.Line}
	}
	// The runtime writes a dot in the last element of an import path as %2e.
	module := strings.ReplaceAll(name[:slash+dot], "%2e", ".")
	return frame{module: module, function: name[slash+dot+1:], file: f.File, line: f.Line}
}

// covers reports whether prefix covers the package: p covers p and everything below it (R125).
func covers(prefix, module string) bool {
	return module == prefix || strings.HasPrefix(module, strings.TrimSuffix(prefix, "/")+"/")
}
