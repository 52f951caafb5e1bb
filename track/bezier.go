package track

import (
	"math"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/pipeline"
)

var bezierSpec = Spec{
	Stage:    bezierStage,
	Kernels:  centerline.Defs,
	Shortest: shortestThroughCorners,
	Stride:   func(c Config) int { return c.MaxNumPoints * c.NumPointsPerSegment },
}

// bezierStage is the stage of the bezier generator.
func bezierStage(c Config) exec.Stage {
	return pipeline.StageFunc("loop", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := newAllocator(b)
		envs := b.Envs()
		minCorners, maxCorners := int32(c.MinNumPoints), int32(c.MaxNumPoints)
		cells := int32(math.Floor(1 / (2 * c.MinPointDistance)))
		samples, points, boxes := int32(c.NumPointsPerSegment), int32(c.NumPoints), int32(crossingBoxes(c))
		cellSize := float32(2 * c.MinPointDistance)
		lean := float32(math.Atan(c.Edgy)/math.Pi + 0.5)
		radLo, radHi := c.styleRange(c.RadRange, *c.Rad)
		scaleLo, scaleHi := c.styleRange(c.ScaleRange, c.Scale)
		clampLo, clampHi := c.styleRange(c.HandleClampFracRange, *c.HandleClampFrac)

		seed, loop := b.Seed(), output[kernel.Vec2](a, LoopOutput, c.NumPoints)
		corner := perEnv[kernel.Vec2](a, c.MaxNumPoints)
		tangent := perEnv[kernel.Vec2](a, c.MaxNumPoints)
		angle := perEnv[float32](a, c.MaxNumPoints)
		shorter := perEnv[float32](a, c.MaxNumPoints)
		cell := perEnv[int32](a, c.MaxNumPoints)
		dense := perEnv[kernel.Vec2](a, c.MaxNumPoints*c.NumPointsPerSegment)
		end := perEnv[float32](a, c.MaxNumPoints*c.NumPointsPerSegment)
		boxLo, boxHi := perEnv[kernel.Vec2](a, crossingBoxes(c)), perEnv[kernel.Vec2](a, crossingBoxes(c))
		crossings := perEnv[int32](a, 1)
		return func(lc *exec.LaunchContext) {
			centerline.Bezier(lc, envs, a.active.Array(), seed, minCorners, maxCorners, cells, samples, points, boxes,
				cellSize, lean, radLo, radHi, scaleLo, scaleHi, clampLo, clampHi,
				corner, angle, cell, tangent, shorter, dense, end, boxLo, boxHi, crossings, loop)
		}, a.err
	})
}
