package heightfield_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/heightfield"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/track"
)

// gridOf reads the grids of a baker.
func gridOf(t *testing.T, b *heightfield.Baker) *heightfield.Grid {
	t.Helper()
	grid, err := b.Heights().Grid(context.Background())
	require.NoError(t, err)
	return grid
}

// checkRuns checks that a device bakes grids with the bits of the CPU in every way to run: eager, again, by mask,
// recorded and replayed.
func checkRuns(t *testing.T, device backend.Device, c heightfield.Config) {
	t.Helper()
	ctx := context.Background()
	cpu := openCPU(t)
	const envs = 5
	first, later := tracksOf(t, cpu, hilly(envs)), tracksOf(t, cpu, hilly(envs), track.WithEpoch(1))
	first.Valid[3] = 0 // so that NaNs are compared too
	want := bitsOf(bake(t, cpu, first, c))
	other := bitsOf(bake(t, cpu, later, c))
	tracks, err := track.NewGenerator(device, hilly(envs))
	require.NoError(t, err)
	defer func() { require.NoError(t, tracks.Close()) }()
	valid := func(values []int32) { require.NoError(t, tracks.Track().Valid.Write(ctx, values)) }
	valid(first.Valid)
	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	baker, err := heightfield.NewBaker(device, heightfield.SourceOf(tracks.Track()), c, heightfield.WithStream(stream))
	require.NoError(t, err)
	defer func() { require.NoError(t, baker.Close()) }()
	for i, z := range gridOf(t, baker).Height {
		require.True(t, kernel.IsNaN(z), "construction does not bake: cell %d is %v", i, z)
	}
	for range 3 { // the first call is eager, later ones may replay a graph
		_, err = baker.Bake(ctx)
		require.NoError(t, err)
		require.Equal(t, want, bitsOf(gridOf(t, baker)), "baking")
	}
	require.NoError(t, tracks.SetEpoch(ctx, 1))
	_, err = tracks.Generate(ctx)
	require.NoError(t, err)
	mask, err := exec.FromSlice(device, []int32{0, 1, 0, 7, 0})
	require.NoError(t, err)
	defer func() { require.NoError(t, mask.Close()) }()
	mixed := []uint64{want[0], other[1], want[2], other[3], want[4]}
	_, err = baker.BakeMasked(ctx, mask)
	require.NoError(t, err)
	require.Equal(t, mixed, bitsOf(gridOf(t, baker)), "baking by mask")

	require.NoError(t, stream.BeginCapture())
	_, err = baker.BakeMasked(ctx, mask)
	require.NoError(t, err)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	defer func() { require.NoError(t, graph.Close()) }()
	require.NoError(t, mask.Write(ctx, make([]int32, envs)))
	require.NoError(t, stream.Replay(graph))
	require.Equal(t, mixed, bitsOf(gridOf(t, baker)), "replay with an empty mask")
	require.NoError(t, mask.Write(ctx, []int32{1, 0, 1, 0, 0}))
	require.NoError(t, stream.Replay(graph))
	mixed[0], mixed[2] = other[0], other[2]
	require.Equal(t, mixed, bitsOf(gridOf(t, baker)), "replay with another mask")
}

// modes are the configurations of the tests that compare bits. With 40 cells a side, tiles are cut off.
func modes() []heightfield.Config {
	limited := configOf(24, heightfield.Smooth)
	limited.Blend.Length, limited.Padding = 0.1, 0.4
	return []heightfield.Config{configOf(40, heightfield.Nearest), configOf(40, heightfield.Smooth), limited}
}

func TestRunsAreEqual(t *testing.T) {
	for _, workers := range []int{1, 3} {
		device := openCPU(t, backend.Workers(workers))
		for _, c := range modes() {
			t.Run(fmt.Sprintf("%s %d", c.Blend.Mode, c.Resolution), func(t *testing.T) { checkRuns(t, device, c) })
		}
	}
}

// A stage of a generator bakes the envs that a regeneration makes, and no others.
func TestStageOfAGenerator(t *testing.T) {
	ctx, device := context.Background(), openCPU(t)
	c := configOf(16, heightfield.Smooth)
	g, err := track.NewGenerator(device, hilly(4), track.WithStages(heightfield.Stage(c)))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	read := func() []uint64 {
		height, err := pipeline.ArrayOf[float32](g.Program(), heightfield.HeightOutput)
		require.NoError(t, err)
		low, err := pipeline.ArrayOf[kernel.Vec2](g.Program(), heightfield.LowOutput)
		require.NoError(t, err)
		high, err := pipeline.ArrayOf[kernel.Vec2](g.Program(), heightfield.HighOutput)
		require.NoError(t, err)
		grid := &heightfield.Grid{Envs: 4, Resolution: 16}
		grid.Height, err = height.Read(ctx)
		require.NoError(t, err)
		grid.Low, err = low.Read(ctx)
		require.NoError(t, err)
		grid.High, err = high.Read(ctx)
		require.NoError(t, err)
		return bitsOf(grid)
	}
	want := bitsOf(bake(t, device, tracksOf(t, device, hilly(4)), c))
	other := bitsOf(bake(t, device, tracksOf(t, device, hilly(4), track.WithEpoch(1)), c))
	require.Equal(t, want, read())
	mask, err := exec.FromSlice(device, []int32{0, 0, 1, 0})
	require.NoError(t, err)
	defer func() { require.NoError(t, mask.Close()) }()
	_, err = g.Regenerate(ctx, mask)
	require.NoError(t, err)
	require.Equal(t, []uint64{want[0], want[1], other[2], want[3]}, read())
}

// The stage passes every check of package exectest, behind stages that draw tracks from the seeds.
func TestStageKeepsTheContract(t *testing.T) {
	whole := pipeline.StageFunc("whole", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		stages, err := track.Stages(hilly(b.Envs()))
		if err != nil {
			return nil, err
		}
		n, err := pipeline.Nested(b, pipeline.NestedOptions{Apart: true})
		if err != nil {
			return nil, err
		}
		// The grids are the outputs of the whole stage.
		height, err := pipeline.Output[float32](b, heightfield.HeightOutput, 8*8)
		if err == nil {
			err = pipeline.Provide(n, heightfield.HeightOutput, height)
		}
		if err != nil {
			return nil, err
		}
		for _, output := range []string{heightfield.LowOutput, heightfield.HighOutput} {
			array, err := pipeline.Output[kernel.Vec2](b, output, 1)
			if err == nil {
				err = pipeline.Provide(n, output, array)
			}
			if err != nil {
				return nil, err
			}
		}
		program, err := n.Build(append(stages, heightfield.Stage(configOf(8, heightfield.Smooth)))...)
		if err != nil {
			return nil, err
		}
		return program.Enqueue, nil
	})
	exectest.CheckStage(t, whole, exectest.Config{Devices: []backend.Device{openCPU(t)}})
}

// The bits are those of every earlier version and processor, also where the compiler may fuse multiplications and
// additions.
func TestFrozenHeights(t *testing.T) {
	device := openCPU(t)
	batch := tracksOf(t, device, hilly(3), track.WithSeed(42))
	for i, want := range [][]uint64{
		{0xf2403ce3aa359988, 0x903914c2537b9aa5, 0x137975b3af1d9e2c},
		{0xd785d309657d679a, 0xd91cc2461235eebe, 0x5d9e4fd2bcbcc617},
		{0x271f2b9d5e73de76, 0x4a6f4bfcecb5fbb2, 0x325e269d7d4c1c23},
	} {
		require.Equal(t, want, bitsOf(bake(t, device, batch, modes()[i])), "configuration %d", i)
	}
}
