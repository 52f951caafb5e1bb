package column

import (
	"errors"
	"io"

	"github.com/trackgen-go/trackgen/backend"
)

// Memory owns the arrays of a result and releases them together. It keeps the first error and allocates nothing after
// it.
type Memory struct {
	Device backend.Device
	Err    error // the first error

	owned []io.Closer
}

// Allocate gives a column an array of n zero elements, which m owns. After an error it does nothing.
func (m *Memory) Allocate(c Device, n int) {
	if m.Err != nil {
		return
	}
	array, err := c.Allocate(m.Device, n)
	if err != nil {
		m.Err = err
		return
	}
	m.owned = append(m.owned, array)
}

// Close releases all arrays, the newest first.
func (m *Memory) Close() error {
	var failed []error
	for i := len(m.owned) - 1; i >= 0; i-- {
		failed = append(failed, m.owned[i].Close())
	}
	m.owned = nil
	return errors.Join(failed...)
}
