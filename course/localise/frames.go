package localise

import (
	"context"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernel"
)

// Columns are the arrays of a batch of frames: numbers (F) and whole numbers (I), one for each agent of each env,
// [E*A]. Kernels of package localise know their order.
type Columns[F, I any] struct {
	S       F `column:"s,agent,length,localise" doc:"arc length of the nearest point of the line; NaN without one"`
	N       F `column:"n,agent,length,localise" doc:"offset to the right of it, level; NaN without one"`
	NUp     F `column:"n_up,agent,length,localise" doc:"offset upwards, across the line and n; NaN without one"`
	Segment I `column:"segment,agent,none,localise" doc:"segment of the nearest point; -1 without one"`
	Memory  I `column:"memory,agent,none,localise" doc:"segment where the next search begins; -1 none"`
}

// HostColumns are the arrays of a Batch.
type HostColumns = Columns[[]float32, []int32]

// DeviceColumns are the arrays of Frames.
type DeviceColumns = Columns[exec.Array[float32], exec.Array[int32]]

// Schema lists the columns of frames.
var Schema = column.NewSchema[HostColumns, DeviceColumns]()

// Frames say in device memory where the agents are: element e*A + a is agent a of env e. A Localiser fills the same
// Frames at every call; Clone makes a copy that no call overwrites.
type Frames struct {
	Envs, Agents int // E, A

	DeviceColumns

	result component.Result[HostColumns, DeviceColumns]
	packed column.Packed // zero for a clone
}

// Batch says in host memory where the agents are: element e*A + a is agent a of env e.
type Batch struct {
	Envs, Agents int // E, A

	HostColumns
}

// newFrames allocates the columns of a batch.
func newFrames(place component.Place, envs, agents int) (_ *Frames, err error) {
	f := &Frames{Envs: envs, Agents: agents}
	f.result, f.packed, err = component.NewPacked(place, Schema, &f.DeviceColumns, envs*agents, nil)
	return f, err
}

// clear gives the columns the values that they have before the first call.
func (f *Frames) clear(lc *exec.LaunchContext) {
	exec.Fill(lc, f.packed.Floats, kernel.NaN())
	exec.Fill(lc, f.packed.Integers, -1)
}

// Read waits for everything emitted so far on the stream that ctx resolves to, and copies the frames to host memory. It
// returns exec.ErrCapture inside a capture.
func (f *Frames) Read(ctx context.Context) (*Batch, error) {
	if f == nil || !f.result.Made() {
		return nil, noFrames("read")
	}
	host := &Batch{Envs: f.Envs, Agents: f.Agents}
	if err := f.result.Read(ctx, &f.DeviceColumns, &host.HostColumns); err != nil {
		return nil, err
	}
	return host, nil
}

// Clone copies the frames to new device memory, on the stream that ctx resolves to, and waits for the copy. The caller
// closes the clone. It returns exec.ErrCapture inside a capture.
func (f *Frames) Clone(ctx context.Context) (_ *Frames, err error) {
	if f == nil || !f.result.Made() {
		return nil, noFrames("clone")
	}
	clone := &Frames{Envs: f.Envs, Agents: f.Agents}
	if clone.result, err = f.result.Clone(ctx, &f.DeviceColumns, &clone.DeviceColumns); err != nil {
		return nil, err
	}
	return clone, nil
}

// Close releases the memory. Closing twice is a no-op. Closing a Localiser closes its Frames.
func (f *Frames) Close() error {
	if f == nil {
		return nil
	}
	return f.result.Close()
}

func noFrames(op string) error {
	return &backend.ArgumentError{Op: prefix + op, Argument: "receiver", Value: nil, Allowed: "the Frames of a Localiser"}
}
