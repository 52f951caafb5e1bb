package gate

import (
	"math"
	"slices"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/gate"
	"github.com/trackgen-go/trackgen/kernels/hull"
	"github.com/trackgen-go/trackgen/kernels/repulsive"
	"github.com/trackgen-go/trackgen/kernels/voronoi"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
	"github.com/trackgen-go/trackgen/track"
)

// The built-in generators of control points (C-32). A generator that track.Register has registered is another one if
// its Spec has ControlPoints.
const (
	Bezier     = track.Bezier     // corner points of a square grid
	Hull       = track.Hull       // the same, from other random streams
	Polar      = track.Polar      // knots on a jittered circle; counter-clockwise as drawn
	Voronoi    = track.Voronoi    // one of many random sites in each sector; counter-clockwise as drawn
	Checkpoint = track.Checkpoint // points around a circle at random distances; counter-clockwise as drawn
	Repulsive  = track.Repulsive  // points at equal distances along a long curve; counter-clockwise as drawn
)

// orderings lists the choices of ordering by the constants of the kernel.
var orderings = []string{gate.Raw: "raw", gate.ByAngle: "ccw", gate.RandomPairs: "random_pairs"}

// Outputs of the stage that draws control points.
const (
	pointsOutput = track.ControlPointsOutput // [E*G_max]
	drawnOutput  = track.ControlCountOutput  // [E] number of control points
)

// source is a generator of control points.
type source struct {
	// stage makes the stage that draws the points. Its output pointsOutput has room elements per env.
	stage   func(c Config, room int) exec.Stage
	kernels []*kernel.Def

	most      func(Config) int // the largest number of points of an env
	mostField string           // the field that sets it
	stride    func(Config) int // elements per env in the longest array of the stage
	orderings []string
	fitted    bool // whether the points are fitted to a box whose longer side is 1.44 scale (C-34)
}

var (
	sorted  = []string{"ccw", "random_pairs"}
	aligned = []string{"ccw", "raw"}
)

var sources = map[string]source{
	Bezier: cornerSource(cornerStreams{
		countSalt: centerline.SaltBezierCount, pointSalt: centerline.SaltBezierCorners,
	}),
	Hull: cornerSource(cornerStreams{
		countSalt: hull.SaltCount, countOffset: hull.SaltOffset, pointSalt: hull.SaltCorners, pointOffset: hull.SaltOffset,
	}),
	Polar: {
		stage: knotStage, kernels: gate.Defs, most: knots, mostField: "polar.knots", stride: knots,
		orderings: aligned, fitted: true,
	},
	Voronoi: {
		stage: siteStage, kernels: voronoi.Defs, mostField: "voronoi.control_points",
		most:      func(c Config) int { return c.Voronoi.ControlPoints },
		stride:    func(c Config) int { return c.Voronoi.Sites },
		orderings: aligned, fitted: true,
	},
	Checkpoint: {
		stage: ringStage, kernels: gate.Defs, mostField: "checkpoint.count",
		most:      func(c Config) int { return c.Checkpoint.Count },
		stride:    func(c Config) int { return c.Checkpoint.Count },
		orderings: aligned, fitted: true,
	},
	Repulsive: {
		stage: curveStage, kernels: slices.Concat(gate.Defs, repulsive.Defs), mostField: "repulsive.max_count",
		most:      func(c Config) int { return c.Repulsive.MaxCount },
		stride:    curveStride,
		orderings: orderings, fitted: true,
	},
}

