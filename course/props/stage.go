package props

import (
	"github.com/trackgen-go/trackgen/course/internal/resample"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/resampling"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// Names of the outputs of Stage.
const (
	PositionOutput  = "prop_position"  // [E*P_max] as Columns.Position
	TangentOutput   = "prop_tangent"   // kernel.Vec2 [E*P_max]
	YawOutput       = "prop_yaw"       // float32 [E*P_max]
	LengthOutput    = "prop_length"    // float32 [E*P_max]
	CountOutput     = "prop_count"     // int32 [E]
	TruncatedOutput = "prop_truncated" // int32 [E]
	StepOutput      = "prop_step"      // float32 [E]
)

// Names of inputs of Stage, which are columns of tracks. The line along which props stand has its name in Config.
const (
	countInput = "count"
	validInput = "valid"
)

// Stage returns the stage that places the props of the active envs. It reads the columns count and valid of the tracks,
// and the one that Boundary names. With track.WithStages it belongs to the generations of a generator; a regeneration
// by mask then places the props of the masked envs and changes no other.
//
// Building it returns a *ConfigError for each wrong field of the configuration, whose MaxProps must be given because
// there are no tracks yet, or an error for inputs that are missing or have other lengths.
func Stage(c Config) exec.Stage {
	return pipeline.StageFunc("props", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		if err := c.validate(true); err != nil {
			return nil, err
		}
		if err := resample.CheckRoom(roomField, c.MaxProps, b.Envs()); err != nil {
			return nil, err
		}
		a := allocate.New(b)
		source := Source{Count: allocate.Input[int32](a, countInput), Valid: allocate.Input[int32](a, validInput)}
		line := allocate.Input[kernel.Vec3](a, c.Boundary)
		source.Outer, source.Center, source.Inner = line, line, line
		if a.Err == nil {
			a.Err = source.check("build stage props", b.Device(), b.Envs(), c.Boundary)
		}
		measured := resample.Measure(a, source.along(c.Boundary), c.Spacing, c.MaxProps,
			resample.Outputs{Items: CountOutput, Truncated: TruncatedOutput, Step: StepOutput})
		to := DeviceColumns{
			Position: allocate.Output[kernel.Vec3](a, PositionOutput, c.MaxProps),
			Tangent:  allocate.Output[kernel.Vec2](a, TangentOutput, c.MaxProps),
			Yaw:      allocate.Output[float32](a, YawOutput, c.MaxProps),
			Length:   allocate.Output[float32](a, LengthOutput, c.MaxProps),
		}
		segments := allocate.Bit(c.Mode == Segments)
		return func(lc *exec.LaunchContext) { place(lc, measured, segments, to) }, a.Err
	})
}

// place emits the work on the active envs.
func place(lc *exec.LaunchContext, m *resample.Measured, segments int32, to DeviceColumns) {
	m.Enqueue(lc)
	resampling.Props(lc, m.Envs, resampling.PropsArgs{
		Active: m.Active.Array(), MaxPoints: m.Points, Point: m.Point, Count: m.Count, Arclen: m.Arclen, Step: m.Step,
		Items: m.Items, Room: m.Room, Segments: segments, Position: to.Position, Tangent: to.Tangent, Yaw: to.Yaw,
		Length: to.Length,
	})
}
