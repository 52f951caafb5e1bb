package track

import (
	"math"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// loopStage draws the first closed loop of every env.
type loopStage interface {
	// enqueue writes num_points points per active env to loop, drawn with the effective seeds.
	enqueue(lc *exec.LaunchContext, active, seed exec.Array[int32], loop exec.Array[kernel.Vec2])
}

// crossingBlock is how many segments share a bounding box in the search for crossings.
const crossingBlock = 8

func crossingBoxes(c Config) int { return (c.NumPoints + crossingBlock - 1) / crossingBlock }

// bezierStage holds the scratch memory and the parameters of the bezier generator.
type bezierStage struct {
	envs                                 int
	minCorners, maxCorners               int32
	cells, samples, points, boxes        int32
	cellSize, lean                       float32
	radLo, radHi, scaleLo, scaleHi       float32
	clampLo, clampHi                     float32
	corner, tangent, dense, boxLo, boxHi exec.Array[kernel.Vec2]
	angle, shorter, end                  exec.Array[float32]
	cell, crossings                      exec.Array[int32]
}

func newBezierStage(m *memory, c Config) loopStage {
	s := &bezierStage{
		envs:       c.NumEnvs,
		minCorners: int32(c.MinNumPoints), maxCorners: int32(c.MaxNumPoints),
		cells:    int32(math.Floor(1 / (2 * c.MinPointDistance))),
		samples:  int32(c.NumPointsPerSegment),
		points:   int32(c.NumPoints),
		boxes:    int32(crossingBoxes(c)),
		cellSize: float32(2 * c.MinPointDistance),
		lean:     float32(math.Atan(c.Edgy)/math.Pi + 0.5),
	}
	s.radLo, s.radHi = c.styleRange(c.RadRange, *c.Rad)
	s.scaleLo, s.scaleHi = c.styleRange(c.ScaleRange, c.Scale)
	s.clampLo, s.clampHi = c.styleRange(c.HandleClampFracRange, *c.HandleClampFrac)

	corners := c.NumEnvs * c.MaxNumPoints
	s.corner = allocate[kernel.Vec2](m, corners)
	s.tangent = allocate[kernel.Vec2](m, corners)
	s.angle = allocate[float32](m, corners)
	s.shorter = allocate[float32](m, corners)
	s.cell = allocate[int32](m, corners)
	s.dense = allocate[kernel.Vec2](m, corners*c.NumPointsPerSegment)
	s.end = allocate[float32](m, corners*c.NumPointsPerSegment)
	s.boxLo = allocate[kernel.Vec2](m, c.NumEnvs*int(s.boxes))
	s.boxHi = allocate[kernel.Vec2](m, c.NumEnvs*int(s.boxes))
	s.crossings = allocate[int32](m, c.NumEnvs)
	return s
}

// styleRange returns the interval that a style value is drawn from; without sampling, or without a range, the scalar.
func (c Config) styleRange(r *Range, scalar float64) (low, high float32) {
	if !c.StyleSampling || r == nil {
		return float32(scalar), float32(scalar)
	}
	return float32(r.Min), float32(r.Max)
}

func (s *bezierStage) enqueue(lc *exec.LaunchContext, active, seed exec.Array[int32], loop exec.Array[kernel.Vec2]) {
	centerline.Bezier(lc, s.envs, active, seed, s.minCorners, s.maxCorners, s.cells, s.samples, s.points, s.boxes,
		s.cellSize, s.lean, s.radLo, s.radHi, s.scaleLo, s.scaleHi, s.clampLo, s.clampHi,
		s.corner, s.angle, s.cell, s.tangent, s.shorter, s.dense, s.end, s.boxLo, s.boxHi, s.crossings, loop)
}

// polarStage holds the scratch memory and the parameters of the polar generator.
type polarStage struct {
	envs                        int
	knots, samples, points      int32
	radialJitter, angularJitter float32
	scale                       float32
	knot, dense                 exec.Array[kernel.Vec2]
	end                         exec.Array[float32]
	box                         exec.Array[kernel.Vec2]
}

func newPolarStage(m *memory, c Config) loopStage {
	dense := c.NumEnvs * c.PolarNumKnots * c.NumPointsPerSegment
	return &polarStage{
		envs:  c.NumEnvs,
		knots: int32(c.PolarNumKnots), samples: int32(c.NumPointsPerSegment), points: int32(c.NumPoints),
		radialJitter:  float32(*c.PolarRadialJitter),
		angularJitter: float32(*c.PolarAngularJitter),
		scale:         float32(c.Scale),
		knot:          allocate[kernel.Vec2](m, c.NumEnvs*c.PolarNumKnots),
		dense:         allocate[kernel.Vec2](m, dense),
		end:           allocate[float32](m, dense),
		box:           allocate[kernel.Vec2](m, 2*c.NumEnvs),
	}
}

func (s *polarStage) enqueue(lc *exec.LaunchContext, active, seed exec.Array[int32], loop exec.Array[kernel.Vec2]) {
	centerline.Polar(lc, s.envs, active, seed, s.knots, s.samples, s.points, s.radialJitter, s.angularJitter, s.scale,
		s.knot, s.dense, s.end, s.box, loop)
}
