package checkpoints

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
	PositionOutput  = "checkpoint_position"  // [E*C_max] as Columns.Position
	LeftOutput      = "checkpoint_left"      // [E*C_max]
	RightOutput     = "checkpoint_right"     // [E*C_max]
	ForwardOutput   = "checkpoint_forward"   // [E*C_max]
	UpHalfOutput    = "checkpoint_up_half"   // float32 [E*C_max]
	CountOutput     = "checkpoint_count"     // int32 [E]
	TruncatedOutput = "checkpoint_truncated" // int32 [E] as Sampler.Truncated
	StepOutput      = "checkpoint_step"      // float32 [E] as Sampler.Step
)

// Names of the inputs of Stage, which are columns of tracks.
const (
	outerInput  = "outer"
	centerInput = "center"
	innerInput  = "inner"
	countInput  = "count"
	validInput  = "valid"
)

// Stage returns the stage that places the checkpoints of the active envs. It reads the columns outer, center, inner,
// count and valid of the tracks. With track.WithStages it belongs to the generations of a generator; a regeneration by
// mask then places the checkpoints of the masked envs and changes no other.
//
// Building it returns a *ConfigError for each wrong field of the configuration, whose MaxCheckpoints must be given
// because there are no tracks yet, or an error for inputs that are missing or have other lengths.
func Stage(c Config) exec.Stage {
	return pipeline.StageFunc("checkpoints", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		if err := c.validate(true); err != nil {
			return nil, err
		}
		if err := resample.CheckRoom(roomField, c.MaxCheckpoints, b.Envs()); err != nil {
			return nil, err
		}
		a := allocate.New(b)
		source := Source{
			Outer: allocate.Input[kernel.Vec3](a, outerInput), Center: allocate.Input[kernel.Vec3](a, centerInput),
			Inner: allocate.Input[kernel.Vec3](a, innerInput), Count: allocate.Input[int32](a, countInput),
			Valid: allocate.Input[int32](a, validInput),
		}
		if a.Err == nil {
			a.Err = source.check("build stage checkpoints", b.Device(), b.Envs())
		}
		measured := resample.Measure(a, source.line(), c.Spacing, c.MaxCheckpoints,
			resample.Outputs{Items: CountOutput, Truncated: TruncatedOutput, Step: StepOutput})
		to := setOn(a, c.MaxCheckpoints)
		return func(lc *exec.LaunchContext) { place(lc, source, measured, to) }, a.Err
	})
}

// line returns the line along which the distances of checkpoints are measured.
func (s Source) line() resample.Line { return resample.Line{Point: s.Center, Count: s.Count} }

// setOn allocates the outputs of the stage, but for those of the measurement.
func setOn(a *allocate.Allocator, room int) DeviceColumns {
	return DeviceColumns{
		Position: allocate.Output[kernel.Vec3](a, PositionOutput, room),
		Left:     allocate.Output[kernel.Vec3](a, LeftOutput, room),
		Right:    allocate.Output[kernel.Vec3](a, RightOutput, room),
		Forward:  allocate.Output[kernel.Vec3](a, ForwardOutput, room),
		UpHalf:   allocate.Output[float32](a, UpHalfOutput, room),
	}
}

// place emits the work on the active envs.
func place(lc *exec.LaunchContext, s Source, m *resample.Measured, to DeviceColumns) {
	m.Enqueue(lc)
	resampling.Checkpoints(lc, m.Envs, resampling.CheckpointsArgs{
		Active: m.Active.Array(), MaxPoints: m.Points, Center: s.Center, Inner: s.Inner, Outer: s.Outer, Count: s.Count,
		Arclen: m.Arclen, Step: m.Step, Items: m.Items, Room: m.Room, Position: to.Position, Left: to.Left,
		Right: to.Right, Forward: to.Forward, UpHalf: to.UpHalf,
	})
}
