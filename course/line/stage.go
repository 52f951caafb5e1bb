package line

import (
	"errors"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/courseline"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// Names of the outputs of Stage, which are the columns of Schema.
const (
	CenterOutput  = "line_center"
	TangentOutput = "line_tangent"
	ArclenOutput  = "line_arclen"
	LengthOutput  = "line_length"
	ValidOutput   = "line_valid"
	CountOutput   = "line_count"
)

// Names of the inputs of Stage, which are columns of gate courses.
const (
	positionInput = "position"
	countInput    = "count"
	validInput    = "valid"
)

// Stage returns the stage that draws the lines of the active envs. It reads the columns position, count and valid of
// gate courses, and its outputs have the names of the columns of Schema. With gate.WithStages it belongs to the
// generations of a generator; a regeneration by mask then draws the lines of the masked envs and changes no others.
//
// Building it returns a *ConfigError for each wrong field of the configuration, and for more points than an array may
// have, or an error for inputs that are missing or have other lengths.
func Stage(c Config) exec.Stage {
	return pipeline.StageFunc("line", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		if err := c.Validate(); err != nil {
			return nil, err
		}
		if err := b.Device().Load(courseline.Defs...); err != nil {
			return nil, err
		}
		a := allocate.New(b)
		source := Source{
			Position: allocate.Input[kernel.Vec3](a, positionInput), Count: allocate.Input[int32](a, countInput),
			Valid: allocate.Input[int32](a, validInput),
		}
		if a.Err != nil {
			return nil, a.Err
		}
		gates := source.Position.Len()
		if err := errors.Join(source.check("build stage line", b.Device(), b.Envs()), c.checkPoints(gates)); err != nil {
			return nil, err
		}
		perEnv := gates / b.Envs()
		out := outputs(a, perEnv*c.SamplesPerGate)
		return func(lc *exec.LaunchContext) {
			courseline.Sample(lc, b.Envs(), courseline.SampleArgs{
				Active: a.Active.Array(), MaxGates: int32(perEnv), Samples: int32(c.SamplesPerGate),
				Position: source.Position, GateCount: source.Count, GateValid: source.Valid,
				Center: out.Center, Tangent: out.Tangent, Arclen: out.Arclen, Length: out.Length,
				Count: out.Count, Valid: out.Valid,
			})
		}, a.Err
	})
}

// outputs requests the columns of a batch of lines of n points per env.
func outputs(a *allocate.Allocator, n int) DeviceColumns {
	return DeviceColumns{
		Center: allocate.Output[kernel.Vec3](a, CenterOutput, n), Tangent: allocate.Output[kernel.Vec3](a, TangentOutput, n),
		Arclen: allocate.Output[float32](a, ArclenOutput, n), Length: allocate.Output[float32](a, LengthOutput, 1),
		Valid: allocate.Output[int32](a, ValidOutput, 1), Count: allocate.Output[int32](a, CountOutput, 1),
	}
}
