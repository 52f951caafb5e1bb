package column

import (
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// Packed is the memory of the columns of a result, one array for each type of element. Columns of one type follow each
// other in the order of the schema and have the same length, so that column j begins at element j*n. A kernel that
// writes many columns thus takes few buffers, of which devices allow 16. Arrays of types that no column has are zero.
type Packed struct {
	Vec2 exec.Array[kernel.Vec2]
	Vec3 exec.Array[kernel.Vec3]
	Quat exec.Array[kernel.Quat]

	Floats   exec.Array[float32]
	Integers exec.Array[int32]
}

// Pack gives each column n elements, initially zero, of memory that all columns of its type share. The caller closes
// the Packed.
func Pack(device backend.Device, columns []Device, n int) (p Packed, err error) {
	number := map[kernel.Type]int{}
	for _, c := range columns {
		number[c.Type]++
	}
	var failed [5]error
	p.Vec2, failed[0] = packed[kernel.Vec2](device, number[kernel.TypeVec2]*n)
	p.Vec3, failed[1] = packed[kernel.Vec3](device, number[kernel.TypeVec3]*n)
	p.Quat, failed[2] = packed[kernel.Quat](device, number[kernel.TypeQuat]*n)
	p.Floats, failed[3] = packed[float32](device, number[kernel.Float32]*n)
	p.Integers, failed[4] = packed[int32](device, number[kernel.Int32]*n)
	if err := errors.Join(failed[:]...); err != nil {
		return Packed{}, errors.Join(err, p.Close())
	}
	used := map[kernel.Type]int{}
	for _, c := range columns {
		low := used[c.Type]
		used[c.Type] += n
		if err := c.array.take(p, low, low+n); err != nil {
			return Packed{}, errors.Join(err, p.Close())
		}
	}
	return p, nil
}

// packed allocates n elements, or nothing if n is 0.
func packed[T kernel.Element](device backend.Device, n int) (exec.Array[T], error) {
	if n == 0 {
		return exec.Array[T]{}, nil
	}
	return exec.NewArray[T](device, n)
}

// take sets the field to a part of the memory.
func (a array[T]) take(p Packed, low, high int) error {
	for _, memory := range []any{p.Vec2, p.Vec3, p.Quat, p.Floats, p.Integers} {
		if whole, ok := memory.(exec.Array[T]); ok {
			part, err := whole.Slice(low, high)
			*a.field = part
			return err
		}
	}
	return errors.New("column: no memory of this type")
}

// Close releases the memory. Closing twice is a no-op.
func (p Packed) Close() error {
	return errors.Join(p.Vec2.Close(), p.Vec3.Close(), p.Quat.Close(), p.Floats.Close(), p.Integers.Close())
}
