//go:build !amd64 || purego || race || openbsd

package kernel

// HasLanes says whether this program can run kernels in machine code for eight lanes. There is none for this build.
func HasLanes() bool { return false }
