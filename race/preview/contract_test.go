package preview

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/preview"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// seen is the stage of a refresh, and then what agents at the points of the outer border see, with the arc lengths of
// the centreline.
func seen(names []string) exec.Stage {
	return pipeline.StageFunc("seen", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		position, s := allocate.Input[kernel.Vec3](a, outerInput), allocate.Input[float32](a, arclenInput)
		if a.Err != nil {
			return nil, a.Err
		}
		number, agents := position.Len(), position.Len()/b.Envs()
		distance := allocate.PerEnv[float32](a, 3)
		out, err := pipeline.SharedOutput[float32](b, "seen", number*3*len(names))
		if a.Err != nil || err != nil {
			return nil, err
		}
		n, err := pipeline.Nested(b, pipeline.NestedOptions{})
		if err != nil {
			return nil, err
		}
		noter := noter{borders: true}
		refresh, err := n.Build(noter.stage())
		if err != nil {
			return nil, err
		}
		turns, err := noter.table.Slice(0, number) // some orientations
		if err != nil {
			return nil, err
		}
		slots := slotsOf(names, channels)
		return func(lc *exec.LaunchContext) {
			refresh.Enqueue(lc)
			exec.Fill(lc, distance, 0.3)
			preview.LookAhead(lc, number, preview.LookAheadArgs{
				Agents: int32(agents), MaxPoints: int32(agents), Places: 3, Channels: int32(len(names)), Body: 0,
				First: slots[0], Second: slots[1], Third: slots[2], Fourth: slots[3], Size: 1, Bend: 1, Pace: 1,
				Position: position, Orientation: turns, S: s, Distance: distance, Table: noter.table, Out: out,
			})
		}, nil
	})
}

// The stage and what reads its table pass every check of package exectest, behind stages that make tracks from the
// seeds.
func TestStageKeepsTheContract(t *testing.T) {
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, device.Close()) }()
	tracks := func(envs int) ([]exec.Stage, error) { return track.Stages(tracktest.Config(track.Bezier, envs)) }
	exectest.CheckStage(t, coursetest.Behind(tracks, seen([]string{CenterX, LeftY, WidthRight, HeadingSin, Height})),
		exectest.Config{Devices: []backend.Device{device}})
}
