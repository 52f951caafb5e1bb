// Package site finds where a resource was made, for the leak reports of the backends.
package site

import (
	"fmt"
	"runtime"
	"strings"
)

// Outside returns file:line of the first caller that is no method of the package with the given import path.
func Outside(importPath string) string {
	methods := importPath + ".(*"
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		frame, more := frames.Next()
		if !strings.HasPrefix(frame.Function, methods) {
			return fmt.Sprintf("%s:%d", frame.File, frame.Line)
		}
		if !more {
			return ""
		}
	}
}
