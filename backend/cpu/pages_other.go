//go:build !linux

package cpu

// askForLargePages does nothing: only Linux takes this advice.
func askForLargePages([]byte) {}
