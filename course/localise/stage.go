package localise

import (
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/localise"
	"github.com/trackgen-go/trackgen/kernels/polyline"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// Names of the inputs of the stage, which are columns of tracks.
const (
	centerInput = "center"
	arclenInput = "arclen"
	lengthInput = "length"
	countInput  = "count"
)

// state is what the stage of a refresh changes: the index of the lines, and what the agents remember.
type state struct {
	index    exec.Array[kernel.Quat] // [E, polyline.Size(N_max)]
	integers exec.Array[int32]       // packed columns: see package kernels/localise
	agents   int
}

// stage builds the index of the lines of the active envs, and makes their agents remember nothing.
func (s *state) stage() exec.Stage {
	return pipeline.StageFunc("localise", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		if err := b.Device().Load(polyline.Defs...); err != nil {
			return nil, err
		}
		a := allocate.New(b)
		source := Source{
			Center: allocate.Input[kernel.Vec3](a, centerInput), Arclen: allocate.Input[float32](a, arclenInput),
			Length: allocate.Input[float32](a, lengthInput), Count: allocate.Input[int32](a, countInput),
		}
		if a.Err == nil {
			a.Err = source.check("build stage localise", b.Device(), b.Envs())
		}
		if a.Err != nil {
			return nil, a.Err
		}
		envs, number := b.Envs(), b.Envs()*s.agents
		points := int32(source.Center.Len() / envs)
		s.index = allocate.PerEnv[kernel.Quat](a, int(polyline.Size(points)))
		return func(lc *exec.LaunchContext) {
			active := a.Active.Array()
			polyline.Build(lc, envs, polyline.BuildArgs{
				Active: active, MaxPoints: points, Lines: 1, Line: 0, Point: source.Center, Count: source.Count,
				Index: s.index,
			})
			polyline.Separate(lc, envs, active, points, 1, 0, s.index)
			polyline.Measure(lc, envs, polyline.MeasureArgs{
				Active: active, MaxPoints: points, Lines: 1, Line: 0, Arclen: source.Arclen, Length: source.Length,
				Count: source.Count, Index: s.index,
			})
			localise.Renew(lc, number, int32(s.agents), int32(number), active, s.integers)
		}, a.Err
	})
}
