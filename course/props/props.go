package props

import (
	"context"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernel"
)

// prefix stands once in each message of the package, in front of what a function of the package was doing.
const prefix = "props: "

// Columns are the arrays of a batch of props: vectors in space (V) and in plan view (W), numbers (F) and whole numbers
// (I). An array has one element for each env, [E], or for each prop of each env, [E*P_max]. Beyond Count the elements
// are NaN.
type Columns[V, W, F, I any] struct {
	Position  V `column:"position,prop,length,props" doc:"middle of the prop"`
	Tangent   W `column:"tangent,prop,none,props" doc:"unit direction in plan view, 0 where the line is vertical"`
	Yaw       F `column:"yaw,prop,none,props" doc:"angle of the direction in radians, counter-clockwise from x"`
	Length    F `column:"length,prop,length,props" doc:"of segments, the length of the prop; of points, the distance"`
	Count     I `column:"count,env,none,props" doc:"real props; those after them are padding"`
	Truncated I `column:"truncated,env,none,props" doc:"1 where there is no room for all props, else 0"`
	Step      F `column:"step,env,length,props" doc:"distance of successive props along the line, NaN without one"`
}

// HostColumns are the arrays of a HostProps.
type HostColumns = Columns[[]kernel.Vec3, []kernel.Vec2, []float32, []int32]

// DeviceColumns are the arrays of a Props.
type DeviceColumns = Columns[exec.Array[kernel.Vec3], exec.Array[kernel.Vec2], exec.Array[float32], exec.Array[int32]]

// Schema lists the columns of props.
var Schema = column.NewSchema[HostColumns, DeviceColumns]()

// HostProps is a batch of props in host memory.
type HostProps struct {
	Envs, MaxProps int // E, P_max

	HostColumns
}

// Props is a batch of props in device memory.
type Props struct {
	Envs, MaxProps int // E, P_max

	DeviceColumns

	memory column.Memory // of a clone
	place  component.Place
}

// check returns a *backend.ArgumentError for props that no Sampler has made.
func (p *Props) check(op string) error {
	if p == nil || p.place.Device == nil {
		return &backend.ArgumentError{Op: prefix + op, Argument: "props", Value: "none", Allowed: "those of a Sampler"}
	}
	return nil
}

// Read waits for everything emitted so far on the stream that ctx resolves to, and copies the props to host memory. It
// returns exec.ErrCapture inside a capture.
func (p *Props) Read(ctx context.Context) (*HostProps, error) {
	if err := p.check("read"); err != nil {
		return nil, err
	}
	h := &HostProps{Envs: p.Envs, MaxProps: p.MaxProps}
	if err := component.Read(ctx, p.place, Schema, &p.DeviceColumns, &h.HostColumns); err != nil {
		return nil, err
	}
	return h, nil
}

// Clone copies the props to new device memory, on the stream that ctx resolves to, and waits. The caller closes the
// clone.
func (p *Props) Clone(ctx context.Context) (_ *Props, err error) {
	if err := p.check("clone"); err != nil {
		return nil, err
	}
	clone := &Props{Envs: p.Envs, MaxProps: p.MaxProps, place: p.place}
	clone.memory, err = component.Clone(ctx, p.place, Schema, &p.DeviceColumns, &clone.DeviceColumns)
	if err != nil {
		return nil, err
	}
	return clone, nil
}

// Close releases the memory of a clone. The props of a Sampler belong to it.
func (p *Props) Close() error {
	if p == nil {
		return nil
	}
	return p.memory.Close()
}
