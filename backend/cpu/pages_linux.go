package cpu

import (
	"syscall"
	"unsafe"
)

// largePage is the size of a large page of most processors, in bytes.
const largePage = 2 << 20

// askForLargePages asks the system to back the whole large pages of a range of memory by such. Launches read a few
// numbers of each env from arrays that are far larger than what small pages in the processor's buffer of translations
// cover. Where the system has no large pages, nothing changes.
func askForLargePages(memory []byte) {
	if whole := wholeLargePages(memory); len(whole) > 0 {
		_ = syscall.Madvise(whole, syscall.MADV_HUGEPAGE) // only advice
	}
}

// wholeLargePages returns the part of a range of memory that consists of whole large pages.
func wholeLargePages(memory []byte) []byte {
	before := int(-uintptr(unsafe.Pointer(unsafe.SliceData(memory))) & (largePage - 1))
	if before >= len(memory) {
		return nil
	}
	return memory[before:][:(len(memory)-before)&^(largePage-1)]
}
