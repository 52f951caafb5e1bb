package rangefinder

import (
	"context"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernels/rangefinder"
)

// What a beam has hit: the values of Columns.Hit.
const (
	HitNone  = rangefinder.None
	HitInner = rangefinder.Inner // the inner border
	HitOuter = rangefinder.Outer // the outer border
	HitAgent = rangefinder.Agent
	HitPost  = rangefinder.Post // a disc, or the frame of a gate
)

// Columns are the arrays of a batch of scans: numbers (F) and whole numbers (I). Beam b of agent a of env e is element
// (e*A + a)*B + b.
type Columns[F, I any] struct {
	Distance F `column:"distance,agent,length,range" doc:"range of each beam [E*A, B]; that of the sensor without a hit"`
	Hit      I `column:"hit,agent,none,range" doc:"what it hits: 0 nothing, 1 inner, 2 outer border, 3 agent, 4 post"`
}

// HostColumns are the arrays of a Batch.
type HostColumns = Columns[[]float32, []int32]

// DeviceColumns are the arrays of Scans.
type DeviceColumns = Columns[exec.Array[float32], exec.Array[int32]]

// Schema lists the columns of scans.
var Schema = column.NewSchema[HostColumns, DeviceColumns]()

// Scans are what range finders measure, in device memory. A RangeFinder fills the same Scans at every update; Clone
// makes a copy that no update overwrites.
type Scans struct {
	Envs, Agents, Beams int // E, A, B

	DeviceColumns

	result component.Result[HostColumns, DeviceColumns]
}

// Batch is what range finders measure, in host memory.
type Batch struct {
	Envs, Agents, Beams int // E, A, B

	HostColumns
}

// newScans allocates the columns of a batch.
func newScans(place component.Place, envs, agents, beams int) (_ *Scans, err error) {
	s := &Scans{Envs: envs, Agents: agents, Beams: beams}
	s.result, err = component.NewResult(place, Schema, &s.DeviceColumns,
		func(column.Column) int { return envs * agents * beams })
	return s, err
}

// Read waits for everything emitted so far on the stream that ctx resolves to, and copies the scans to host memory. It
// returns exec.ErrCapture inside a capture.
func (s *Scans) Read(ctx context.Context) (*Batch, error) {
	if s == nil {
		return nil, noScans("read")
	}
	host := &Batch{Envs: s.Envs, Agents: s.Agents, Beams: s.Beams}
	if err := s.result.Read(ctx, &s.DeviceColumns, &host.HostColumns); err != nil {
		return nil, err
	}
	return host, nil
}

// Clone copies the scans to new device memory, on the stream that ctx resolves to, and waits for the copy. The caller
// closes the clone. It returns exec.ErrCapture inside a capture.
func (s *Scans) Clone(ctx context.Context) (_ *Scans, err error) {
	if s == nil {
		return nil, noScans("clone")
	}
	clone := &Scans{Envs: s.Envs, Agents: s.Agents, Beams: s.Beams}
	if clone.result, err = s.result.Clone(ctx, &s.DeviceColumns, &clone.DeviceColumns); err != nil {
		return nil, err
	}
	return clone, nil
}

// Close releases the memory of a clone. Closing twice is a no-op. Closing a RangeFinder closes its Scans.
func (s *Scans) Close() error {
	if s == nil {
		return nil
	}
	return s.result.Close()
}

func noScans(op string) error {
	return &backend.ArgumentError{Op: prefix + op, Argument: "receiver", Value: nil, Allowed: "the Scans of a RangeFinder"}
}
