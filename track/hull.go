package track

import (
	"math"
	"slices"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/hull"
	"github.com/trackgen-go/trackgen/kernels/spline"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

var hullSpec = Spec{
	Stage:    hullStage,
	Kernels:  slices.Concat(hull.Defs, spline.Defs),
	Shortest: shortestThroughCorners,
	Stride:   func(c Config) int { return splineStride(c, 2*c.Corners.MaxCount) },
}

func hullStage(c Config) exec.Stage {
	return pipeline.StageFunc("loop", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		envs := b.Envs()
		minCorners, maxCorners := int32(c.Corners.MinCount), int32(c.Corners.MaxCount)
		cells := int32(math.Floor(1 / (2 * c.Corners.HalfCellSize)))
		cellSize := float32(2 * c.Corners.HalfCellSize)
		displacement, scale := float32(c.Hull.Displacement), float32(c.Scale)

		seed, loop := b.Seed(), allocate.Output[kernel.Vec2](a, LoopOutput, c.Output.LoopPoints)
		corner := allocate.PerEnv[kernel.Vec2](a, c.Corners.MaxCount)
		angle := allocate.PerEnv[float32](a, c.Corners.MaxCount)
		cell := allocate.PerEnv[int32](a, c.Corners.MaxCount)
		count := allocate.PerEnv[int32](a, 1)
		vertex := allocate.PerEnv[kernel.Vec2](a, 2*c.Corners.MaxCount)
		through := vertexSpline{maxVertices: 2 * c.Corners.MaxCount, bothEnds: true}.build(a, c, count, vertex, loop)
		return func(lc *exec.LaunchContext) {
			hull.Vertices(lc, envs, hull.VerticesArgs{
				Active: a.Active.Array(), Seed: seed, MinCorners: minCorners, MaxCorners: maxCorners, Cells: cells,
				CellSize: cellSize, Displacement: displacement, Scale: scale,
				Corner: corner, Angle: angle, Cell: cell, Count: count, Vertex: vertex,
			})
			through(lc)
		}, a.Err
	})
}
