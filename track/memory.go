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

// Bytes of one element in device memory.
const (
	sizeNumber = 4 // float32, int32
	sizeVec2   = 8
	sizeVec3   = 12
)

// BytesPerEnv returns the device memory that a generator of this configuration takes for each env, its Track included, and
// what a generator of Register says of itself.
func (c Config) BytesPerEnv() int64 {
	c = c.Resolved()
	perPoint := 5*sizeVec3 + sizeNumber // Track
	perPoint += sizeVec2                // space
	perPoint += 5*sizeNumber + sizeVec2 // road
	perEnv := 9 * sizeNumber            // Track
	perEnv += 3 * sizeNumber            // Generator
	perEnv += sizeNumber                // space
	if c.Relax.Enabled {
		perPoint += sizeVec2
		if c.relaxesLarge() {
			perPoint += 3*sizeVec2 + 2*sizeNumber + c.Relax.SeparationCacheSlots*sizeNumber
			perEnv += relaxBoxes(c) * 2 * sizeVec2
		}
	}
	perEnv += 2 * sizeNumber // seeds.State
	perEnv += c.bytesOfCandidates()
	return int64(c.Output.MaxPoints*perPoint + c.Output.LoopPoints*sizeNumber + perEnv + c.spec().BytesPerEnv(c))
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
