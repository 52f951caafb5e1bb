package speed

import (
	"github.com/trackgen-go/trackgen/course/line"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/speed"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// Names of the outputs of the stages, which are the columns of Schema.
const (
	Output          = "speed"
	CurvatureOutput = "curvature"
)

// inputs are the names of the inputs of a stage.
type inputs struct{ center, arclen, length, count string }

var (
	trackInputs = inputs{center: "center", arclen: "arclen", length: "length", count: "count"}
	lineInputs  = inputs{center: line.CenterOutput, arclen: line.ArclenOutput, length: line.LengthOutput,
		count: line.CountOutput}
)

// Stage returns the stage that computes the profiles of the active envs. It reads the columns center, arclen, length
// and count of tracks. With track.WithStages it belongs to the generations of a generator; a regeneration by mask then
// computes the profiles of the masked envs and changes no others.
//
// Building it returns a *ConfigError for each wrong field of the configuration, or an error for inputs that are missing
// or have other lengths.
func Stage(c Config) exec.Stage { return stage(c, trackInputs, false) }

// LineStage is Stage for the course lines of a line.Stage before it.
func LineStage(c Config) exec.Stage { return stage(c, lineInputs, false) }

// stage measures the curvature too, unless it is given.
func stage(c Config, names inputs, given bool) exec.Stage {
	return pipeline.StageFunc("speed", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		if err := c.Validate(); err != nil {
			return nil, err
		}
		if err := b.Device().Load(speed.Defs...); err != nil {
			return nil, err
		}
		a := allocate.New(b)
		s := sourceOf(a, names, given)
		if a.Err != nil {
			return nil, a.Err
		}
		points := s.Arclen.Len() / b.Envs()
		var raw exec.Array[float32]
		bends := s.Curvature
		if !given {
			raw, bends = allocate.PerEnv[float32](a, points), allocate.Output[float32](a, CurvatureOutput, points)
		}
		out := allocate.Output[float32](a, Output, points)
		return func(lc *exec.LaunchContext) {
			active := a.Active.Array()
			if !given {
				speed.Curvature(lc, b.Envs(), speed.CurvatureArgs{
					Active: active, MaxPoints: int32(points), Window: int32(c.Window), Center: s.Center, Count: s.Count,
					Raw: raw, Out: bends,
				})
			}
			speed.Profile(lc, b.Envs(), speed.ProfileArgs{
				Active: active, MaxPoints: int32(points), Lateral: float32(c.LateralAcceleration),
				Acceleration: float32(c.Acceleration), Braking: float32(c.Braking), MaxSpeed: float32(c.MaxSpeed),
				Bends: bends, Arclen: s.Arclen, Length: s.Length, Count: s.Count, Speed: out,
			})
		}, a.Err
	})
}

// sourceOf gets and checks the inputs of a stage.
func sourceOf(a *allocate.Allocator, names inputs, given bool) Source {
	s := Source{
		Arclen: allocate.Input[float32](a, names.arclen), Length: allocate.Input[float32](a, names.length),
		Count: allocate.Input[int32](a, names.count),
	}
	if given {
		s.Curvature = allocate.Input[float32](a, CurvatureOutput)
	} else {
		s.Center = allocate.Input[kernel.Vec3](a, names.center)
	}
	if a.Err == nil {
		a.Err = s.check("build stage speed", a.Device(), a.Envs())
	}
	return s
}
