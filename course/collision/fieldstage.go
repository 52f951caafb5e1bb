package collision

import (
	"slices"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/distancefield"
	"github.com/trackgen-go/trackgen/kernels/heightfield"
	"github.com/trackgen-go/trackgen/kernels/polyline"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// Names of the outputs of FieldStage.
const (
	PhiOutput      = "field_phi"      // float32 [E*R*R] signed distance in the middle of a cell: e*R*R + y*R + x
	BoundaryOutput = "field_boundary" // int32 [E*R*R] nearest border: 0 inner, 1 outer, -1 none
	LowOutput      = "field_low"      // [E] corner of the grid with the smallest x and y
	HighOutput     = "field_high"     // [E] corner with the largest
)

// FieldStage returns the stage that bakes the distance fields of the active envs (C-74). It reads the columns outer,
// inner and count of tracks. With track.WithStages it belongs to the generations of a generator; a regeneration by mask
// then bakes the masked envs and changes no other cell.
//
// Building it returns a *config.Error for each wrong field of the configuration, for a resolution that needs more cells
// than an array may have, or an error for inputs that are missing or have other lengths.
func FieldStage(c FieldConfig) exec.Stage {
	return pipeline.StageFunc("distancefield", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		if err := c.Validate(); err != nil {
			return nil, err
		}
		c := c.resolved()
		if err := c.checkCells(b.Envs()); err != nil {
			return nil, err
		}
		if err := b.Device().Load(slices.Concat(heightfield.Defs, polyline.Defs, distancefield.Defs)...); err != nil {
			return nil, err
		}
		a := allocate.New(b)
		s := c.baking(a)
		return s.enqueue, a.Err
	})
}

// baking is what the stage works on.
type baking struct {
	config FieldConfig
	active *pipeline.List
	envs   int
	points int32 // per env

	outer, inner exec.Array[kernel.Vec3]
	count        exec.Array[int32]

	work     exec.Array[int32]
	index    exec.Array[kernel.Quat]
	phi      exec.Array[float32]
	boundary exec.Array[int32]

	low, high exec.Array[kernel.Vec2]
}

// baking gets the inputs and allocates everything else.
func (c FieldConfig) baking(a *allocate.Allocator) *baking {
	s := &baking{config: c, active: a.Active, envs: a.Envs(),
		outer: allocate.Input[kernel.Vec3](a, outerInput), inner: allocate.Input[kernel.Vec3](a, innerInput),
		count: allocate.Input[int32](a, countInput)}
	if a.Err == nil { // the field does not read the centreline
		source := BorderSource{Outer: s.outer, Center: s.outer, Inner: s.inner, Count: s.count}
		a.Err = source.check("build stage distancefield", a.Device(), s.envs)
	}
	if a.Err != nil {
		return s
	}
	s.points = int32(s.outer.Len() / s.envs)
	cells := c.Resolution * c.Resolution
	s.phi, s.boundary = allocate.Output[float32](a, PhiOutput, cells), allocate.Output[int32](a, BoundaryOutput, cells)
	s.low, s.high = allocate.Output[kernel.Vec2](a, LowOutput, 1), allocate.Output[kernel.Vec2](a, HighOutput, 1)
	s.work = allocate.Scratch[int32](a, 1)
	s.index = allocate.PerEnv[kernel.Quat](a, distancefield.Lines*int(polyline.Size(s.points)))
	return s
}

// enqueue emits the baking of the active envs.
func (s *baking) enqueue(lc *exec.LaunchContext) {
	active, side := s.active.Array(), int32(s.config.Resolution)
	tiles := heightfield.TilesOf(side, distancefield.TileSide)
	distancefield.Corners(lc, s.envs, distancefield.CornersArgs{
		Active: active, MaxPoints: s.points, Padding: float32(s.config.Padding), Outer: s.outer, Count: s.count,
		Low: s.low, High: s.high,
	})
	s.build(lc, distancefield.Inner, s.inner)
	s.build(lc, distancefield.Outer, s.outer)
	heightfield.Plan(lc, 1, active, tiles, s.work)
	distancefield.Bake(lc, s.envs*int(tiles), distancefield.BakeArgs{
		Work: s.work, Active: active, MaxPoints: s.points, Side: side, Index: s.index,
		Low: s.low, High: s.high, Phi: s.phi, Boundary: s.boundary,
	})
}

// build emits the index of one border.
func (s *baking) build(lc *exec.LaunchContext, line int32, point exec.Array[kernel.Vec3]) {
	polyline.Build(lc, s.envs, polyline.BuildArgs{Active: s.active.Array(), MaxPoints: s.points,
		Lines: distancefield.Lines, Line: line, Point: point, Count: s.count, Index: s.index})
}
