package cpu

import (
	"math"
	"os"
	"runtime"
	"strings"
	"syscall"
)

func readFile(path string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(content)
}

// readSystemMemory returns the memory of the machine, limited by the control group and the address space.
func readSystemMemory() (systemMemory, bool) {
	memory, known := linuxMemory(readFile)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil || !known || limit.Cur > math.MaxInt64 {
		return memory, known
	}
	memory.Total = min(memory.Total, int64(limit.Cur))
	if pages, ok := number(strings.SplitN(readFile("/proc/self/statm"), " ", 2)[0]); ok {
		memory.Available = min(memory.Available, max(int64(limit.Cur)-pages*int64(os.Getpagesize()), 0))
	}
	return memory, known
}

// processorName returns the vendor's name of the processor.
func processorName() string {
	if model := modelName(readFile("/proc/cpuinfo")); model != "" {
		return model
	}
	return runtime.GOARCH
}
