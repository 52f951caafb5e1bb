//go:build cgo && linux

package track

import (
	"context"
	"hash/fnv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	"github.com/trackgen-go/trackgen/exec"
)

// openSeveral opens devices, of which those of CUDA are emulated, three of them.
func openSeveral(t *testing.T, names string) ([]backend.Device, *emulator.Emulator) {
	t.Helper()
	t.Setenv(emulator.DevicesVariable, "3")
	e := emulator.Start(t, 12080, 1)
	for _, area := range []string{"centerline", "inflation", "relaxation", "seeding", "selection"} {
		e.LoadKernels(t, "../kernels/"+area+"/kernel_generated.cu")
	}
	devices, err := backend.OpenAll(names)
	require.NoError(t, err)
	t.Cleanup(func() {
		for _, d := range devices {
			require.NoError(t, d.Close())
		}
	})
	return devices, e
}

func wholeBatch(t *testing.T, s *ShardedGenerator) []uint64 {
	t.Helper()
	b, err := s.Batch(t.Context())
	require.NoError(t, err)
	return hashesOf(b)
}

// hashesOf returns a hash of each column of a batch.
func hashesOf(b *Batch) (list []uint64) {
	for _, c := range Schema.Host(&b.HostColumns) {
		sum := fnv.New64a()
		sum.Write(c.AppendWords(nil, 0, b.Envs*c.Stride(b.NMax)))
		list = append(list, sum.Sum64())
	}
	return list
}

// A batch that several devices make at once has the bits of one device's, also where the envs do not divide, and also
// if the devices have different backends.
func TestShardsAtOnceAreOneBatch(t *testing.T) {
	config := configOf(Bezier, 11, func(c *Config) { c.Output.LoopPoints = 40 })
	mix := config
	mix.Generator, mix.Mix = Mixed, []Component{config.NewComponent(1, Bezier), config.NewComponent(2, Polar)}
	one := func(config Config, with ...Option) []uint64 {
		g, err := NewGenerator(openCPU(t), config, with...)
		require.NoError(t, err)
		defer func() { require.NoError(t, g.Close()) }()
		b, err := g.Track().Batch(t.Context())
		require.NoError(t, err)
		return hashesOf(b)
	}
	given := []int32{7, 5, 5, -3, 1 << 30, 0, 2, 9, 11, 13, 17}
	for _, names := range []string{"cuda:all", "cuda:2,cuda:0", "cpu,cuda:1", "cpu"} {
		t.Run(names, func(t *testing.T) {
			devices, _ := openSeveral(t, names)
			for _, with := range [][]Option{nil, {WithSeed(40), WithEpoch(3)}, {WithSeeds(given)}} {
				s, err := NewShardedGenerator(devices, config, with...)
				require.NoError(t, err)
				require.Equal(t, one(config, with...), wholeBatch(t, s))
				require.NoError(t, s.SetSeeds(t.Context(), given))
				require.NoError(t, s.SetEpoch(t.Context(), 2))
				require.NoError(t, s.Generate(t.Context()))
				require.Equal(t, one(config, WithSeeds(given), WithEpoch(2)), wholeBatch(t, s))
				low := 0
				for r, g := range s.Generators() {
					first, end := s.Envs(r)
					assert.Equal(t, low, first)
					assert.Equal(t, end-first, g.Config().NumEnvs)
					low = end
				}
				assert.Equal(t, 11, low)
				require.NoError(t, s.Close())
				require.NoError(t, s.Close())
			}
			components := []int32{0, 1, 1, 0, 1, 0, 0, 0, 1, 1, -1}
			s, err := NewShardedGenerator(devices, mix, WithComponents(components))
			require.NoError(t, err)
			require.Equal(t, one(mix, WithComponents(components)), wholeBatch(t, s))
			require.NoError(t, s.Close())
		})
	}
}

