package track

import (
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/spline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// vertexSpline is the second launch of generators that draw a closed spline through vertices.
type vertexSpline struct {
	maxVertices int     // maximum number of vertices of an env
	bothEnds    bool    // whether the samples of a segment include both of its ends
	scale       float64 // loops are fitted to a box whose longer side is 1.44 scale; 0 leaves them as they are
}

// build allocates the memory of the launch and returns the function that emits it. count and vertex are its inputs,
// loop is its output.
func (s vertexSpline) build(a *allocate.Allocator, c Config, count exec.Array[int32], vertex,
	loop exec.Array[kernel.Vec2]) exec.Enqueue {
	envs, maxVertices, samples := a.Envs(), int32(s.maxVertices), int32(c.Spline.SamplesPerSegment)
	points, boxes, scale := int32(c.Output.LoopPoints), int32(crossingBoxes(c)), float32(s.scale)
	bothEnds := allocate.Bit(s.bothEnds)
	dense := allocate.PerEnv[kernel.Vec2](a, s.maxVertices*c.Spline.SamplesPerSegment)
	end := allocate.PerEnv[float32](a, s.maxVertices*c.Spline.SamplesPerSegment)
	boxLo, boxHi := allocate.PerEnv[kernel.Vec2](a, crossingBoxes(c)), allocate.PerEnv[kernel.Vec2](a, crossingBoxes(c))
	crossings := allocate.PerEnv[int32](a, 1)
	return func(lc *exec.LaunchContext) {
		spline.Through(lc, envs, spline.ThroughArgs{
			Active: a.Active.Array(), Count: count, MaxVertices: maxVertices, Samples: samples, BothEnds: bothEnds,
			NumPoints: points, Boxes: boxes, Scale: scale,
			Vertex: vertex, Dense: dense, End: end, BoxLo: boxLo, BoxHi: boxHi, Crossings: crossings, Loop: loop,
		})
	}
}

// splineStride returns the number of elements per env in the longest array of a vertexSpline.
func splineStride(c Config, maxVertices int) int { return maxVertices * c.Spline.SamplesPerSegment }
