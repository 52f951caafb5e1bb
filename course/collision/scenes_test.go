package collision_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

// The scenes of the tests of discs, frames and agents.
const (
	sceneEnvs  = 5
	sceneBoxes = 3
	sceneSteps = 8
)

// drawn returns n values, some of which repeat.
func drawn[T any](r *rand.Rand, n int, draw func(r *rand.Rand) T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = draw(r)
		if i > 0 && r.IntN(6) == 0 {
			list[i] = list[i-1]
		}
	}
	return list
}

func drawPlace(r *rand.Rand) kernel.Vec3 {
	if r.IntN(12) == 0 {
		return kernel.V3(kernel.NaN(), r.Float32(), 0)
	}
	return kernel.V3(r.Float32()*2-1, r.Float32()*2-1, r.Float32()*0.4-0.2)
}

func drawTurn(r *rand.Rand) kernel.Quat {
	if r.IntN(4) == 0 {
		return kernel.Quat{X: r.Float32() - 0.5, Y: r.Float32() - 0.5, Z: r.Float32() - 0.5, W: r.Float32() - 0.5}
	}
	sin, cos := math.Sincos(r.Float64() * 7)
	return kernel.Quat{Z: float32(sin), W: float32(cos)}
}

func drawHalf(r *rand.Rand) kernel.Vec2 { return kernel.V2(r.Float32()*0.3, r.Float32()*0.1) }

// boxScene is the boxes of a step.
type boxScene struct {
	position []kernel.Vec3
	turn     []kernel.Quat
	half     []kernel.Vec2
}

func drawBoxScene(r *rand.Rand, n int) boxScene {
	return boxScene{drawn(r, n, drawPlace), drawn(r, n, drawTurn), drawn(r, n, drawHalf)}
}

// boxInputs are boxes on a device, which the steps of a test write.
type boxInputs struct {
	t     testing.TB
	boxes collision.Boxes
}

func boxInputsOf(t testing.TB, device backend.Device, s boxScene) boxInputs {
	return boxInputs{t, collision.Boxes{Position: coursetest.Upload(t, device, s.position),
		Orientation: coursetest.Upload(t, device, s.turn), HalfExtents: coursetest.Upload(t, device, s.half)}}
}

func (b boxInputs) write(s boxScene) {
	ctx := context.Background()
	require.NoError(b.t, b.boxes.Position.Write(ctx, s.position))
	require.NoError(b.t, b.boxes.Orientation.Write(ctx, s.turn))
	require.NoError(b.t, b.boxes.HalfExtents.Write(ctx, s.half))
}

// words returns the bits of columns.
func words(columns ...any) (list []uint32) {
	for _, c := range columns {
		switch values := c.(type) {
		case []int32:
			for _, v := range values {
				list = append(list, uint32(v))
			}
		case []float32:
			for _, v := range values {
				list = append(list, math.Float32bits(v))
			}
		case []kernel.Vec2:
			for _, v := range values {
				list = append(list, math.Float32bits(v.X), math.Float32bits(v.Y))
			}
		default:
			panic(fmt.Sprintf("no column: %T", c))
		}
	}
	return list
}

// trial is a checker with bound inputs on a device.
type trial struct {
	stream backend.Stream
	write  func(step int) // writes the inputs of a step
	query  func(ctx context.Context) error
	reset  func(ctx context.Context, mask exec.Array[int32]) error // nil without state
	read   func() []uint32
	mask   exec.Array[int32] // of the reset
	close  func() error
}

// run makes the steps of a scene. Half of them run eagerly, or as replays of the runner's own graph. The others replay
// one capture: a reset of the envs of the mask, where there is a state, and a query.
func (r trial) run(t *testing.T) (answers [][]uint32) {
	t.Helper()
	ctx := context.Background()
	body := func() {
		if r.reset != nil {
			require.NoError(t, r.reset(ctx, r.mask))
		}
		require.NoError(t, r.query(ctx))
	}
	for step := range sceneSteps / 2 {
		r.write(step)
		body()
		answers = append(answers, r.read())
	}
	require.NoError(t, r.stream.BeginCapture())
	body()
	graph, err := r.stream.EndCapture()
	require.NoError(t, err)
	for step := sceneSteps / 2; step < sceneSteps; step++ {
		r.write(step)
		require.NoError(t, r.stream.Replay(graph))
		answers = append(answers, r.read())
	}
	require.NoError(t, graph.Close())
	require.NoError(t, r.close())
	return answers
}

// streamOf returns a new stream.
func streamOf(t testing.TB, device backend.Device) backend.Stream {
	t.Helper()
	stream, err := device.NewStream()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, stream.Close()) })
	return stream
}

// trials make the checkers of the tests on a device.
var trials = map[string]func(t *testing.T, device backend.Device) trial{
	"discs": discTrial, "posts": postTrial, "frames": frameTrial, "agents": agentTrial, "swept agents": sweptAgentTrial,
	"field": fieldTrial,
}

// checkTrials checks that a device gives the answers of a CPU with one worker, bit for bit.
func checkTrials(t *testing.T, device backend.Device) {
	for name, make := range trials {
		t.Run(name, func(t *testing.T) {
			want := make(t, coursetest.OpenCPU(t, backend.Workers(1))).run(t)
			got := make(t, device).run(t)
			require.NotEqual(t, want[0], want[1])
			for step := range want {
				require.Equal(t, want[step], got[step], "step %d", step)
			}
		})
	}
}

func TestRunsOfObstaclesAreEqual(t *testing.T) {
	checkTrials(t, coursetest.OpenCPU(t, backend.Workers(3)))
}
