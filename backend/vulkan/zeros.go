//go:build cgo && (linux || darwin)

package vulkan

import (
	"sync"

	"github.com/trackgen-go/trackgen/backend/vulkan/internal/vk"
)

// zeros collects the fills that zero new memory. They are submitted before the next work of any stream, which waits for
// them. Memory is handed out only after the last work on it is known to have run, so the fills wait for nothing else.
type zeros struct {
	device *device

	mu   sync.Mutex
	open *recording
}

// maxZeros limits the number of collected fills.
const maxZeros = 256

// add zeroes an allocation.
func (z *zeros) add(a *allocation) error {
	full, err := z.record(a)
	if err != nil || !full {
		return err
	}
	_, err = z.device.queue.zero()
	return err
}

func (z *zeros) record(a *allocation) (full bool, err error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.open == nil {
		if z.open, err = z.device.newRecording(vk.CommandBufferUsageOneTimeSubmitBit); err != nil {
			return false, err
		}
	}
	a.Retain()
	z.open.references = append(z.open.references, a)
	z.device.handle.fill(z.open.commands(), a.block.buffer, a.offset, a.bytes, 0)
	z.open.operations++
	return z.open.operations >= maxZeros, nil
}

// take returns the collected fills, ready to submit, or nil if there are none.
func (z *zeros) take() (*recording, error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	r := z.open
	if r == nil {
		return nil, nil
	}
	z.open = nil
	if err := r.finish(); err != nil {
		r.destroy()
		return nil, err
	}
	return r, nil
}

// close drops the collected fills.
func (z *zeros) close() {
	if z.open != nil {
		z.open.destroy()
		z.open = nil
	}
}
