package raceline

import (
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/raceline"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// Names of the outputs of Stage, which are the columns of Schema.
const (
	CenterOutput    = "raceline_center"
	TangentOutput   = "raceline_tangent"
	OffsetOutput    = "raceline_offset"
	CurvatureOutput = "raceline_curvature"
	ArclenOutput    = "raceline_arclen"
	SpeedOutput     = "raceline_speed"
	LengthOutput    = "raceline_length"
	LapTimeOutput   = "raceline_lap_time"
	ValidOutput     = "raceline_valid"
	CountOutput     = "raceline_count"
)

// Names of the inputs of Stage.
const (
	centerInput     = "center"
	normalInput     = "normal"
	widthRightInput = "width_right"
	widthLeftInput  = "width_left"
	countInput      = "count"
)

// Stage returns the stage that finds the racing lines of the active envs. It reads the columns center, normal,
// width_right, width_left and count of tracks, and its outputs have the names of the columns of Schema. With
// track.WithStages it belongs to the generations of a generator; a regeneration by mask then finds the lines of the
// masked envs and changes no others.
//
// Building it returns a *ConfigError for each wrong field of the configuration, or an error for inputs that are missing
// or have other lengths.
func Stage(c Config) exec.Stage {
	return pipeline.StageFunc("raceline", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		if err := c.Validate(); err != nil {
			return nil, err
		}
		if err := b.Device().Load(raceline.Defs...); err != nil {
			return nil, err
		}
		a := allocate.New(b)
		source := Source{
			Center: allocate.Input[kernel.Vec3](a, centerInput), Normal: allocate.Input[kernel.Vec3](a, normalInput),
			WidthRight: allocate.Input[float32](a, widthRightInput), WidthLeft: allocate.Input[float32](a, widthLeftInput),
			Count: allocate.Input[int32](a, countInput),
		}
		if a.Err != nil {
			return nil, a.Err
		}
		if err := source.check("build stage raceline", b.Device(), b.Envs()); err != nil {
			return nil, err
		}
		w := &work{config: c, envs: b.Envs(), points: source.Center.Len() / b.Envs(), source: source}
		w.allocate(a)
		return func(lc *exec.LaunchContext) { w.enqueue(lc, a.Active.Array()) }, a.Err
	})
}

// work is what a stage launches on.
type work struct {
	config       Config
	envs, points int
	source       Source
	out          DeviceColumns

	bound, right               exec.Array[kernel.Vec2]
	slack, pivot, next, before exec.Array[kernel.Quat]
}

// allocate requests the columns of the lines, and scratch.
func (w *work) allocate(a *allocate.Allocator) {
	n := w.points
	w.out = DeviceColumns{
		Center:    allocate.Output[kernel.Vec3](a, CenterOutput, n),
		Tangent:   allocate.Output[kernel.Vec3](a, TangentOutput, n),
		Offset:    allocate.Output[float32](a, OffsetOutput, n),
		Curvature: allocate.Output[float32](a, CurvatureOutput, n),
		Arclen:    allocate.Output[float32](a, ArclenOutput, n),
		Speed:     allocate.Output[float32](a, SpeedOutput, n),
		Length:    allocate.Output[float32](a, LengthOutput, 1),
		LapTime:   allocate.Output[float32](a, LapTimeOutput, 1),
		Valid:     allocate.Output[int32](a, ValidOutput, 1),
		Count:     allocate.Output[int32](a, CountOutput, 1),
	}
	w.bound, w.right = allocate.PerEnv[kernel.Vec2](a, n), allocate.PerEnv[kernel.Vec2](a, n)
	w.slack, w.pivot = allocate.PerEnv[kernel.Quat](a, n), allocate.PerEnv[kernel.Quat](a, n)
	w.next, w.before = allocate.PerEnv[kernel.Quat](a, n), allocate.PerEnv[kernel.Quat](a, n)
}

// enqueue emits the launches for a list of envs.
func (w *work) enqueue(lc *exec.LaunchContext, active exec.Array[int32]) {
	c, s, out, points := w.config, w.source, w.out, int32(w.points)
	raceline.Optimise(lc, w.envs, raceline.OptimiseArgs{
		Active: active, MaxPoints: points, Rounds: int32(c.Rounds), Clearance: c.clearance(),
		Center: s.Center, Normal: s.Normal, WidthRight: s.WidthRight, WidthLeft: s.WidthLeft, Count: s.Count,
		Bound: w.bound, Slack: w.slack, Pivot: w.pivot, Right: w.right, Next: w.next, Before: w.before,
		Offset: out.Offset,
	})
	raceline.Draw(lc, w.envs, raceline.DrawArgs{
		Active: active, MaxPoints: points, Center: s.Center, Normal: s.Normal, Offset: out.Offset, Count: s.Count,
		Points: out.Center, Tangent: out.Tangent, Curvature: out.Curvature, Arclen: out.Arclen, Length: out.Length,
		LineCount: out.Count, Valid: out.Valid,
	})
	raceline.Profile(lc, w.envs, raceline.ProfileArgs{
		Active: active, MaxPoints: points, Lateral: float32(c.LateralAcceleration),
		Acceleration: float32(c.Acceleration), Braking: float32(c.Braking), MaxSpeed: float32(c.MaxSpeed),
		Power: float32(c.Power), Bends: out.Curvature, Arclen: out.Arclen, Length: out.Length, Count: out.Count,
		Fastest: out.Speed,
	})
	raceline.Lap(lc, w.envs, raceline.LapArgs{
		Active: active, MaxPoints: points, Arclen: out.Arclen, Length: out.Length, Count: out.Count, Fastest: out.Speed,
		LapTime: out.LapTime,
	})
}
