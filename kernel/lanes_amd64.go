//go:build !purego && !race && !openbsd

package kernel

// hasLanes is what the processor says once, when the program starts.
var hasLanes = detectLanes()

// HasLanes says whether this program can run kernels in machine code for eight lanes: the processor needs AVX2 and
// POPCNT, and the operating system keeps the registers of AVX.
func HasLanes() bool { return hasLanes }

// Bits of the answers of CPUID and XGETBV (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2).
const (
	hasPOPCNT  = 1 << 23 // leaf 1, ecx
	hasOSXSAVE = 1 << 27 // leaf 1, ecx: XGETBV may be used
	hasAVX     = 1 << 28 // leaf 1, ecx
	hasAVX2    = 1 << 5  // leaf 7, ebx
	keepsXMM   = 1 << 1  // register XCR0
	keepsYMM   = 1 << 2  // register XCR0
)

func detectLanes() bool {
	const first = hasPOPCNT | hasOSXSAVE | hasAVX
	if leaves, _, _, _ := cpuid(0, 0); leaves < 7 {
		return false
	}
	if _, _, features, _ := cpuid(1, 0); features&first != first {
		return false
	}
	if kept := xgetbv(); kept&(keepsXMM|keepsYMM) != keepsXMM|keepsYMM {
		return false
	}
	_, features, _, _ := cpuid(7, 0)
	return features&hasAVX2 != 0
}

// cpuid asks the processor for one leaf of what it says of itself.
func cpuid(leaf, part uint32) (eax, ebx, ecx, edx uint32)

// xgetbv returns the low half of register XCR0: which registers the operating system keeps.
func xgetbv() uint32
