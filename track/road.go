package track

import (
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/inflation"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
)

// spaceStage puts the points of a loop at constant distance.
type spaceStage struct {
	envs              int
	points, maxPoints int32
	spacing           float32
	end               exec.Array[float32]
	spaced            exec.Array[kernel.Vec2] // [E*N_max]
	needed            exec.Array[int32]       // [E] points that each loop asks for
	truncated         exec.Array[int32]       // [1] envs where N_max was too small
}

func newSpaceStage(m *memory, c Config, truncated exec.Array[int32]) *spaceStage {
	return &spaceStage{
		envs: c.NumEnvs, points: int32(c.NumPoints), maxPoints: int32(c.NMax), spacing: float32(c.Spacing),
		end:       allocate[float32](m, c.NumEnvs*c.NumPoints),
		spaced:    allocate[kernel.Vec2](m, c.NumEnvs*c.NMax),
		needed:    allocate[int32](m, c.NumEnvs),
		truncated: truncated,
	}
}

func (s *spaceStage) enqueue(lc *exec.LaunchContext, active exec.Array[int32], loop exec.Array[kernel.Vec2], count exec.Array[int32]) {
	centerline.Space(lc, s.envs, active, s.points, s.maxPoints, s.spacing, loop, s.end, s.spaced, count, s.needed, s.truncated)
}

// relaxStage pushes the spaced loop apart.
type relaxStage struct {
	envs                                int
	stride                              int32
	halfWidth, target, reach, minRadius float32
	band, sweeps, refresh, slots        int32
	firstAccelerated                    int32
	smoothPasses, spacingSweeps         int32
	separation, spacing, bend, gamma    float32
	omega                               exec.Array[float32]     // [sweeps]
	relaxed                             exec.Array[kernel.Vec2] // [E*N_max]
	dropped                             exec.Array[int32]       // [1] beads with more close beads than slots
	large                               bool
	x, pull, boxLo, boxHi               exec.Array[kernel.Vec2] // large only, as the three below
	edge                                exec.Array[float32]
	closeBeads, closeCount              exec.Array[int32]
}

func newRelaxStage(m *memory, c Config, dropped exec.Array[int32]) *relaxStage {
	target := 2 * c.HalfWidth * (1 + *c.RelaxMargin)
	s := &relaxStage{
		envs: c.NumEnvs, stride: int32(c.NMax),
		halfWidth: float32(c.HalfWidth),
		target:    float32(target),
		reach:     float32(target * (1 + *c.RelaxSepCacheSkin)),
		minRadius: float32(c.HalfWidth * (1 + *c.RelaxMargin)),
		band:      int32(c.RelaxBand), sweeps: int32(c.RelaxIters), refresh: int32(c.RelaxSepEvery), slots: int32(*c.RelaxSepCacheSlots),
		firstAccelerated: int32(c.RelaxChebyStart),
		smoothPasses:     int32(*c.RelaxSmoothPasses), spacingSweeps: int32(*c.RelaxSmoothSpacingIters),
		separation: float32(*c.RelaxSepRelax), spacing: float32(*c.RelaxSpcRelax), bend: float32(*c.RelaxBendRelax),
		gamma:   float32(c.RelaxChebyGamma),
		omega:   allocate[float32](m, c.RelaxIters),
		relaxed: allocate[kernel.Vec2](m, c.NumEnvs*c.NMax),
		dropped: dropped,
		large:   c.relaxesLarge(),
	}
	if c.RelaxAccel == "none" {
		s.firstAccelerated = s.sweeps
	}
	if m.err == nil {
		m.err = s.omega.Write(chebyshevWeights(c.RelaxIters, int(s.firstAccelerated), *c.RelaxChebyRho))
	}
	if s.large {
		points := c.NumEnvs * c.NMax
		boxes := c.NumEnvs * relaxBoxes(c)
		s.x = allocate[kernel.Vec2](m, 2*points)
		s.pull = allocate[kernel.Vec2](m, points)
		s.edge = allocate[float32](m, points)
		s.closeBeads = allocate[int32](m, points*int(s.slots))
		s.closeCount = allocate[int32](m, points)
		s.boxLo = allocate[kernel.Vec2](m, boxes)
		s.boxHi = allocate[kernel.Vec2](m, boxes)
	}
	return s
}

