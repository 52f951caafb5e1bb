package speed

import (
	"context"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
)

// Columns are the arrays of a batch of profiles: numbers (F), one for each point of each env, [E*N_max].
type Columns[F any] struct {
	Speed     F `column:"speed,point,none,speed" doc:"highest speed, in length/time; NaN from count on"`
	Curvature F `column:"curvature,point,none,speed,unknown" doc:"curvature that the speeds go by, in 1/length"`
}

// HostColumns are the arrays of a Batch.
type HostColumns = Columns[[]float32]

// DeviceColumns are the arrays of a Profile.
type DeviceColumns = Columns[exec.Array[float32]]

// Schema lists the columns of profiles.
var Schema = column.NewSchema[HostColumns, DeviceColumns]()

// Profile is the speed profiles of a batch of lines in device memory. It has no curvature if the source of the planner
// has. A Planner fills the same Profile at every
// refresh; Clone makes a copy that no refresh overwrites.
type Profile struct {
	Envs, NMax int

	DeviceColumns

	result component.Result[HostColumns, DeviceColumns]
}

// Batch is the speed profiles of a batch of lines in host memory. Row e begins at e*NMax.
type Batch struct {
	Envs, NMax int

	HostColumns
}

// newProfile allocates the columns of a batch, with the curvature if bends is true.
func newProfile(place component.Place, envs, nMax int, bends bool) (_ *Profile, err error) {
	p := &Profile{Envs: envs, NMax: nMax}
	p.result, err = component.NewResult(place, Schema, &p.DeviceColumns, func(d column.Column) int {
		if d.Absent != column.Never && !bends {
			return 0
		}
		return envs * d.Stride(nMax)
	})
	return p, err
}

// Read waits for everything emitted so far on the stream that ctx resolves to, and copies the profiles to host memory.
// It returns exec.ErrCapture inside a capture.
func (p *Profile) Read(ctx context.Context) (*Batch, error) {
	if p == nil || !p.result.Made() {
		return nil, noProfile("read")
	}
	host := &Batch{Envs: p.Envs, NMax: p.NMax}
	if err := p.result.Read(ctx, &p.DeviceColumns, &host.HostColumns); err != nil {
		return nil, err
	}
	return host, nil
}

// Clone copies the profiles to new device memory, on the stream that ctx resolves to, and waits for the copy. The
// caller closes the clone. It returns exec.ErrCapture inside a capture.
func (p *Profile) Clone(ctx context.Context) (_ *Profile, err error) {
	if p == nil || !p.result.Made() {
		return nil, noProfile("clone")
	}
	clone := &Profile{Envs: p.Envs, NMax: p.NMax}
	if clone.result, err = p.result.Clone(ctx, &p.DeviceColumns, &clone.DeviceColumns); err != nil {
		return nil, err
	}
	return clone, nil
}

// Close releases the memory. Closing twice is a no-op. Closing a Planner closes its Profile.
func (p *Profile) Close() error {
	if p == nil {
		return nil
	}
	return p.result.Close()
}

func noProfile(op string) error {
	return &backend.ArgumentError{Op: prefix + op, Argument: "receiver", Value: nil,
		Allowed: "the Profile of a Planner"}
}
