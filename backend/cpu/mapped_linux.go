package cpu

import (
	"os"
	"syscall"
)

// mapped returns whether a range of addresses, which does not wrap around, is mapped in this process. msync with
// MS_ASYNC writes nothing and fails with ENOMEM for a range that is not.
func mapped(address, bytes uintptr) bool {
	const asynchronous = 1 // MS_ASYNC
	first := address &^ uintptr(os.Getpagesize()-1)
	_, _, code := syscall.Syscall(syscall.SYS_MSYNC, first, address-first+bytes, asynchronous)
	return code != syscall.ENOMEM // any other failure says nothing about the range
}