// Generators lists the names that Config.Generator accepts, beside Mixed: first the built-in ones, then the registered
// ones in order of registration.
func Generators() []string {
	names := []string{Bezier, Hull, Polar, Voronoi, Checkpoint, Repulsive}
	for _, name := range track.Generators() {
		if spec, ok := track.SpecNamed(name); ok && spec.ControlPoints != nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// source returns the generator of the control points. The generator of c is valid, and not Mixed.
func (c Config) source() source {
	if s, ok := sources[c.Generator]; ok {
		return s
	}
	spec, _ := track.SpecNamed(c.Generator)
	points := spec.ControlPoints
	most := func(c Config) int { return points.Most(c.trackConfig()) }
	return source{
		stage:   func(c Config, room int) exec.Stage { return points.Stage(c.trackConfig(), room) },
		kernels: points.Kernels, most: most, mostField: "of the registered generator", stride: most,
		orderings: orderings,
	}
}

// trackConfig returns the default configuration of tracks with the settings that gate courses have too.
func (c Config) trackConfig() track.Config {
	t := track.DefaultConfig()
	t.NumEnvs, t.Generator, t.Scale = c.NumEnvs, c.Generator, c.Scale
	t.Corners, t.Polar, t.Voronoi = track.CornersConfig(c.Corners), track.PolarConfig(c.Polar),
		track.VoronoiConfig(c.Voronoi)
	t.Checkpoint.Count, t.Checkpoint.MinRadius = c.Checkpoint.Count, c.Checkpoint.MinRadius
	t.Checkpoint.AngularJitter = c.Checkpoint.AngularJitter
	c.setCurve(&t)
	return t
}

// pointOutputs allocates the outputs of a stage that draws control points.
func pointOutputs(a *allocate.Allocator, room int) (count exec.Array[int32], point exec.Array[kernel.Vec2]) {
	return allocate.Output[int32](a, drawnOutput, 1), allocate.Output[kernel.Vec2](a, pointsOutput, room)
}

// cornerStreams are the random streams of corner points (C-32).
type cornerStreams struct{ countSalt, countOffset, pointSalt, pointOffset int32 }

// cornerSource is a generator of corner points.
func cornerSource(streams cornerStreams) source {
	most := func(c Config) int { return c.Corners.MaxCount }
	return source{
		stage:   func(c Config, room int) exec.Stage { return cornerStage(c, streams, room) },
		kernels: gate.Defs, most: most, mostField: "corners.max_count", stride: most, orderings: sorted,
	}
}

func cornerStage(c Config, streams cornerStreams, room int) exec.Stage {
	return pipeline.StageFunc("points", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		envs, seed := b.Envs(), b.Seed()
		low, high := int32(c.Corners.MinCount), int32(c.Corners.MaxCount)
		cells, cellSize := int32(math.Floor(1/(2*c.Corners.HalfCellSize))), float32(2*c.Corners.HalfCellSize)
		cell := allocate.PerEnv[int32](a, room)
		count, point := pointOutputs(a, room)
		return func(lc *exec.LaunchContext) {
			gate.Corners(lc, envs, gate.CornersArgs{
				Active: a.Active.Array(), Seed: seed, CountSalt: streams.countSalt, CountOffset: streams.countOffset,
				PointSalt: streams.pointSalt, PointOffset: streams.pointOffset, MinCorners: low, MaxCorners: high,
				Cells: cells, Stride: int32(room), CellSize: cellSize, Scale: float32(c.Scale),
				Cell: cell, Count: count, Point: point,
			})
		}, a.Err
	})
}

func knots(c Config) int { return max(centerline.MinKnots, c.Polar.Knots) }

func knotStage(c Config, room int) exec.Stage {
	return pipeline.StageFunc("points", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		envs, seed := b.Envs(), b.Seed()
		count, point := pointOutputs(a, room)
		return func(lc *exec.LaunchContext) {
			gate.Knots(lc, envs, gate.KnotsArgs{
				Active: a.Active.Array(), Seed: seed, N: int32(knots(c)), Stride: int32(room),
				RadialJitter:  float32(min(c.Polar.RadialJitter, centerline.MaxRadialJitter)),
				AngularJitter: float32(min(c.Polar.AngularJitter, centerline.MaxAngularJitter)), Count: count, Point: point,
			})
		}, a.Err
	})
}

func ringStage(c Config, room int) exec.Stage {
	return pipeline.StageFunc("points", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		envs, seed := b.Envs(), b.Seed()
		count, point := pointOutputs(a, room)
		return func(lc *exec.LaunchContext) {
			gate.Ring(lc, envs, gate.RingArgs{
				Active: a.Active.Array(), Seed: seed, N: int32(c.Checkpoint.Count), Stride: int32(room),
				MinRadius: float32(c.Checkpoint.MinRadius), AngleJitter: float32(c.Checkpoint.AngularJitter),
				Count: count, Point: point,
			})
		}, a.Err
	})
}

func siteStage(c Config, room int) exec.Stage {
	return pipeline.StageFunc("points", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		envs, seed := b.Envs(), b.Seed()
		layout := int32(slices.Index(voronoi.LayoutNames, c.Voronoi.Layout))
		sites, anchors := c.Voronoi.Sites, c.Voronoi.ControlPoints
		state := allocate.PerEnv[uint32](a, sites)
		siteRadius, nearest := allocate.PerEnv[float32](a, sites), allocate.PerEnv[int32](a, anchors)
		siteTurn, order := allocate.PerEnv[int32](a, sites), allocate.PerEnv[int32](a, sites)
		anchor := allocate.PerEnv[kernel.Vec2](a, anchors)
		angle, radius := allocate.PerEnv[float32](a, anchors), allocate.PerEnv[float32](a, anchors)
		count, point := pointOutputs(a, room)
		return func(lc *exec.LaunchContext) {
			voronoi.Vertices(lc, envs, voronoi.VerticesArgs{
				Active: a.Active.Array(), Seed: seed, Layout: layout, Sites: int32(sites), Anchors: int32(anchors),
				Cut: 1, Stride: int32(room), Swing: voronoi.Amplitude(layout, float32(c.Voronoi.RadialVariation)),
				AngularJitter: float32(c.Voronoi.AngularJitter), State: state, SiteRadius: siteRadius,
				SiteTurn: siteTurn, Order: order, NearestSite: nearest, Anchor: anchor, AnchorAngle: angle, AnchorRadius: radius,
				Count: count, Vertex: point,
			})
		}, a.Err
	})
}
