package cpu

import (
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"unsafe"

	"github.com/trackgen-go/trackgen/backend"
)

const (
	// alignment of buffers, in bytes: a cache line.
	alignment = 64
	// unknownTotal is the assumed memory if the system does not report it.
	unknownTotal = 16 << 30
	// reserve is left for the rest of the system, in bytes.
	reserve = 64 << 20
	// checkEvery is the number of allocated bytes between two checks of the system's memory.
	checkEvery = 16 << 20
)

// systemMemory is the memory of the machine or of this process's control group, in bytes.
type systemMemory struct {
	Total     int64
	Available int64
}

// budget decides whether an allocation fits, so that a hostile size returns an error and does not end the process: Go
// cannot survive a failed allocation.
type budget struct {
	mu        sync.Mutex
	limit     int64 // option MemoryLimit, 0 if none
	read      func() (systemMemory, bool)
	total     int64 // of the system
	used      int64 // by open buffers
	unchecked int64 // allocated since the last check of the system's memory
	released  int64 // of buffers closed since the last garbage collection
}

func newBudget(limit int64, read func() (systemMemory, bool)) *budget {
	total := int64(unknownTotal)
	if memory, known := read(); known {
		total = memory.Total
	}
	return &budget{limit: limit, read: read, total: min(total, math.MaxInt-alignment)}
}

// max returns the limit of the bytes in use.
func (b *budget) max() int64 {
	if b.limit > 0 {
		return min(b.limit, b.total)
	}
	return b.total
}

// take reserves bytes, or returns an error that says how many are available.
func (b *budget) take(bytes int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if room := b.max() - b.used; bytes > room {
		return &backend.OutOfMemoryError{Device: name, Bytes: bytes, Limit: max(room, 0)}
	}
	if b.unchecked+bytes >= checkEvery {
		room, known := b.room()
		if known && bytes > room && b.released > 0 {
			debug.FreeOSMemory() // closed buffers wait for the garbage collector
			b.released = 0
			room, known = b.room()
		}
		if known && bytes > room {
			return &backend.OutOfMemoryError{Device: name, Bytes: bytes, Limit: max(room, 0)}
		}
		b.unchecked = 0
	}
	b.unchecked += bytes
	b.used += bytes
	return nil
}

// room returns the bytes that the system can still provide.
func (b *budget) room() (int64, bool) {
	memory, known := b.read()
	return memory.Available - reserve, known
}

// give returns bytes to the budget.
func (b *budget) give(bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= bytes
	b.released += bytes
}

// allocate returns zeroed memory that begins at a multiple of alignment. Go aligns to 8 bytes, so that a pointer to the
// memory's end still points into the same allocation.
func allocate(bytes int64) []byte {
	raw := make([]byte, bytes+alignment-1)
	askForLargePages(raw)
	offset := -uintptr(unsafe.Pointer(unsafe.SliceData(raw))) & (alignment - 1)
	data := raw[offset:][:bytes:bytes]
	runtime.KeepAlive(raw)
	return data
}
