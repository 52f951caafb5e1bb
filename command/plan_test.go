package command

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/settings"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// openCPU opens a CPU device and checks at the end of the test that nothing leaked.
func openCPU(t *testing.T) trackgen.Device {
	t.Helper()
	device, err := trackgen.Open("cpu")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, device.Close()) })
	return device
}

func TestPlanChunks(t *testing.T) {
	device := openCPU(t)
	config := tracktest.Config(trackgen.Bezier, 7, func(c *trackgen.Config) {
		c.Output.MaxPoints, c.Output.LoopPoints = 64, 64
	})
	for _, test := range []struct {
		chunk int
		sizes []int
	}{
		{1, []int{1, 1, 1, 1, 1, 1, 1}},
		{2, []int{2, 2, 2, 1}},
		{3, []int{3, 3, 1}},
		{6, []int{6, 1}},
		{7, []int{7}},
	} {
		var sizes []int
		var seeds, epochs []int32
		part := schedule{chunk: test.chunk, first: 40, epoch: 2}
		_, err := plan{config: config, schedule: part}.generate(t.Context(), device,
			func(b *trackgen.Batch) error {
				sizes = append(sizes, b.Envs)
				seeds = append(seeds, b.Seed...)
				epochs = append(epochs, b.Epoch...)
				return nil
			})
		require.NoError(t, err)
		assert.Equal(t, test.sizes, sizes)
		assert.Equal(t, []int32{40, 41, 42, 43, 44, 45, 46}, seeds)
		assert.Equal(t, []int32{2, 2, 2, 2, 2, 2, 2}, epochs)
	}
}

func TestNextChunk(t *testing.T) {
	for _, test := range []struct {
		size int
		took time.Duration
		most int
		want int
	}{
		{1, chunkTime, 100, 1},
		{1, time.Minute, 100, 1},                // never less than one track
		{1, time.Microsecond, 4096, 16},         // a few tracks say little about many
		{1, 0, 4096, 16},                        // a clock may be coarse
		{16, time.Microsecond, 4096, 256},       //
		{256, time.Millisecond, 1000, 1000},     // at most as many as fit
		{100, chunkTime / 4, 4096, 400},         // proportional to the time
		{100, chunkTime * 4, 4096, 25},          //
		{100, chunkTime * 3 / 4, 4096, 100},     // near enough: the generator is kept
		{100, chunkTime * 3 / 2, 4096, 100},     //
		{4096, time.Millisecond, 4096, 4096},    //
		{4096, 1000 * chunkTime, 4096, 4},       //
		{maxEnvs, time.Hour, maxEnvs, 1864},     // 0.4 s of 3600 s
		{3, chunkTime / 2, 4096, 6},             //
		{3, 2 * chunkTime, 4096, 1},             //
		{5, time.Duration(math.MaxInt64), 9, 1}, //
	} {
		assert.Equal(t, test.want, nextChunk(test.size, test.took, test.most), "%+v", test)
	}
}

// A run that adapts its chunks makes the same tracks, in the same order, as one with a single chunk.
func TestPlanAdapts(t *testing.T) {
	device := openCPU(t)
	var batches [2]trackgen.Batch
	for i, p := range []plan{{schedule: schedule{chunk: 300}}, {schedule: schedule{chunk: 300, adapt: true}}} {
		p.config = tracktest.Config(trackgen.Bezier, 300)
		first := 0
		_, err := p.generate(t.Context(), device, func(b *trackgen.Batch) error {
			if first == 0 {
				first = b.Envs
			}
			for e := range b.Envs {
				if err := batches[i].Append(b, e); err != nil {
					return err
				}
			}
			return nil
		})
		require.NoError(t, err)
		assert.Equal(t, map[bool]int{false: 300, true: 1}[p.adapt], first)
	}
	require.Equal(t, 300, batches[1].Envs)
	assert.Equal(t, batches[0].Seed, batches[1].Seed)
	assert.Equal(t, batches[0].Count, batches[1].Count)
	assert.Equal(t, batches[0].Length, batches[1].Length)
}

