package curvature

import (
	"context"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
)

// Columns are the arrays of a batch of estimates: numbers (F), one for each point of each env, [E*N_max].
type Columns[F any] struct {
	Curvature F `column:"curvature,point,none,curvature" doc:"curvature in 1/length, > 0 counter-clockwise; NaN from count on"`
}

// HostColumns are the arrays of a Batch.
type HostColumns = Columns[[]float32]

// DeviceColumns are the arrays of a Curvature.
type DeviceColumns = Columns[exec.Array[float32]]

// Schema lists the columns of estimates.
var Schema = column.NewSchema[HostColumns, DeviceColumns]()

// Curvature is the curvature of a batch of lines in device memory. An Estimator fills the same Curvature at every
// refresh; Clone makes a copy that no refresh overwrites.
type Curvature struct {
	Envs, NMax int

	DeviceColumns

	result component.Result[HostColumns, DeviceColumns]
}

// Batch is the curvature of a batch of lines in host memory. Row e begins at e*NMax.
type Batch struct {
	Envs, NMax int

	HostColumns
}

// newCurvature allocates the columns of a batch.
func newCurvature(place component.Place, envs, nMax int) (_ *Curvature, err error) {
	c := &Curvature{Envs: envs, NMax: nMax}
	c.result, err = component.NewResult(place, Schema, &c.DeviceColumns,
		func(d column.Column) int { return envs * d.Stride(nMax) })
	return c, err
}

// Read waits for everything emitted so far on the stream that ctx resolves to, and copies the curvature to host memory.
// It returns exec.ErrCapture inside a capture.
func (c *Curvature) Read(ctx context.Context) (*Batch, error) {
	if c == nil || !c.result.Made() {
		return nil, noCurvature("read")
	}
	host := &Batch{Envs: c.Envs, NMax: c.NMax}
	if err := c.result.Read(ctx, &c.DeviceColumns, &host.HostColumns); err != nil {
		return nil, err
	}
	return host, nil
}

// Clone copies the curvature to new device memory, on the stream that ctx resolves to, and waits for the copy. The
// caller closes the clone. It returns exec.ErrCapture inside a capture.
func (c *Curvature) Clone(ctx context.Context) (_ *Curvature, err error) {
	if c == nil || !c.result.Made() {
		return nil, noCurvature("clone")
	}
	clone := &Curvature{Envs: c.Envs, NMax: c.NMax}
	if clone.result, err = c.result.Clone(ctx, &c.DeviceColumns, &clone.DeviceColumns); err != nil {
		return nil, err
	}
	return clone, nil
}

// Close releases the memory. Closing twice is a no-op. Closing an Estimator closes its Curvature.
func (c *Curvature) Close() error {
	if c == nil {
		return nil
	}
	return c.result.Close()
}

func noCurvature(op string) error {
	return &backend.ArgumentError{Op: prefix + op, Argument: "receiver", Value: nil,
		Allowed: "the Curvature of an Estimator"}
}
