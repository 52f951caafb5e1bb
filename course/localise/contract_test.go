package localise

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/localise"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// located is the stage of a refresh, and then a search for the points of the borders.
func located(window int) exec.Stage {
	return pipeline.StageFunc("located", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		position := allocate.Input[kernel.Vec3](a, "outer")
		number, agents := position.Len(), position.Len()/b.Envs()
		integers, floats := shared[int32](a, "integers", 2*number), shared[float32](a, "floats", 3*number)
		s := state{integers: integers, agents: agents}
		if a.Err != nil {
			return nil, a.Err
		}
		if err := b.Device().Load(localise.Defs...); err != nil {
			return nil, err
		}
		n, err := pipeline.Nested(b, pipeline.NestedOptions{})
		if err != nil {
			return nil, err
		}
		refresh, err := n.Build(s.stage())
		if err != nil {
			return nil, err
		}
		return func(lc *exec.LaunchContext) {
			refresh.Enqueue(lc)
			for range 2 {
				localise.LocateAll(lc, number, localise.LocateAllArgs{
					Agents: int32(agents), Number: int32(number), MaxPoints: int32(agents), Window: int32(window),
					Position: position, Index: s.index, Integers: integers, Floats: floats,
				})
			}
		}, nil
	})
}

func shared[T kernel.Element](a *allocate.Allocator, name string, n int) exec.Array[T] {
	return allocate.Try(a, func() (exec.Array[T], error) { return pipeline.SharedOutput[T](a.Builder, name, n) })
}

// The stage and the search pass every check of package exectest, behind stages that make tracks from the seeds.
func TestStageKeepsTheContract(t *testing.T) {
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, device.Close()) }()
	tracks := func(envs int) ([]exec.Stage, error) { return track.Stages(tracktest.Config(track.Bezier, envs)) }
	for _, window := range []int{0, 3} {
		exectest.CheckStage(t, coursetest.Behind(tracks, located(window)),
			exectest.Config{Devices: []backend.Device{device}})
	}
}