// relaxesLarge reports whether the loops are too long for the relaxation in shared memory.
func (c Config) relaxesLarge() bool {
	return c.NMax > relaxation.MaxPoints || *c.RelaxSepCacheSlots > relaxation.MaxSlots
}

func relaxBoxes(c Config) int { return (c.NMax + relaxation.BlockSize - 1) / relaxation.BlockSize }

// chebyshevWeights returns the weight of each sweep: 1 at the first accelerated one, then 2/(2-rho^2), then
// 4/(4-rho^2*previous) (PIPELINE.md section 6; Wang, "A Chebyshev Semi-Iterative Approach", 2015).
func chebyshevWeights(sweeps, first int, rho float64) []float32 {
	weights := make([]float32, sweeps)
	previous := 1.0
	for k := first; k < sweeps; k++ {
		switch k - first {
		case 0:
			previous = 1
		case 1:
			previous = 2 / (2 - rho*rho)
		default:
			previous = 4 / (4 - rho*rho*previous)
		}
		weights[k] = float32(previous)
	}
	return weights
}

func (s *relaxStage) enqueue(lc *exec.LaunchContext, active exec.Array[int32], point exec.Array[kernel.Vec2], count exec.Array[int32]) {
	if s.large {
		relaxation.RelaxLarge(lc, s.envs, active, s.stride, point, count, s.halfWidth, s.target, s.reach, s.minRadius,
			s.band, s.sweeps, s.refresh, s.slots, s.firstAccelerated, s.smoothPasses, s.spacingSweeps,
			s.separation, s.spacing, s.bend, s.gamma, s.omega,
			s.x, s.pull, s.edge, s.closeBeads, s.closeCount, s.boxLo, s.boxHi, s.relaxed, s.dropped)
		return
	}
	relaxation.Relax(lc, s.envs, active, s.stride, point, count, s.halfWidth, s.target, s.reach, s.minRadius,
		s.band, s.sweeps, s.refresh, s.slots, s.firstAccelerated, s.smoothPasses, s.spacingSweeps,
		s.separation, s.spacing, s.bend, s.gamma, s.omega, s.relaxed, s.dropped)
}

// roadStage builds the road around a relaxed loop and tests it.
type roadStage struct {
	envs                                      int
	maxPoints                                 int32
	halfWidth, zBase                          float32
	minHalfWidth, turningTolerance, thickness float32
	band, checkBorders                        int32
	end, turn, bent, gap                      exec.Array[float32]
	loop                                      exec.Array[kernel.Vec2]
	crossed                                   exec.Array[int32]
}

func newRoadStage(m *memory, c Config) *roadStage {
	points := c.NumEnvs * c.NMax
	s := &roadStage{
		envs: c.NumEnvs, maxPoints: int32(c.NMax),
		halfWidth: float32(c.HalfWidth), zBase: float32(c.ZBase),
		minHalfWidth:     float32(*c.WFloor),
		turningTolerance: float32(c.TurningTol),
		thickness:        float32((1 - *c.RelaxTol) * c.HalfWidth),
		band:             int32(c.RelaxBand),
		end:              allocate[float32](m, points),
		turn:             allocate[float32](m, points),
		bent:             allocate[float32](m, points),
		gap:              allocate[float32](m, points),
		loop:             allocate[kernel.Vec2](m, points),
		crossed:          allocate[int32](m, points),
	}
	if c.ValidityBorderCheck {
		s.checkBorders = 1
	}
	return s
}

func (s *roadStage) enqueue(lc *exec.LaunchContext, active exec.Array[int32], point exec.Array[kernel.Vec2], needed exec.Array[int32], t *Track) {
	inflation.Inflate(lc, s.envs, active, s.maxPoints, s.halfWidth, s.zBase, point, t.Count, s.end, s.loop,
		t.Outer, t.Center, t.Inner, t.Tangent, t.Normal, t.Arclen, t.Length, t.Winding)
	inflation.Validate(lc, s.envs, active, s.maxPoints, s.halfWidth, s.minHalfWidth, s.turningTolerance, s.thickness,
		s.band, s.checkBorders, s.loop, t.Outer, t.Inner, t.Length, t.Count, needed,
		s.turn, s.bent, s.gap, s.crossed, t.Reason, t.Valid)
}
