package preview

import (
	"context"
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
)

// Columns are the arrays of a batch of observations.
type Columns[F any] struct {
	// Values are [E*A, K, C]: value c of place k of agent a of env e is element ((e*A + a)*K + k)*C + c.
	Values F `column:"preview,agent,none,preview" doc:"what each agent sees ahead [E*A, K, C]; NaN if it does not see"`
}

// HostColumns are the arrays of a Batch.
type HostColumns = Columns[[]float32]

// DeviceColumns are the arrays of Observations.
type DeviceColumns = Columns[exec.Array[float32]]

// Schema lists the columns of observations.
var Schema = column.NewSchema[HostColumns, DeviceColumns]()

// Shape is that of observations.
type Shape struct {
	Envs, Agents int      // E, A
	Places       int      // K: places or gates of an agent
	Channels     []string // names of the C values of each place
}

// Observations are what agents see, in device memory. A Preview, or Gates, fills the same Observations at every update;
// Clone makes a copy that no update overwrites.
type Observations struct {
	Shape

	DeviceColumns

	result component.Result[HostColumns, DeviceColumns]
}

// Batch is what agents see, in host memory.
type Batch struct {
	Shape

	HostColumns
}

// newObservations allocates observations.
func newObservations(place component.Place, shape Shape) (_ *Observations, err error) {
	o := &Observations{Shape: shape}
	o.result, err = component.NewResult(place, Schema, &o.DeviceColumns, func(column.Column) int {
		return shape.Envs * shape.Agents * shape.Places * len(shape.Channels)
	})
	return o, err
}

// Read waits for everything emitted so far on the stream that ctx resolves to, and copies the observations to host
// memory. It returns exec.ErrCapture inside a capture.
func (o *Observations) Read(ctx context.Context) (*Batch, error) {
	if o == nil {
		return nil, noObservations("read")
	}
	host := &Batch{Shape: o.shape()}
	if err := o.result.Read(ctx, &o.DeviceColumns, &host.HostColumns); err != nil {
		return nil, err
	}
	return host, nil
}

// shape returns a copy of the shape.
func (o *Observations) shape() Shape {
	s := o.Shape
	s.Channels = slices.Clone(s.Channels)
	return s
}

// Clone copies the observations to new device memory, on the stream that ctx resolves to, and waits for the copy. The
// caller closes the clone. It returns exec.ErrCapture inside a capture.
func (o *Observations) Clone(ctx context.Context) (_ *Observations, err error) {
	if o == nil {
		return nil, noObservations("clone")
	}
	clone := &Observations{Shape: o.shape()}
	if clone.result, err = o.result.Clone(ctx, &o.DeviceColumns, &clone.DeviceColumns); err != nil {
		return nil, err
	}
	return clone, nil
}

// Close releases the memory of a clone. Closing twice is a no-op. Closing a Preview closes its Observations.
func (o *Observations) Close() error {
	if o == nil {
		return nil
	}
	return o.result.Close()
}

func noObservations(op string) error {
	return &backend.ArgumentError{Op: prefix + op, Argument: "receiver", Value: nil,
		Allowed: "the Observations of a Preview or of Gates"}
}
