package race

import (
	"context"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernels/race"
)

// VectorColumns are the arrays of vectors of observations.
type VectorColumns[F any] struct {
	// Values are [E*A, W]: value k of agent a of env e is element (e*A + a)*W + k.
	Values F `column:"vector,agent,none,race" doc:"all observations of each agent in a row [E*A, W]; finite"`
}

// VectorSchema lists the columns of Vector.
var VectorSchema = column.NewSchema[VectorColumns[[]float32], VectorColumns[exec.Array[float32]]]()

// Vector has all that an agent observes in a row, as the input of a network: its motion, the way ahead, the next gates
// and the ranges of its beams, of these what the race has (L-28). A value that is not finite, as of an agent that does
// not see, is 0. Every step fills the same Vector.
type Vector struct {
	Envs, Agents, Width int // E, A, W

	VectorColumns[exec.Array[float32]]

	result component.Result[VectorColumns[[]float32], VectorColumns[exec.Array[float32]]]
}

// HostVector is a Vector in host memory.
type HostVector struct {
	Envs, Agents, Width int

	VectorColumns[[]float32]
}

// Read waits for everything emitted so far on the stream that ctx resolves to, and copies the values to host memory. It
// returns exec.ErrCapture inside a capture.
func (v *Vector) Read(ctx context.Context) (*HostVector, error) {
	if v == nil {
		return nil, noReceiver("read", "the Vector of a Race")
	}
	host := &HostVector{Envs: v.Envs, Agents: v.Agents, Width: v.Width}
	if err := v.result.Read(ctx, &v.VectorColumns, &host.VectorColumns); err != nil {
		return nil, err
	}
	return host, nil
}

// observed returns the arrays of the observations, in the order of a vector.
func (p *parts) observed() []exec.Array[float32] {
	var list []exec.Array[float32]
	if p.motion != nil {
		list = append(list, p.motion.Values)
	}
	if p.preview != nil {
		list = append(list, p.preview.Observations().Values)
	}
	if p.gates != nil {
		list = append(list, p.gates.Observations().Values)
	}
	if p.finder != nil {
		list = append(list, p.finder.Scans().Distance)
	}
	return list
}

// buildVector makes what joins the other observations, which are made before it.
func (p *parts) buildVector(c Config, place component.Place) (err error) {
	v := &Vector{Envs: c.Vehicle.NumEnvs, Agents: c.Vehicle.Agents}
	number, list := v.Envs*v.Agents, p.observed()
	for _, part := range list {
		v.Width += part.Len() / number
	}
	v.result, err = component.NewResult(place, VectorSchema, &v.VectorColumns, func(column.Column) int {
		return number * v.Width
	})
	if err != nil {
		return err
	}
	p.vector = v
	p.closers = append(p.closers, v.result.Close)
	p.observers = append(p.observers, observer{"vector", func(lc *exec.LaunchContext) {
		offset := 0
		for _, part := range list {
			length := part.Len() / number
			race.Join(lc, part.Len(), int32(length), int32(v.Width), int32(offset), part, v.Values)
			offset += length
		}
	}})
	return nil
}
