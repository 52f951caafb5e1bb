//go:build cgo && (linux || darwin)

package vulkan

import (
	"sync"

	"github.com/trackgen-go/trackgen/backend"
)

// budget enforces the option MemoryLimit. The memory of a buffer counts from Alloc until nothing uses it any more.
type budget struct {
	mu    sync.Mutex
	limit int64 // in bytes, 0 if there is none
	used  int64
}

// take reserves bytes, or returns an error that says how many are available.
func (b *budget) take(device string, bytes int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.limit > 0 && bytes > b.limit-b.used {
		return &backend.OutOfMemoryError{Device: device, Bytes: bytes, Limit: max(b.limit-b.used, 0)}
	}
	b.used += bytes
	return nil
}

// give returns bytes to the budget.
func (b *budget) give(bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= bytes
}
