package track

import (
	"math"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/hull"
	"github.com/trackgen-go/trackgen/pipeline"
)

var hullSpec = Spec{
	Stage:    hullStage,
	Kernels:  hull.Defs,
	Shortest: shortestThroughCorners,
	Stride:   func(c Config) int { return 2 * c.MaxNumPoints * c.NumPointsPerSegment },
	BytesPerEnv: func(c Config) int {
		return c.NumPoints*sizeVec2 + c.MaxNumPoints*(3*sizeVec2+2*sizeNumber) +
			2*c.MaxNumPoints*c.NumPointsPerSegment*(sizeVec2+sizeNumber) + crossingBoxes(c)*2*sizeVec2 + sizeNumber
	},
	LoopIterations: func(c Config) float64 {
		corners := float64(c.MaxNumPoints)
		return 2*resampleIterations(c, 2*corners*float64(c.NumPointsPerSegment)) + crossingIterations(c) + cornerIterations(corners) +
			2*corners
	},
}

// hullStage is the stage of the hull generator.
func hullStage(c Config) exec.Stage {
	return pipeline.StageFunc("loop", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := newAllocator(b)
		envs := b.Envs()
		minCorners, maxCorners := int32(c.MinNumPoints), int32(c.MaxNumPoints)
		cells := int32(math.Floor(1 / (2 * c.MinPointDistance)))
		samples, points, boxes := int32(c.NumPointsPerSegment), int32(c.NumPoints), int32(crossingBoxes(c))
		cellSize, displacement, scale := float32(2*c.MinPointDistance), float32(*c.HullDisplacement), float32(c.Scale)

		seed, loop := b.Seed(), output[kernel.Vec2](a, LoopOutput, c.NumPoints)
		corner := perEnv[kernel.Vec2](a, c.MaxNumPoints)
		angle := perEnv[float32](a, c.MaxNumPoints)
		cell := perEnv[int32](a, c.MaxNumPoints)
		vertex := perEnv[kernel.Vec2](a, 2*c.MaxNumPoints)
		dense := perEnv[kernel.Vec2](a, 2*c.MaxNumPoints*c.NumPointsPerSegment)
		end := perEnv[float32](a, 2*c.MaxNumPoints*c.NumPointsPerSegment)
		boxLo, boxHi := perEnv[kernel.Vec2](a, crossingBoxes(c)), perEnv[kernel.Vec2](a, crossingBoxes(c))
		crossings := perEnv[int32](a, 1)
		return func(lc *exec.LaunchContext) {
			hull.Hull(lc, envs, a.active.Array(), seed, minCorners, maxCorners, cells, samples, points, boxes,
				cellSize, displacement, scale, corner, angle, cell, vertex, dense, end, boxLo, boxHi, crossings, loop)
		}, a.err
	})
}
