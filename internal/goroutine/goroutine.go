// Package goroutine identifies goroutines.
package goroutine

import "runtime"

// ID returns the ID of the calling goroutine. No other goroutine of the process ever has the same ID. Go shows it only
// in stack traces, so that the call takes microseconds: it is for locks that are rarely taken and for tests.
func ID() uint64 {
	var text [64]byte
	n := runtime.Stack(text[:], false)
	var id uint64
	for _, c := range text[len("goroutine "):n] {
		if c < '0' || c > '9' {
			break
		}
		id = id*10 + uint64(c-'0')
	}
	return id
}
