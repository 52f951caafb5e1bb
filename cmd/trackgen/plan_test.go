package main

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/cmd/trackgen/internal/settings"
	"github.com/trackgen-go/trackgen/track"
)

// openCPU opens a device that must be left without a leak.
func openCPU(t *testing.T) backend.Device {
	t.Helper()
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, device.Close()) })
	return device
}

func TestPlanChunks(t *testing.T) {
	device := openCPU(t)
	config := track.Config{NumEnvs: 7, NMax: 64, NumPoints: 64}
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
		_, err := plan{config: config, chunk: test.chunk, first: 40, epoch: 2}.generate(t.Context(), device, func(b *track.Batch) error {
			sizes = append(sizes, b.Envs)
			seeds = append(seeds, b.Seeds...)
			epochs = append(epochs, b.Epochs...)
			return nil
		})
		require.NoError(t, err)
		assert.Equal(t, test.sizes, sizes)
		assert.Equal(t, []int32{40, 41, 42, 43, 44, 45, 46}, seeds)
		assert.Equal(t, []int32{2, 2, 2, 2, 2, 2, 2}, epochs)
	}
}

// TestPlanCounters: what the device counts is added up over the chunks.
func TestPlanCounters(t *testing.T) {
	device := openCPU(t)
	p := plan{config: track.Config{NumEnvs: 5, NMax: 34}, chunk: 2}
	done, err := p.generate(t.Context(), device, func(*track.Batch) error { return nil })
	require.NoError(t, err)
	assert.Equal(t, 5, done.counters.Truncated)
	assert.Positive(t, done.elapsed)
}

// TestPlanStops: an error of the writer or a cancelled context ends the run at once and leaves no device memory.
func TestPlanStops(t *testing.T) {
	device := openCPU(t)
	p := plan{config: track.Config{NumEnvs: 1000}, chunk: 2}
	full := errors.New("disk full")
	calls := 0
	_, err := p.generate(t.Context(), device, func(*track.Batch) error {
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
	_, err = p.generate(ctx, device, func(*track.Batch) error {
		calls++
		cancel()
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, calls)
	_, err = p.generate(ctx, device, func(*track.Batch) error { panic("not reached") })
	require.ErrorIs(t, err, context.Canceled)
}

func TestSeedsOf(t *testing.T) {
	p := plan{config: track.Config{NumEnvs: 3}, first: math.MaxInt32 - 2}
	assert.Equal(t, []int32{math.MaxInt32 - 1, math.MaxInt32}, p.seedsOf(1, 3))
	assert.EqualValues(t, math.MaxInt32-2, lastSeed(3))
	p.seeds = []int32{5, 4, 3}
	assert.Equal(t, []int32{4, 3}, p.seedsOf(1, 3))
}

// TestDefaultChunk: the chunk of any configuration is one that a generator accepts.
func TestDefaultChunk(t *testing.T) {
	for want, config := range map[int]track.Config{10: {NumEnvs: 10}, maxChunk: {NumEnvs: maxEnvs}, 19: {NumEnvs: 1000, NMax: 1 << 16}} {
		chunk, err := defaultChunk(config)
		require.NoError(t, err)
		assert.Equal(t, want, chunk)
	}
	rapid.Check(t, func(t *rapid.T) {
		config := track.Config{
			Generator:           rapid.SampledFrom(track.Generators()).Draw(t, "generator"),
			NumEnvs:             rapid.IntRange(1, maxEnvs).Draw(t, "envs"),
			NMax:                rapid.IntRange(40, 1<<16).Draw(t, "N_max"),
			NumPoints:           rapid.IntRange(8, 1<<16).Draw(t, "num_points"),
			MaxNumPoints:        rapid.IntRange(9, 512).Draw(t, "max_num_points"),
			PolarNumKnots:       rapid.IntRange(4, 512).Draw(t, "polar_num_knots"),
			NumPointsPerSegment: rapid.IntRange(2, 4096).Draw(t, "num_points_per_segment"),
			RelaxSepCacheSlots:  new(rapid.IntRange(0, 64).Draw(t, "slots")),
		}
		chunk, err := defaultChunk(config)
		if err != nil {
			assert.ErrorIs(t, err, track.ErrConfig)
			assert.NotContains(t, err.Error(), "num_envs")
			return
		}
		assert.Positive(t, chunk)
		assert.LessOrEqual(t, chunk, config.NumEnvs)
		config.NumEnvs = chunk
		for _, err := range settings.Parts(config.Validate()) {
			var wrong *track.ConfigError
			if errors.As(err, &wrong) {
				assert.NotEqual(t, "num_envs", wrong.Field, "%v", err)
			}
		}
	})
}

// TestMaxEnvs keeps the limit of the flag at that of the field.
func TestMaxEnvs(t *testing.T) {
	field, ok := track.FieldNamed("num_envs")
	require.True(t, ok)
	assert.Equal(t, "a whole number >= 1 and <= 16777216", field.Allowed())
	assert.Equal(t, 16777216, maxEnvs)
}
