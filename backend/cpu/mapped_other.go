//go:build !linux

package cpu

// mapped returns true: only Linux is asked whether memory is mapped.
func mapped(_, _ uintptr) bool { return true }
