package track

import (
	"math"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

var bezierSpec = Spec{
	Stage:    bezierStage,
	Kernels:  centerline.Defs,
	Shortest: shortestThroughCorners,
	Stride:   func(c Config) int { return c.Corners.MaxCount * c.Spline.SamplesPerSegment },
}

func bezierStage(c Config) exec.Stage {
	return pipeline.StageFunc("loop", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		envs := b.Envs()
		minCorners, maxCorners := int32(c.Corners.MinCount), int32(c.Corners.MaxCount)
		cells := int32(math.Floor(1 / (2 * c.Corners.HalfCellSize)))
		samples, points, boxes := int32(c.Spline.SamplesPerSegment), int32(c.Output.LoopPoints), int32(crossingBoxes(c))
		cellSize := float32(2 * c.Corners.HalfCellSize)
		lean := float32(math.Atan(c.Bezier.Edginess)/math.Pi + 0.5)
		radLo, radHi := c.styleRange(c.Bezier.HandleLengthRange, c.Bezier.HandleLength)
		scaleLo, scaleHi := c.styleRange(c.Bezier.ScaleRange, c.Scale)
		clampLo, clampHi := c.styleRange(c.Bezier.HandleLimitRange, c.Bezier.HandleLimit)

		seed, loop := b.Seed(), allocate.Output[kernel.Vec2](a, LoopOutput, c.Output.LoopPoints)
		corner := allocate.PerEnv[kernel.Vec2](a, c.Corners.MaxCount)
		tangent := allocate.PerEnv[kernel.Vec2](a, c.Corners.MaxCount)
		angle := allocate.PerEnv[float32](a, c.Corners.MaxCount)
		limit := allocate.PerEnv[float32](a, c.Corners.MaxCount)
		cell := allocate.PerEnv[int32](a, c.Corners.MaxCount)
		dense := allocate.PerEnv[kernel.Vec2](a, c.Corners.MaxCount*c.Spline.SamplesPerSegment)
		end := allocate.PerEnv[float32](a, c.Corners.MaxCount*c.Spline.SamplesPerSegment)
		boxLo, boxHi := allocate.PerEnv[kernel.Vec2](a, crossingBoxes(c)), allocate.PerEnv[kernel.Vec2](a, crossingBoxes(c))
		crossings := allocate.PerEnv[int32](a, 1)
		return func(lc *exec.LaunchContext) {
			centerline.Bezier(lc, envs, centerline.BezierArgs{
				Active: a.Active.Array(), Seed: seed, MinCorners: minCorners, MaxCorners: maxCorners, Cells: cells,
				Samples: samples, NumPoints: points, Boxes: boxes,
				CellSize: cellSize, Lean: lean, RadLo: radLo, RadHi: radHi, ScaleLo: scaleLo, ScaleHi: scaleHi,
				ClampLo: clampLo, ClampHi: clampHi,
				Corner: corner, Angle: angle, Cell: cell, Tangent: tangent, Limit: limit, Dense: dense,
				End: end, BoxLo: boxLo, BoxHi: boxHi, Crossings: crossings, Loop: loop,
			})
		}, a.Err
	})
}
