package heightfield

import (
	"math"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/heightfield"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// Names of the outputs of Stage.
const (
	HeightOutput = "ground_height" // float32 [E, R, R]: element e*R*R + y*R + x
	LowOutput    = "ground_low"    // [E] corner of the grid with the smallest x and y
	HighOutput   = "ground_high"   // [E] corner with the largest
)

// Names of the inputs of Stage, which are columns of tracks.
const (
	outerInput  = "outer"
	centerInput = "center"
	innerInput  = "inner"
	countInput  = "count"
	validInput  = "valid"
)

// Stage returns the stage that bakes the grids of the active envs. It reads the columns outer, center, inner, count and
// valid of the tracks, and its outputs are HeightOutput, LowOutput and HighOutput. With track.WithStages it belongs to
// the generations of a generator; a regeneration by mask then bakes the masked envs and changes no other cell.
//
// Building it returns a *ConfigError for each wrong field of the configuration, for a resolution that needs more cells
// than an array may have, or an error for inputs that are missing or have other lengths.
func Stage(c Config) exec.Stage {
	return pipeline.StageFunc("heightfield", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		if err := c.Validate(); err != nil {
			return nil, err
		}
		if err := c.checkEnvs(b.Envs()); err != nil {
			return nil, err
		}
		if err := b.Device().Load(heightfield.Defs...); err != nil {
			return nil, err
		}
		a := allocate.New(b)
		s := c.arrays(a)
		if a.Err != nil {
			return nil, a.Err
		}
		return s.enqueue, nil
	})
}

// arrays are what a baking works on.
type arrays struct {
	config    Config
	active    *pipeline.List
	envs      int
	maxPoints int32

	Source
	work                               exec.Array[int32]
	height                             exec.Array[float32]
	low, high                          exec.Array[kernel.Vec2]
	boxLow, boxHigh, roadLow, roadHigh exec.Array[kernel.Vec2]
}

// arrays gets the inputs and allocates everything else.
func (c Config) arrays(a *allocate.Allocator) *arrays {
	s := &arrays{config: c, active: a.Active, envs: a.Envs()}
	s.Source = Source{
		Outer: allocate.Input[kernel.Vec3](a, outerInput), Center: allocate.Input[kernel.Vec3](a, centerInput),
		Inner: allocate.Input[kernel.Vec3](a, innerInput), Count: allocate.Input[int32](a, countInput),
		Valid: allocate.Input[int32](a, validInput),
	}
	if a.Err == nil {
		a.Err = s.check("build stage heightfield", a.Device(), a.Envs())
	}
	if a.Err != nil {
		return s
	}
	n := s.Center.Len() / s.envs
	s.maxPoints = int32(n)
	s.height = allocate.Output[float32](a, HeightOutput, c.cells())
	s.low, s.high = allocate.Output[kernel.Vec2](a, LowOutput, 1), allocate.Output[kernel.Vec2](a, HighOutput, 1)
	s.work = allocate.Scratch[int32](a, 1)
	boxes := int(heightfield.Leaves(s.maxPoints) + heightfield.Nodes(s.maxPoints))
	s.boxLow, s.boxHigh = allocate.PerEnv[kernel.Vec2](a, boxes), allocate.PerEnv[kernel.Vec2](a, boxes)
	if c.Blend.Mode != Smooth {
		boxes = 0 // nearest needs no boxes of the road
	}
	s.roadLow, s.roadHigh = allocate.PerEnv[kernel.Vec2](a, boxes), allocate.PerEnv[kernel.Vec2](a, boxes)
	return s
}

// reach returns blend.length, or one that is no limit.
func (c Config) reach() float32 {
	if c.Blend.Length == 0 {
		return math.MaxFloat32
	}
	return float32(c.Blend.Length)
}

// enqueue emits the baking of the active envs.
func (s *arrays) enqueue(lc *exec.LaunchContext) {
	c, active := s.config, s.active.Array()
	side := int32(c.Resolution)
	tiles := heightfield.Tiles(side)
	groups := s.envs * int(tiles)
	smooth := c.Blend.Mode == Smooth
	heightfield.Grid(lc, s.envs, heightfield.GridArgs{
		Active: active, MaxPoints: s.maxPoints, Borders: allocate.Bit(smooth), Padding: float32(c.Padding),
		Outer: s.Outer, Center: s.Center, Inner: s.Inner, Count: s.Count, Low: s.low, High: s.high,
		BoxLow: s.boxLow, BoxHigh: s.boxHigh, RoadLow: s.roadLow, RoadHigh: s.roadHigh,
	})
	heightfield.Plan(lc, 1, active, tiles, s.work)
	if smooth {
		heightfield.Reach(lc, groups, heightfield.ReachArgs{
			Work: s.work, Active: active, MaxPoints: s.maxPoints, Side: side, Limit: c.reach(),
			Outer: s.Outer, Inner: s.Inner, Count: s.Count, Valid: s.Valid, Low: s.low, High: s.high,
			RoadLow: s.roadLow, RoadHigh: s.roadHigh, Height: s.height,
		})
		heightfield.Smooth(lc, groups, heightfield.SmoothArgs{
			Work: s.work, Active: active, MaxPoints: s.maxPoints, Side: side, Center: s.Center, Count: s.Count,
			Valid: s.Valid, Low: s.low, High: s.high, BoxLow: s.boxLow, BoxHigh: s.boxHigh, Height: s.height,
		})
		return
	}
	heightfield.Nearest(lc, groups, heightfield.NearestArgs{
		Work: s.work, Active: active, MaxPoints: s.maxPoints, Side: side, Center: s.Center, Count: s.Count,
		Valid: s.Valid, Low: s.low, High: s.high, BoxLow: s.boxLow, BoxHigh: s.boxHigh, Height: s.height,
	})
}
