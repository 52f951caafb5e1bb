//go:build !purego && !race

package kernel

import "golang.org/x/sys/cpu"

// HasLanes says whether this program can run kernels in machine code for eight lanes: the processor needs AVX2 and POPCNT.
func HasLanes() bool { return cpu.X86.HasAVX2 && cpu.X86.HasPOPCNT }
