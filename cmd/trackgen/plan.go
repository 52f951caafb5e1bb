package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/trackgen-go/trackgen"
)

const (
	// chunkBytes is what the arrays of one chunk may take on the device; its tracks take less in host memory.
	chunkBytes = 256 << 20
	// maxChunk keeps chunks short enough for the progress bar and Ctrl-C to be prompt, and long enough to fill a GPU.
	maxChunk = 4096
	// chunkSweeps bounds the relaxation sweeps of a chunk for the same reason: maxChunk tracks at the default settings.
	chunkSweeps = maxChunk * 50
)

// plan is what to generate: a batch, in chunks that fit in memory. The tracks do not depend on the size of the chunks.
type plan struct {
	config trackgen.Config // num_envs is the whole batch
	chunk  int             // tracks generated at a time
	first  int32           // seed of the first track, unless seeds is set
	seeds  []int32         // one for each track, or nil for first, first+1, ...
	epoch  int32
}

// defaultChunk returns how many tracks of the configuration fit in the memory of a chunk.
func defaultChunk(config trackgen.Config) (int, error) {
	perEnv, err := config.BytesPerEnv()
	if err != nil {
		return 0, err
	}
	c := config.Resolved()
	sweeps := c.Relax.Sweeps + c.Relax.SmoothingPasses + c.Relax.SpacingSweeps
	return max(1, min(int(chunkBytes/perEnv), maxChunk, chunkSweeps/max(sweeps-15, 50), c.NumEnvs, c.MaxEnvs())), nil
}

// seedsOf returns the seeds of tracks [lo, hi).
func (p plan) seedsOf(lo, hi int) []int32 {
	if p.seeds != nil {
		return p.seeds[lo:hi]
	}
	seeds := make([]int32, hi-lo)
	for i := range seeds {
		seeds[i] = p.first + int32(lo+i)
	}
	return seeds
}

// lastSeed is the largest first seed with which every track has a seed of its own.
func lastSeed(envs int) int64 { return math.MaxInt32 - int64(envs) + 1 }

// result is what a run amounted to besides its tracks.
type result struct {
	counters trackgen.Counters
	elapsed  time.Duration // spent generating and reading tracks, without writing them
}

// generate makes the whole batch and hands each chunk to take, in the order of the envs. The chunk is take's to keep.
func (p plan) generate(ctx context.Context, device trackgen.Device, take func(*trackgen.Batch) error) (result, error) {
	var total result
	for lo := 0; lo < p.config.NumEnvs; {
		// A generator has one size: one for all full chunks, another for the rest.
		size := min(p.chunk, p.config.NumEnvs-lo)
		count := (p.config.NumEnvs - lo) / size
		if err := p.generateChunks(ctx, device, lo, size, count, &total, take); err != nil {
			return total, err
		}
		lo += size * count
	}
	return total, nil
}

// generateChunks makes count chunks of the given size, from track lo on.
func (p plan) generateChunks(ctx context.Context, device trackgen.Device, lo, size, count int, total *result,
	take func(*trackgen.Batch) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	config := p.config
	config.NumEnvs = size
	start := time.Now()
	generator, err := trackgen.NewGenerator(device, config, trackgen.WithSeeds(p.seedsOf(lo, lo+size)),
		trackgen.WithEpoch(p.epoch))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, generator.Close()) }()
	tracks := generator.Track() // filled by NewGenerator
	for i := range count {
		if i > 0 {
			start = time.Now()
			from := lo + i*size
			if err := errors.Join(ctx.Err(), generator.SetSeeds(ctx, p.seedsOf(from, from+size)),
				generator.SetEpoch(ctx, p.epoch)); err != nil {
				return err
			}
			if tracks, err = generator.Generate(ctx); err != nil {
				return err
			}
		}
		counters, err := generator.Counters(ctx)
		if err != nil {
			return err
		}
		batch, err := tracks.Batch(ctx)
		if err != nil {
			return err
		}
		total.elapsed += time.Since(start)
		total.counters.Truncated += counters.Truncated
		total.counters.Dropped += counters.Dropped
		if err := take(batch); err != nil {
			return fmt.Errorf("tracks %d to %d: %w", lo+i*size, lo+(i+1)*size-1, err)
		}
	}
	return nil
}
