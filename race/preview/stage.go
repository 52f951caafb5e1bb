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
		center, arclen := allocate.Input[kernel.Vec3](a, centerInput), allocate.Input[float32](a, arclenInput)
		length, count := allocate.Input[float32](a, lengthInput), allocate.Input[int32](a, countInput)
		// A kernel has no optional arrays. What stands in the place of one is not read.
		outer, inner, winding, bends, speeds := center, center, length, arclen, arclen
		if n.borders {
			outer, inner = allocate.Input[kernel.Vec3](a, outerInput), allocate.Input[kernel.Vec3](a, innerInput)
			winding = allocate.Input[float32](a, windingInput)
		}
		if n.bends {
			bends = allocate.Input[float32](a, curvature.Output)
		}
		if n.profiled {
			speeds = allocate.Input[float32](a, speedInput)
		}
		if a.Err != nil {
			return nil, a.Err
		}
		points := int32(center.Len() / b.Envs())
		n.table = allocate.PerEnv[kernel.Quat](a, int(preview.Size(points)))
		return func(lc *exec.LaunchContext) {
			preview.Note(lc, b.Envs(), preview.NoteArgs{Active: a.Active.Array(), MaxPoints: points,
				Borders: allocate.Bit(n.borders), Bends: allocate.Bit(n.bends), Profiled: allocate.Bit(n.profiled),
				Center: center, Outer: outer, Inner: inner, Arclen: arclen, Length: length, Winding: winding, Count: count,
				Curvature: bends, Speed: speeds, Table: n.table})
		}, a.Err
	})
}