// A device that fails, or a canceled context, ends the call on all devices; the error names the device, and the
// generators go on afterwards.
func TestAFailingShardAtOnce(t *testing.T) {
	devices, e := openSeveral(t, "cuda:all")
	config := configOf(Bezier, 9, func(c *Config) { c.Output.LoopPoints = 40 })
	s, err := NewShardedGenerator(devices, config)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	want := wholeBatch(t, s)

	e.FailNext("cuMemcpyDtoHAsync", 1)
	_, err = s.Batch(t.Context())
	require.ErrorContains(t, err, "cuda:")
	require.Equal(t, "cuMemcpyDtoHAsync", e.Failed())
	require.Equal(t, want, wholeBatch(t, s))

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, s.SetEpoch(ctx, 1), context.Canceled)
	require.NoError(t, s.SetEpoch(t.Context(), 0))
	require.NoError(t, s.Generate(t.Context()))
	require.Equal(t, want, wholeBatch(t, s))

	e.FailNth("cuMemAlloc", 20, 2)
	_, err = NewShardedGenerator(devices, config)
	require.ErrorIs(t, err, backend.ErrOutOfMemory)
	require.ErrorContains(t, err, "cuda:")
}

// Two calls at once are refused, and the generator goes on afterwards.
func TestShardedGeneratorAtOnce(t *testing.T) {
	devices, _ := openSeveral(t, "cpu,cuda:0")
	s, err := NewShardedGenerator(devices, configOf(Bezier, 6))
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	want := wholeBatch(t, s)
	s.busy.Store(true) // as while another call runs
	require.ErrorIs(t, s.Generate(t.Context()), exec.ErrConcurrentUse)
	require.ErrorIs(t, s.SetEpoch(t.Context(), 3), exec.ErrConcurrentUse)
	s.busy.Store(false)
	require.Equal(t, want, wholeBatch(t, s))
}

// A generator that NewShardedGenerator has not made refuses calls, as a Generator does.
func TestAShardedGeneratorThatIsNotMade(t *testing.T) {
	var s ShardedGenerator
	_, err := s.Batch(t.Context())
	for _, err := range []error{err, s.Generate(t.Context()), s.SetEpoch(t.Context(), 1)} {
		require.ErrorIs(t, err, backend.ErrInvalid)
		require.ErrorContains(t, err, "generator is <nil>: must be one made by NewShardedGenerator")
	}
	require.NoError(t, s.Close())
}

// Wrong devices and options are refused before any work.
func TestWrongShards(t *testing.T) {
	devices, _ := openSeveral(t, "cuda:all")
	config := configOf(Bezier, 2)
	stream, err := devices[0].NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	two := devices[:2]
	for _, wrong := range []struct {
		want    string
		devices []backend.Device
		with    Option
	}{
		{"devices is 0: must be 1 to 2", nil, WithSeed(0)},
		{"devices is 3: must be 1 to 2", devices, WithSeed(0)},
		{"devices[1] is <nil>: must be an open device", []backend.Device{devices[0], nil}, WithSeed(0)},
		{"an open device that is in the list once", []backend.Device{devices[0], devices[0]}, WithSeed(0)},
		{"seeds length is 3: must be 2", two, WithSeeds([]int32{1, 2, 3})},
		{"components is 1 values: must be none", two, WithComponents([]int32{1})},
		{"options is a stage or a stream: must be none", two, WithStream(stream)},
		{"option 0 is <nil>", two, nil},
	} {
		err := shardError(wrong.devices, config, wrong.with)
		require.ErrorContains(t, err, wrong.want)
		require.ErrorIs(t, err, backend.ErrInvalid, wrong.want)
	}
	err = shardError(devices[:2], configOf(Bezier, 0))
	require.ErrorIs(t, err, ErrConfig)
	require.ErrorContains(t, err, "num_envs is 0")
	s, err := NewShardedGenerator(devices[:2], config)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	require.ErrorContains(t, s.SetSeeds(t.Context(), []int32{1}), "seeds length is 1: must be 2")

	for names, want := range map[string]string{
		"cuda:0,cuda:0": "cuda:0 is in the list twice",
		"cuda:0,":       "the name is empty",
		"cuda:7":        "there is no device 7",
		"coda:all":      `did you mean "cuda"?`,
		"cuda:all,cuda": "cuda:0 is in the list twice",
		"cuda:al":       "a device index is a number",
	} {
		opened, err := backend.OpenAll(names)
		require.ErrorContains(t, err, want)
		require.ErrorIs(t, err, backend.ErrInvalid)
		require.Nil(t, opened)
	}
}

func shardError(devices []backend.Device, config Config, with ...Option) error {
	_, err := NewShardedGenerator(devices, config, with...)
	return err
}
