package track

import (
	"errors"
	"io"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// memory collects the arrays of a Track, so that they can be released together. It keeps the first error and allocates nothing
// after it.
type memory struct {
	device backend.Device
	owned  []io.Closer
	bytes  int64 // of all arrays
	err    error
}

// allocate returns an array of n zero elements that m owns, or the zero array after an error.
func allocate[T kernel.Element](m *memory, n int) exec.Array[T] {
	if m.err != nil {
		return exec.Array[T]{}
	}
	array, err := exec.NewArray[T](m.device, n)
	if err != nil {
		m.err = err
		return exec.Array[T]{}
	}
	m.owned = append(m.owned, array)
	m.bytes += int64(n) * kernel.TypeOf[T]().Size()
	return array
}

// close releases everything, the newest first.
func (m *memory) close() error {
	var failed []error
	for i := len(m.owned) - 1; i >= 0; i-- {
		failed = append(failed, m.owned[i].Close())
	}
	m.owned = nil
	return errors.Join(failed...)
}
