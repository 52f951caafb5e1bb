package track

import (
	"slices"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/spline"
	"github.com/trackgen-go/trackgen/kernels/voronoi"
	"github.com/trackgen-go/trackgen/pipeline"
)

var voronoiSpec = Spec{
	Stage:    voronoiStage,
	Kernels:  slices.Concat(voronoi.Defs, spline.Defs),
	Shortest: shortestFitted,
	Stride:   func(c Config) int { return max(splineStride(c, 2*c.VoronoiControlPoints), c.VoronoiNumSites) },
}

// voronoiLayouts are the choices of voronoi_layout, in the order of the kernel's constants.
var voronoiLayouts = []string{voronoi.Ring: "ring", voronoi.VoidRing: "void_ring", voronoi.Clustered: "clustered", voronoi.Mixed: "mixed"}

// voronoiStage is the stage of the voronoi generator.
func voronoiStage(c Config) exec.Stage {
	return pipeline.StageFunc("loop", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := newAllocator(b)
		envs := b.Envs()
		layout := int32(slices.Index(voronoiLayouts, c.VoronoiLayout))
		sites, anchors := int32(c.VoronoiNumSites), int32(c.VoronoiControlPoints)
		radialVariation, angularJitter := float32(*c.VoronoiRadialVariation), float32(*c.VoronoiAngularJitter)

		seed, loop := b.Seed(), output[kernel.Vec2](a, LoopOutput, c.NumPoints)
		state := perEnv[uint32](a, c.VoronoiNumSites)
		site := perEnv[kernel.Vec2](a, c.VoronoiNumSites)
		siteAngle, siteRadius := perEnv[float32](a, c.VoronoiNumSites), perEnv[float32](a, c.VoronoiNumSites)
		anchor := perEnv[kernel.Vec2](a, c.VoronoiControlPoints)
		anchorAngle, anchorRadius := perEnv[float32](a, c.VoronoiControlPoints), perEnv[float32](a, c.VoronoiControlPoints)
		count := perEnv[int32](a, 1)
		vertex := perEnv[kernel.Vec2](a, 2*c.VoronoiControlPoints)
		through := vertexSpline{maxVertices: 2 * c.VoronoiControlPoints, scale: c.Scale}.build(a, c, count, vertex, loop)
		return func(lc *exec.LaunchContext) {
			voronoi.Vertices(lc, envs, a.active.Array(), seed, layout, sites, anchors, radialVariation, angularJitter,
				state, site, siteAngle, siteRadius, anchor, anchorAngle, anchorRadius, count, vertex)
			through(lc)
		}, a.err
	})
}
