package preview

import (
	"github.com/trackgen-go/trackgen/course/curvature"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/preview"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// Names of the inputs of the stage. Those of tracks are columns of tracks.
const (
	centerInput  = "center"
	arclenInput  = "arclen"
	lengthInput  = "length"
	countInput   = "count"
	outerInput   = "outer"
	innerInput   = "inner"
	windingInput = "winding"
	speedInput   = "speed"
)

// noter is the stage of a refresh, which notes the lines in a table.
type noter struct {
	borders, bends, profiled bool
	table                    exec.Array[kernel.Quat] // [E, preview.Size(N_max)]
}

// stage notes the lines of the active envs.
func (n *noter) stage() exec.Stage {
	return pipeline.StageFunc("preview", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		if err := b.Device().Load(preview.Defs...); err != nil {
			return nil, err
		}
		a := allocate.New(b)
		args := preview.NoteArgs{Borders: allocate.Bit(n.borders), Bends: allocate.Bit(n.bends),
			Profiled: allocate.Bit(n.profiled), Center: allocate.Input[kernel.Vec3](a, centerInput),
			Arclen: allocate.Input[float32](a, arclenInput), Length: allocate.Input[float32](a, lengthInput),
			Count: allocate.Input[int32](a, countInput)}
		// A kernel has no optional arrays. What stands in the place of one is not read.
		args.Outer, args.Inner, args.Winding = args.Center, args.Center, args.Length
		args.Curvature, args.Speed = args.Arclen, args.Arclen
		if n.borders {
			args.Outer, args.Inner = allocate.Input[kernel.Vec3](a, outerInput), allocate.Input[kernel.Vec3](a, innerInput)
			args.Winding = allocate.Input[float32](a, windingInput)
		}
		if n.bends {
			args.Curvature = allocate.Input[float32](a, curvature.Output)
		}
		if n.profiled {
			args.Speed = allocate.Input[float32](a, speedInput)
		}
		if a.Err != nil {
			return nil, a.Err
		}
		points := args.Center.Len() / b.Envs()
		args.MaxPoints = int32(points)
		n.table = allocate.PerEnv[kernel.Quat](a, int(preview.Size(int32(points))))
		args.Table = n.table
		return func(lc *exec.LaunchContext) {
			args := args
			args.Active = a.Active.Array()
			preview.Note(lc, b.Envs(), args)
		}, a.Err
	})
}
