package track

import (
	"errors"
	"io"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
)

// memory owns the arrays of a Track and releases them together. It keeps the first error and allocates nothing after
// it.
type memory struct {
	device backend.Device
	owned  []io.Closer
	err    error
}

// allocate gives a column an array of n zero elements, which m owns. After an error it does nothing.
func (m *memory) allocate(c column.Device, n int) {
	if m.err != nil {
		return
	}
	array, err := c.Allocate(m.device, n)
	if err != nil {
		m.err = err
		return
	}
	m.owned = append(m.owned, array)
}

// close releases all arrays, the newest first.
func (m *memory) close() error {
	var failed []error
	for i := len(m.owned) - 1; i >= 0; i-- {
		failed = append(failed, m.owned[i].Close())
	}
	m.owned = nil
	return errors.Join(failed...)
}