// The counters of the device are added up over all chunks.
func TestPlanCounters(t *testing.T) {
	device := openCPU(t)
	short := tracktest.Config(trackgen.Bezier, 5, func(c *trackgen.Config) { c.Output.MaxPoints = 34 })
	p := plan{config: short, schedule: schedule{chunk: 2}}
	done, err := p.generate(t.Context(), device, func(*trackgen.Batch) error { return nil })
	require.NoError(t, err)
	assert.Equal(t, 5, done.counters.Truncated)
	assert.Positive(t, done.elapsed)
}

// An error of the writer or a cancelled context ends the run at once and frees all device memory.
func TestPlanStops(t *testing.T) {
	device := openCPU(t)
	p := plan{config: tracktest.Config(trackgen.Bezier, 1000), schedule: schedule{chunk: 2}}
	full := errors.New("disk full")
	calls := 0
	_, err := p.generate(t.Context(), device, func(*trackgen.Batch) error {
		if calls++; calls == 2 {
			return full
		}
		return nil
	})
	require.ErrorIs(t, err, full)
	assert.EqualError(t, err, "tracks 2 to 3: disk full")
	assert.Equal(t, 2, calls)

	ctx, cancel := context.WithCancel(t.Context())
	calls = 0
	_, err = p.generate(ctx, device, func(*trackgen.Batch) error {
		calls++
		cancel()
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, calls)
	_, err = p.generate(ctx, device, func(*trackgen.Batch) error { panic("not reached") })
	require.ErrorIs(t, err, context.Canceled)
}

func TestSeedsOf(t *testing.T) {
	p := plan{config: tracktest.Config(trackgen.Bezier, 3), schedule: schedule{first: math.MaxInt32 - 2}}
	assert.Equal(t, []int32{math.MaxInt32 - 1, math.MaxInt32}, p.seedsOf(1, 3))
	assert.EqualValues(t, math.MaxInt32-2, lastSeed(3))
	p.seeds = []int32{5, 4, 3}
	assert.Equal(t, []int32{4, 3}, p.seedsOf(1, 3))
}

// A generator accepts the default chunk of any configuration.
func TestDefaultChunk(t *testing.T) {
	for want, config := range map[int]trackgen.Config{
		10:       tracktest.Config(trackgen.Bezier, 10),
		maxChunk: tracktest.Config(trackgen.Bezier, maxEnvs),
		19:       tracktest.Config(trackgen.Bezier, 1000, func(c *trackgen.Config) { c.Output.MaxPoints = 1 << 16 }),
	} {
		chunk, err := defaultChunk(config)
		require.NoError(t, err)
		assert.Equal(t, want, chunk)
	}
	rapid.Check(t, func(t *rapid.T) {
		generator := rapid.SampledFrom(trackgen.Generators()).Draw(t, "generator")
		envs := rapid.IntRange(1, maxEnvs).Draw(t, "envs")
		config := tracktest.Config(generator, envs, func(c *trackgen.Config) {
			c.Output.MaxPoints = rapid.IntRange(40, 1<<16).Draw(t, "output.max_points")
			c.Output.LoopPoints = rapid.IntRange(8, 1<<16).Draw(t, "output.loop_points")
			c.Corners.MaxCount = rapid.IntRange(9, 512).Draw(t, "corners.max_count")
			c.Polar.Knots = rapid.IntRange(4, 512).Draw(t, "polar.knots")
			c.Spline.SamplesPerSegment = rapid.IntRange(2, 4096).Draw(t, "spline.samples_per_segment")
			c.Relax.SeparationCacheSlots = rapid.IntRange(0, 64).Draw(t, "slots")
		})
		chunk, err := defaultChunk(config)
		if err != nil {
			assert.ErrorIs(t, err, trackgen.ErrConfig)
			assert.NotContains(t, err.Error(), "num_envs")
			return
		}
		assert.Positive(t, chunk)
		assert.LessOrEqual(t, chunk, config.NumEnvs)
		config.NumEnvs = chunk
		for _, err := range settings.Parts(config.Validate()) {
			var wrong *trackgen.ConfigError
			if errors.As(err, &wrong) {
				assert.NotEqual(t, "num_envs", wrong.Field, "%v", err)
			}
		}
	})
}

// The flag and the field num_envs have the same maximum.
func TestMaxEnvs(t *testing.T) {
	field, ok := trackgen.FieldNamed("num_envs")
	require.True(t, ok)
	assert.Equal(t, "a whole number >= 1 and <= 16777216", field.Allowed())
	assert.Equal(t, 16777216, maxEnvs)
}

// shortLoops is a device that ends long loops early, like Mesa's software driver.
type shortLoops struct{ backend.Device }

func (d shortLoops) Caps() backend.Caps {
	caps := d.Device.Caps()
	caps.LoopIterations = 65535
	return caps
}

// manySweeps sets so many sweeps that the loops are too long for shortLoops.
func manySweeps(c *trackgen.Config) { c.Relax.Sweeps = 5000 }

// A configuration that the device cannot run is an error of the input that names the field or the flag.
func TestCheckDevice(t *testing.T) {
	device := openCPU(t)
	long := plan{config: tracktest.Config(trackgen.Bezier, maxEnvs, manySweeps), schedule: schedule{chunk: 4096}}
	require.NoError(t, long.checkDevice(device))
	wrong := long.checkDevice(shortLoops{device})
	var input *inputError
	require.ErrorAs(t, wrong, &input)
	assert.ErrorContains(t, wrong, "relax.sweeps is 5000: must be at most 4")
	assert.ErrorContains(t, wrong, "on the device cpu "+
		"(cpu: the loops of kernel github.com/trackgen-go/trackgen/kernels/relaxation.relax may make ")

	small := tracktest.Config(trackgen.Polar, maxEnvs, func(c *trackgen.Config) {
		c.Polar.Knots, c.Spline.SamplesPerSegment, c.Output.LoopPoints = 4, 2, 8
		c.Road.HalfWidth, c.Output.MaxPoints, c.Relax.Enabled = 0.5, 64, false
	})
	wrong = plan{config: small, schedule: schedule{chunk: 5_000_000}}.checkDevice(shortLoops{device})
	require.ErrorAs(t, wrong, &input)
	assert.ErrorContains(t, wrong, "--chunk is 5000000: must be at most 2")
	assert.ErrorIs(t, wrong, backend.ErrUnsupported)
	assert.NoError(t, plan{config: small, schedule: schedule{chunk: 4096}}.checkDevice(shortLoops{device}))
}

// The report marks the kernels whose loops the device would end early.
func TestDryRunReport(t *testing.T) {
	p := plan{config: tracktest.Config(trackgen.Bezier, 10, manySweeps), schedule: schedule{chunk: 4}}
	chunk := p.config
	chunk.NumEnvs = 4
	demand, err := track.DryRun(chunk)
	require.NoError(t, err)
	r := newDryRunReport(p, demand)
	r.setLimit(0)
	assert.Equal(t, 3, r.Generations)
	assert.False(t, slices.ContainsFunc(r.Kernels, func(k kernelReport) bool { return k.TooLong }))
	r.setLimit(65535)
	r.Device = &deviceReport{Name: "slow"}
	var text strings.Builder
	require.NoError(t, r.writeText(&text, 0))
	assert.Contains(t, text.String(), "slow, which ends loops after 65535 iterations\n")
	assert.Regexp(t, `(?m)^relaxation.relax +1 +4 groups +\d+, the device ends them after 65535$`, text.String())
	assert.Equal(t, 1, strings.Count(text.String(), "the device ends them"))
	assert.Equal(t, "1023 bytes 1.0 KiB 5.0 TiB", byteSize(1023)+" "+byteSize(1024)+" "+byteSize(5<<40))
}
