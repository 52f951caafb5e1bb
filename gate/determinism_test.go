package gate_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/seeds"
)

func TestWorkersDoNotChangeBits(t *testing.T) {
	one, many := openCPU(t, backend.Workers(1)), openCPU(t, backend.Workers(7))
	for name, c := range configurations() {
		c.NumEnvs = 37
		assert.Equal(t, bitsOf(generate(t, one, c)), bitsOf(generate(t, many, c)), name)
	}
}

// The courses of an env do not depend on the batch, except where gates lie in one place (C-35).
func TestBatchSizeDoesNotChangeBits(t *testing.T) {
	const envs, step = 515, 37
	device := openCPU(t)
	for name, c := range configurations() {
		if name == "together" {
			continue
		}
		c.NumEnvs = envs
		large := bitsOf(generate(t, device, c, gate.WithSeed(-7)))
		c.NumEnvs = 1
		for e := 0; e < envs; e += step {
			assert.Equal(t, large[e:e+1], bitsOf(generate(t, device, c, gate.WithSeed(int32(e-7)))), "%s, env %d", name, e)
		}
	}
}

// Gates in one place are moved apart in directions that depend on the number of the env, and on nothing else of the
// batch (C-35).
func TestCoincidentGatesDependOnTheirPlace(t *testing.T) {
	device, c := openCPU(t), configurations()["together"]
	c.NumEnvs = 130
	large := generate(t, device, c)
	c.NumEnvs = 3
	assert.Equal(t, bitsOf(large)[:3], bitsOf(generate(t, device, c)))
	alone := generate(t, device, c, gate.WithSeed(2))
	assert.Equal(t, large.Seed[2], alone.Seed[0])
	assert.NotEqual(t, bitsOf(large)[2], bitsOf(alone)[0], "the place counts")
}

// The instrumented twins check every index and report every race, and give the same bits.
func TestDebugModeDoesNotChangeBits(t *testing.T) {
	plain := openCPU(t)
	for name, c := range configurations() {
		c.NumEnvs = 3
		want := bitsOf(generate(t, plain, c))
		for seed := range uint64(2) {
			device := openCPU(t, backend.Debug(true), backend.DebugSeed(seed))
			assert.Equal(t, want, bitsOf(generate(t, device, c)), "%s, order %d", name, seed)
		}
	}
}

// checkRuns checks that recorded and replayed generations and regenerations give the bits of eager ones on the CPU.
func checkRuns(t *testing.T, device backend.Device, c gate.Config) {
	t.Helper()
	ctx := context.Background()
	cpu := openCPU(t)
	c.NumEnvs = 9
	want, later := bitsOf(generate(t, cpu, c)), bitsOf(generate(t, cpu, c, gate.WithEpoch(1)))
	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	g, err := gate.NewGenerator(device, c, gate.WithStream(stream))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	require.Equal(t, want, bitsOf(batchOf(t, g)), "first generation")
	for range 3 { // the first one is eager, later ones may replay a graph
		require.NoError(t, g.SetEpoch(ctx, 1))
		_, err = g.Generate(ctx)
		require.NoError(t, err)
		require.Equal(t, later, bitsOf(batchOf(t, g)), "generation of epoch 1")
		require.NoError(t, g.SetEpoch(ctx, 0))
		_, err = g.Generate(ctx)
		require.NoError(t, err)
		require.Equal(t, want, bitsOf(batchOf(t, g)), "generation of epoch 0")
	}

	flags := []int32{0, 1, 0, 0, 1, 0, 0, 0, 2}
	mask, err := exec.FromSlice(device, flags)
	require.NoError(t, err)
	defer func() { require.NoError(t, mask.Close()) }()
	mixed := make([]string, len(want))
	for e := range mixed {
		mixed[e] = want[e]
		if flags[e] != 0 {
			mixed[e] = later[e]
		}
	}
	for range 2 {
		_, err = g.Regenerate(ctx, mask)
		require.NoError(t, err)
		require.Equal(t, mixed, bitsOf(batchOf(t, g)), "regeneration by mask")
		require.NoError(t, g.SetEpoch(ctx, 0))
		_, err = g.Generate(ctx)
		require.NoError(t, err)
	}

	require.NoError(t, stream.BeginCapture())
	_, err = g.Regenerate(ctx, mask)
	require.NoError(t, err)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	defer func() { require.NoError(t, graph.Close()) }()
	require.Equal(t, want, bitsOf(batchOf(t, g)), "recording does not run the work")
	require.NoError(t, stream.Replay(graph))
	require.Equal(t, mixed, bitsOf(batchOf(t, g)), "replay of a recorded regeneration")
	require.NoError(t, mask.Write(ctx, make([]int32, c.NumEnvs)))
	require.NoError(t, stream.Replay(graph))
	require.Equal(t, mixed, bitsOf(batchOf(t, g)), "replay with an empty mask")
}

func TestRunsAreEqual(t *testing.T) {
	device := openCPU(t)
	for name, c := range configurations() {
		t.Run(name, func(t *testing.T) { checkRuns(t, device, c) })
	}
}

// R110: a seed and an epoch together give one effective seed.
func TestEpochIsAnEffectiveSeed(t *testing.T) {
	device, c := openCPU(t), configOf(gate.Hull, 8)
	values := make([]int32, c.NumEnvs)
	for e := range values {
		values[e] = seeds.EffectiveSeed(int32(3+e), 9)
	}
	later := generate(t, device, c, gate.WithSeed(3), gate.WithEpoch(9))
	direct := generate(t, device, c, gate.WithSeeds(values))
	assert.Equal(t, bitsOf(later, "seed", "epoch"), bitsOf(direct, "seed", "epoch"))
	assert.Equal(t, values, direct.Seed)
	assert.Equal(t, int32(9), later.Epoch[7])
}

// The bits are the same for every value of GOAMD64 and on every architecture; the test holds the bits of one build.
func TestFrozenBits(t *testing.T) {
	h := fnv.New64a()
	configs := configurations()
	for _, name := range names(configs) {
		c := configs[name]
		c.NumEnvs = 16
		for _, bits := range bitsOf(generate(t, openCPU(t), c)) {
			h.Write([]byte(bits))
		}
	}
	assert.Equal(t, "0x5ae4443201a0f3e", fmt.Sprintf("%#x", h.Sum64()), runtime.GOARCH)
}

func TestGenerateAndRegenerateAllocateNothing(t *testing.T) {
	ctx := context.Background()
	device := openCPU(t)
	for name, c := range configurations() {
		c.NumEnvs = 32
		g, err := gate.NewGenerator(device, c)
		require.NoError(t, err)
		defer func() { require.NoError(t, g.Close()) }()
		mask, err := exec.FromSlice(device, append([]int32{1}, make([]int32, 31)...))
		require.NoError(t, err)
		defer func() { require.NoError(t, mask.Close()) }()
		allocations := testing.AllocsPerRun(5, func() {
			if _, err := g.Generate(ctx); err != nil {
				t.Fatal(err)
			}
			if _, err := g.Regenerate(ctx, mask); err != nil {
				t.Fatal(err)
			}
		})
		assert.Zero(t, allocations, name)
	}
}
