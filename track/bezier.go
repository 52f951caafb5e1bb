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
	BytesPerEnv: func(c Config) int {
		return c.NumPoints*sizeVec2 + c.MaxNumPoints*(2*sizeVec2+3*sizeNumber) +
			c.MaxNumPoints*c.NumPointsPerSegment*(sizeVec2+sizeNumber) + crossingBoxes(c)*2*sizeVec2 + sizeNumber
	},
	LoopIterations: func(c Config) float64 {
		corners := float64(c.MaxNumPoints)
		return 2*resampleIterations(c, corners*float64(c.NumPointsPerSegment)) + crossingIterations(c, 1) + cornerIterations(corners)
	},
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
			centerline.Bezier(lc, envs, centerline.BezierArgs{
				Active: a.active.Array(), Seed: seed, MinCorners: minCorners, MaxCorners: maxCorners, Cells: cells,
				Samples: samples, NumPoints: points, Boxes: boxes,
				CellSize: cellSize, Lean: lean, RadLo: radLo, RadHi: radHi, ScaleLo: scaleLo, ScaleHi: scaleHi,
				ClampLo: clampLo, ClampHi: clampHi,
				Corner: corner, Angle: angle, Cell: cell, Tangent: tangent, Shorter: shorter, Dense: dense,
				End: end, BoxLo: boxLo, BoxHi: boxHi, Crossings: crossings, Loop: loop,
			})
		}, a.err
	})
}
