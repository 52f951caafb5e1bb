package collision

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// FieldGrid is the distance fields of a batch in host memory, for pictures.
type FieldGrid struct {
	Envs, Resolution int // E, R

	// Phi is the distance from the nearest border in the middles of the cells [E*R*R]: element e*R*R + y*R + x. It is
	// above 0 on the road, and NaN for a track of fewer than 3 points.
	Phi []float32
	// Boundary is that border [E*R*R]: Inner, Outer or NoBoundary.
	Boundary  []int32
	Low, High []kernel.Vec2 // [E] corners of the grid
}

// Of returns the distances of env e, row by row from the smallest y. e must be in range.
func (g *FieldGrid) Of(e int) []float32 {
	n := g.Resolution * g.Resolution
	return g.Phi[e*n : (e+1)*n]
}

// Middle returns the middle of cell (x, y) of env e. e must be in range.
func (g *FieldGrid) Middle(e, x, y int) (east, north float64) {
	at := func(low, high float32, i int) float64 {
		return float64(low) + (float64(i)+0.5)/float64(g.Resolution)*(float64(high)-float64(low))
	}
	return at(g.Low[e].X, g.High[e].X, x), at(g.Low[e].Y, g.High[e].Y, y)
}

// Grid waits for everything emitted so far on the stream that ctx resolves to, and copies the distance fields to host
// memory. It returns exec.ErrCapture inside a capture.
func (f *Field) Grid(ctx context.Context) (*FieldGrid, error) {
	const op = "read field"
	if err := f.open(op); err != nil {
		return nil, err
	}
	lc, err := f.queries.Context(ctx, op)
	if err != nil {
		return nil, err
	}
	if err := lc.Stream().Sync(); err != nil {
		return nil, exec.Doing(prefix+op, err)
	}
	ctx = exec.With(ctx, lc)
	g := &FieldGrid{Envs: f.contacts.Envs, Resolution: f.config.Resolution}
	var failed [4]error
	g.Phi, failed[0] = f.phi.Read(ctx)
	g.Boundary, failed[1] = f.boundary.Read(ctx)
	g.Low, failed[2] = f.low.Read(ctx)
	g.High, failed[3] = f.high.Read(ctx)
	if err := errors.Join(failed[:]...); err != nil {
		return nil, exec.Doing(prefix+op, err)
	}
	return g, nil
}
