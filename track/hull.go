package track

import (
	"math"
	"slices"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/hull"
	"github.com/trackgen-go/trackgen/kernels/spline"
	"github.com/trackgen-go/trackgen/pipeline"
)

var hullSpec = Spec{
	Stage:    hullStage,
	Kernels:  slices.Concat(hull.Defs, spline.Defs),
	Shortest: shortestThroughCorners,
	Stride:   func(c Config) int { return splineStride(c, 2*c.MaxNumPoints) },
}

// hullStage is the stage of the hull generator.
func hullStage(c Config) exec.Stage {
	return pipeline.StageFunc("loop", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := newAllocator(b)
		envs := b.Envs()
		minCorners, maxCorners := int32(c.MinNumPoints), int32(c.MaxNumPoints)
		cells := int32(math.Floor(1 / (2 * c.MinPointDistance)))
		cellSize, displacement, scale := float32(2*c.MinPointDistance), float32(*c.HullDisplacement), float32(c.Scale)

		seed, loop := b.Seed(), output[kernel.Vec2](a, LoopOutput, c.NumPoints)
		corner := perEnv[kernel.Vec2](a, c.MaxNumPoints)
		angle := perEnv[float32](a, c.MaxNumPoints)
		cell := perEnv[int32](a, c.MaxNumPoints)
		count := perEnv[int32](a, 1)
		vertex := perEnv[kernel.Vec2](a, 2*c.MaxNumPoints)
		through := vertexSpline{maxVertices: 2 * c.MaxNumPoints, bothEnds: true}.build(a, c, count, vertex, loop)
		return func(lc *exec.LaunchContext) {
			hull.Vertices(lc, envs, a.active.Array(), seed, minCorners, maxCorners, cells, cellSize, displacement, scale,
				corner, angle, cell, count, vertex)
			through(lc)
		}, a.err
	})
}
