package checkpoints

import (
	"context"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernel"
)

// prefix stands once in each message of the package, in front of what a function of the package was doing.
const prefix = "checkpoints: "

// Columns are the arrays of a batch of checkpoints: vectors (V), numbers (F) and whole numbers (I). An array has one
// element for each env, [E], or for each checkpoint of each env, [E*C_max]. Beyond Count the elements are NaN.
//
// Checkpoint k has an opening between Left and Right, in the plane through their middle whose normal is Forward. In the
// plane, the opening reaches as far as UpHalf above and below the line from Left to Right.
type Columns[V, F, I any] struct {
	Position V `column:"position,checkpoint,length,checkpoints" doc:"middle of the checkpoint, on the centreline"`
	Left     V `column:"left,checkpoint,length,checkpoints" doc:"end of the opening, of a track on the inner border"`
	Right    V `column:"right,checkpoint,length,checkpoints" doc:"end of the opening, of a track on the outer border"`
	Forward  V `column:"forward,checkpoint,none,checkpoints" doc:"unit normal of the plane, in the direction of travel"`
	UpHalf   F `column:"up_half,checkpoint,length,checkpoints" doc:"half the height of the opening, 1e30 without a limit"`
	Count    I `column:"count,env,none,checkpoints" doc:"real checkpoints; those after them are padding"`
}

// HostColumns are the arrays of a HostSet.
type HostColumns = Columns[[]kernel.Vec3, []float32, []int32]

// DeviceColumns are the arrays of a Set.
type DeviceColumns = Columns[exec.Array[kernel.Vec3], exec.Array[float32], exec.Array[int32]]

// Schema lists the columns of checkpoints.
var Schema = column.NewSchema[HostColumns, DeviceColumns]()

// HostSet is a batch of checkpoints in host memory.
type HostSet struct {
	Envs, MaxCheckpoints int // E, C_max

	HostColumns
}

// Set is a batch of checkpoints in device memory. A program may fill the fields with arrays of its own; methods need
// no others.
type Set struct {
	Envs, MaxCheckpoints int // E, C_max

	DeviceColumns

	memory column.Memory  // of a clone
	stream backend.Stream // for calls that name no stream; nil is the device's current stream
}

// FromGates returns the gates of a batch of courses as checkpoints. It shares the arrays of the courses, so it follows
// them without a refresh: Left and Right are the posts, Forward is the normal of the gate, and UpHalf is half the width
// of its opening (C-55). A nil sequence has no arrays.
func FromGates(s *gate.Sequence) *Set {
	if s == nil {
		return &Set{}
	}
	return &Set{Envs: s.Envs, MaxCheckpoints: s.MaxGates, DeviceColumns: DeviceColumns{
		Position: s.Position, Left: s.Left, Right: s.Right, Forward: s.Forward, UpHalf: s.HalfSize, Count: s.Count,
	}}
}

// Check returns a *backend.ArgumentError, or exec.ErrDeviceMismatch, unless every array is on the device and has the
// length that Envs and MaxCheckpoints say. op is what the caller is doing (C-63).
func (s *Set) Check(op string, device backend.Device) error {
	if s == nil || s.Envs < 1 || s.MaxCheckpoints < 1 {
		return &backend.ArgumentError{Op: op, Argument: "checkpoints", Value: "none",
			Allowed: "those of a Sampler or of FromGates"}
	}
	n := s.Envs * s.MaxCheckpoints
	for _, a := range []struct {
		name  string
		array exec.Array[kernel.Vec3]
	}{{"position", s.Position}, {"left", s.Left}, {"right", s.Right}, {"forward", s.Forward}} {
		if err := a.array.Check(op, a.name+" of checkpoints", device, n); err != nil {
			return err
		}
	}
	if err := s.UpHalf.Check(op, "up_half of checkpoints", device, n); err != nil {
		return err
	}
	return s.Count.Check(op, "count of checkpoints", device, s.Envs)
}

// place returns where the arrays are, or an error for a set without arrays.
func (s *Set) place(op string) (component.Place, error) {
	if s == nil || s.Count.IsZero() {
		return component.Place{}, s.Check(prefix+op, nil)
	}
	return component.Place{Prefix: prefix, Device: s.Count.Device(), Stream: s.stream}, nil
}

// Read waits for everything emitted so far on the stream that ctx resolves to, and copies the checkpoints to host
// memory. It returns exec.ErrCapture inside a capture.
func (s *Set) Read(ctx context.Context) (*HostSet, error) {
	place, err := s.place("read")
	if err != nil {
		return nil, err
	}
	h := &HostSet{Envs: s.Envs, MaxCheckpoints: s.MaxCheckpoints}
	if err := component.Read(ctx, place, Schema, &s.DeviceColumns, &h.HostColumns); err != nil {
		return nil, err
	}
	return h, nil
}

// Clone copies the checkpoints to new device memory, on the stream that ctx resolves to, and waits for the copy. The
// caller closes the clone. It returns exec.ErrCapture inside a capture.
func (s *Set) Clone(ctx context.Context) (*Set, error) {
	place, err := s.place("clone")
	if err != nil {
		return nil, err
	}
	clone := &Set{Envs: s.Envs, MaxCheckpoints: s.MaxCheckpoints, stream: s.stream}
	if clone.memory, err = component.Clone(ctx, place, Schema, &s.DeviceColumns, &clone.DeviceColumns); err != nil {
		return nil, err
	}
	return clone, nil
}

// Close releases the memory of a clone. The arrays of other sets belong to their makers.
func (s *Set) Close() error {
	if s == nil {
		return nil
	}
	return s.memory.Close()
}
