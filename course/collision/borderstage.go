package collision

import (
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/borders"
	"github.com/trackgen-go/trackgen/kernels/polyline"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// BorderIndexOutput is the name of the output of BordersStage: an index of the inner border, the outer border and the
// points of the centreline of each env (kernels/polyline has the layout).
const BorderIndexOutput = "border_index"

// BordersStage returns the stage that makes the index of the borders of the active envs. It reads the columns outer,
// center, inner and count of the tracks, and its output is BorderIndexOutput. With track.WithStages it belongs to the
// generations of a generator; a regeneration by mask then refreshes the masked envs and changes no other element.
//
// Building it returns an error for inputs that are missing or have other lengths.
func BordersStage() exec.Stage {
	return pipeline.StageFunc("borders", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		if err := b.Device().Load(append([]*kernel.Def{&borders.SurroundDef}, polyline.Defs...)...); err != nil {
			return nil, err
		}
		a := allocate.New(b)
		s := BorderSource{Outer: allocate.Input[kernel.Vec3](a, outerInput),
			Center: allocate.Input[kernel.Vec3](a, centerInput), Inner: allocate.Input[kernel.Vec3](a, innerInput),
			Count: allocate.Input[int32](a, countInput)}
		if a.Err == nil {
			a.Err = s.check("build stage borders", b.Device(), b.Envs())
		}
		if a.Err != nil {
			return nil, a.Err
		}
		n := int32(s.Center.Len() / b.Envs())
		index := allocate.Output[kernel.Quat](a, BorderIndexOutput, borders.Lines*int(polyline.Size(n)))
		envs, active := b.Envs(), a.Active
		return func(lc *exec.LaunchContext) {
			for line, points := range []exec.Array[kernel.Vec3]{borders.Inner: s.Inner, borders.Outer: s.Outer} {
				polyline.Build(lc, envs, polyline.BuildArgs{Active: active.Array(), MaxPoints: n, Lines: borders.Lines,
					Line: int32(line), Point: points, Count: s.Count, Index: index})
			}
			borders.Surround(lc, envs, active.Array(), n, s.Center, index)
		}, a.Err
	})
}
