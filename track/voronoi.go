package track

import (
	"slices"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/spline"
	"github.com/trackgen-go/trackgen/kernels/voronoi"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

var voronoiSpec = Spec{
	Stage:    voronoiStage,
	Kernels:  slices.Concat(voronoi.Defs, spline.Defs),
	Shortest: shortestFitted,
	Stride:   func(c Config) int { return max(splineStride(c, 2*c.Voronoi.ControlPoints), c.Voronoi.Sites) },
}

func voronoiStage(c Config) exec.Stage {
	return pipeline.StageFunc("loop", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		envs := b.Envs()
		layout := int32(slices.Index(voronoi.LayoutNames, c.Voronoi.Layout))
		sites, anchors := int32(c.Voronoi.Sites), int32(c.Voronoi.ControlPoints)
		swing := voronoi.Amplitude(layout, float32(c.Voronoi.RadialVariation))
		angularJitter := float32(c.Voronoi.AngularJitter)

		seed, loop := b.Seed(), allocate.Output[kernel.Vec2](a, LoopOutput, c.Output.LoopPoints)
		state := allocate.PerEnv[uint32](a, c.Voronoi.Sites)
		siteRadius := allocate.PerEnv[float32](a, c.Voronoi.Sites)
		siteTurn, order := allocate.PerEnv[int32](a, c.Voronoi.Sites), allocate.PerEnv[int32](a, c.Voronoi.Sites)
		anchor := allocate.PerEnv[kernel.Vec2](a, c.Voronoi.ControlPoints)
		anchorAngle := allocate.PerEnv[float32](a, c.Voronoi.ControlPoints)
		anchorRadius := allocate.PerEnv[float32](a, c.Voronoi.ControlPoints)
		nearest := allocate.PerEnv[int32](a, c.Voronoi.ControlPoints)
		count := allocate.PerEnv[int32](a, 1)
		vertex := allocate.PerEnv[kernel.Vec2](a, 2*c.Voronoi.ControlPoints)
		spline := vertexSpline{maxVertices: 2 * c.Voronoi.ControlPoints, scale: c.Scale}
		through := spline.build(a, c, count, vertex, loop)
		return func(lc *exec.LaunchContext) {
			voronoi.Vertices(lc, envs, voronoi.VerticesArgs{
				Active: a.Active.Array(), Seed: seed, Layout: layout, Sites: sites, Anchors: anchors, Cut: 2,
				Stride: 2 * anchors,
				Swing:  swing, AngularJitter: angularJitter,
				State: state, SiteRadius: siteRadius, SiteTurn: siteTurn, Order: order,
				Anchor:      anchor,
				AnchorAngle: anchorAngle, AnchorRadius: anchorRadius, NearestSite: nearest, Count: count, Vertex: vertex,
			})
			through(lc)
		}, a.Err
	})
}
