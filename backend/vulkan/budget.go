//go:build cgo && linux

package vulkan

import (
	"sync"

	"github.com/trackgen-go/trackgen/backend"
)

// budget bounds the bytes of buffers, from Alloc until nothing uses their memory any more, as the option MemoryLimit
// says.
type budget struct {
	mu    sync.Mutex
	limit int64 // 0 if none
	used  int64
}

// take reserves bytes, or says how many could be had.
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
