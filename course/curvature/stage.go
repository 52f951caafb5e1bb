package curvature

import (
	"github.com/trackgen-go/trackgen/course/line"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/speed"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// Output is the name of the output of the stages, which is the column of Schema.
const Output = "curvature"

// inputs are the names of the inputs of a stage.
type inputs struct{ center, count string }

var (
	trackInputs = inputs{center: "center", count: "count"}
	lineInputs  = inputs{center: line.CenterOutput, count: line.CountOutput}
)

// Stage returns the stage that measures the curvature of the active envs. It reads the columns center and count of
// tracks. With track.WithStages it belongs to the generations of a generator; a regeneration by mask then measures the
// masked envs and changes no others.
//
// Building it returns a *ConfigError for each wrong field of the configuration, or an error for inputs that are missing
// or have other lengths.
func Stage(c Config) exec.Stage { return stage(c, trackInputs) }

// LineStage is Stage for the course lines of a line.Stage before it.
func LineStage(c Config) exec.Stage { return stage(c, lineInputs) }

func stage(c Config, names inputs) exec.Stage {
	return pipeline.StageFunc("curvature", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		if err := c.Validate(); err != nil {
			return nil, err
		}
		if err := b.Device().Load(speed.Defs...); err != nil {
			return nil, err
		}
		a := allocate.New(b)
		source := Source{
			Center: allocate.Input[kernel.Vec3](a, names.center), Count: allocate.Input[int32](a, names.count),
		}
		if a.Err == nil {
			a.Err = source.check("build stage curvature", b.Device(), b.Envs())
		}
		if a.Err != nil {
			return nil, a.Err
		}
		points := source.Center.Len() / b.Envs()
		raw, out := allocate.PerEnv[float32](a, points), allocate.Output[float32](a, Output, points)
		return func(lc *exec.LaunchContext) {
			speed.Curvature(lc, b.Envs(), speed.CurvatureArgs{
				Active: a.Active.Array(), MaxPoints: int32(points), Window: int32(c.Window), Center: source.Center,
				Count: source.Count, Raw: raw, Out: out,
			})
		}, a.Err
	})
}
