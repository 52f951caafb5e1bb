package track

import (
	"errors"
	"io"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
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
	perPoint += 7*sizeNumber + sizeVec2 // road: widths and height, and what its tests keep
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

// allocate gives a column an array of n zero elements that m owns, unless an earlier one failed.
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
	m.bytes += int64(n) * c.Type.Size()
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
