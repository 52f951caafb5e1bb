package curriculum

import (
	"context"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
)

// prefix stands once in each message of the package, in front of what a function of the package was doing.
const prefix = "curriculum: "

// Columns say what was chosen for each env, [E]: numbers (F) and whole numbers (I).
type Columns[F, I any] struct {
	Label F `column:"label,env,none,curriculum" doc:"label of the chosen track, NaN if no candidate was usable"`
	Epoch I `column:"epoch,env,none,curriculum" doc:"epoch of the chosen track, which the next regeneration makes"`
	Tries I `column:"tries,env,none,curriculum" doc:"candidates that were generated, 0 before the first choice"`
}

// HostColumns are the arrays of choices in host memory.
type HostColumns = Columns[[]float32, []int32]

// DeviceColumns are the arrays of Choices.
type DeviceColumns = Columns[exec.Array[float32], exec.Array[int32]]

// Schema lists the columns of choices.
var Schema = column.NewSchema[HostColumns, DeviceColumns]()

// Choices say in device memory what was chosen for each env. A Curriculum fills the same Choices at every choice,
// those of the envs of its mask. Clone makes a copy that no choice overwrites.
type Choices struct {
	Envs int

	DeviceColumns

	result component.Result[HostColumns, DeviceColumns]
	packed column.Packed // zero for a clone
}

// newChoices allocates the columns.
func newChoices(place component.Place, envs int) (_ *Choices, err error) {
	c := &Choices{Envs: envs}
	c.result, c.packed, err = component.NewPacked(place, Schema, &c.DeviceColumns, envs, nil)
	return c, err
}

// Read waits for everything emitted so far on the stream that ctx resolves to, and copies the choices to host memory.
// It returns exec.ErrCapture inside a capture.
func (c *Choices) Read(ctx context.Context) (*HostColumns, error) {
	host := new(HostColumns)
	if c == nil {
		return nil, component.Read(ctx, component.Place{Prefix: prefix}, Schema, new(DeviceColumns), host)
	}
	if err := c.result.Read(ctx, &c.DeviceColumns, host); err != nil {
		return nil, err
	}
	return host, nil
}

// Clone copies the choices to new device memory, on the stream that ctx resolves to, and waits for the copy. The
// caller closes the clone. It returns exec.ErrCapture inside a capture.
func (c *Choices) Clone(ctx context.Context) (_ *Choices, err error) {
	if c == nil {
		_, err := c.Read(ctx)
		return nil, err
	}
	clone := &Choices{Envs: c.Envs}
	if clone.result, err = c.result.Clone(ctx, &c.DeviceColumns, &clone.DeviceColumns); err != nil {
		return nil, err
	}
	return clone, nil
}

// Close releases the memory of a clone. The choices of a Curriculum belong to it.
func (c *Choices) Close() error {
	if c == nil {
		return nil
	}
	return c.result.Close()
}
