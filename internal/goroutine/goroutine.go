// Package goroutine tells goroutines apart.
package goroutine

import "runtime"

// ID returns the identity of the calling goroutine, which no other goroutine of the process has at the same time or later.
// Go shows it in stack traces only, so that asking takes microseconds: it is for locks that are rarely taken and for tests.
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
