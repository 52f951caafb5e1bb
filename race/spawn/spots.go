package spawn

import (
	"context"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
)

// prefix stands once in each message of the package, in front of what a function of the package was doing.
const prefix = "spawn: "

// Columns say where and how agents were put, [E*A]. Agent a of env e is element e*A + a. All are NaN for an agent
// without a line.
type Columns[F any] struct {
	S      F `column:"s,agent,length,spawn" doc:"arc length along the line"`
	N      F `column:"n,agent,length,spawn" doc:"offset to the right of it"`
	Height F `column:"height,agent,length,spawn" doc:"height above it"`
	Yaw    F `column:"yaw,agent,none,spawn" doc:"angle from its direction, counter-clockwise, in radians"`
	Speed  F `column:"speed,agent,none,spawn" doc:"speed in track units per second"`
}

// HostColumns are the arrays of spots in host memory.
type HostColumns = Columns[[]float32]

// DeviceColumns are the arrays of Spots.
type DeviceColumns = Columns[exec.Array[float32]]

// Schema lists the columns of spots.
var Schema = column.NewSchema[HostColumns, DeviceColumns]()

// Spots say in device memory where agents were put. A Spawner fills the same Spots at every spawn; before the first one
// they are NaN. Clone makes a copy that no spawn overwrites.
type Spots struct {
	Envs, Agents int // E, A

	DeviceColumns

	result component.Result[HostColumns, DeviceColumns]
	packed column.Packed // zero for a clone
}

// newSpots allocates the columns.
func newSpots(place component.Place, envs, agents int) (_ *Spots, err error) {
	s := &Spots{Envs: envs, Agents: agents}
	s.result, s.packed, err = component.NewPacked(place, Schema, &s.DeviceColumns, envs*agents, nil)
	return s, err
}

// Read waits for everything emitted so far on the stream that ctx resolves to, and copies the spots to host memory. It
// returns exec.ErrCapture inside a capture.
func (s *Spots) Read(ctx context.Context) (*HostColumns, error) {
	host := new(HostColumns)
	if s == nil {
		return nil, component.Read(ctx, component.Place{Prefix: prefix}, Schema, new(DeviceColumns), host)
	}
	if err := s.result.Read(ctx, &s.DeviceColumns, host); err != nil {
		return nil, err
	}
	return host, nil
}

// Clone copies the spots to new device memory, on the stream that ctx resolves to, and waits for the copy. The caller
// closes the clone. It returns exec.ErrCapture inside a capture.
func (s *Spots) Clone(ctx context.Context) (_ *Spots, err error) {
	if s == nil {
		_, err := s.Read(ctx)
		return nil, err
	}
	clone := &Spots{Envs: s.Envs, Agents: s.Agents}
	if clone.result, err = s.result.Clone(ctx, &s.DeviceColumns, &clone.DeviceColumns); err != nil {
		return nil, err
	}
	return clone, nil
}

// Close releases the memory of a clone. The spots of a Spawner belong to it.
func (s *Spots) Close() error {
	if s == nil {
		return nil
	}
	return s.result.Close()
}
