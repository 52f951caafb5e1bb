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
	// chunkBytes limits the device memory for the arrays of one chunk. Its tracks need less host memory.
	chunkBytes = 256 << 20
	// maxChunk keeps chunks small enough for prompt progress and a prompt Ctrl-C, and large enough to fill a GPU.
	maxChunk = 4096
	// chunkSweeps limits the relaxation sweeps of a chunk for the same reason. The default settings allow maxChunk tracks.
	chunkSweeps = maxChunk * 50
)

// plan describes a batch to generate in chunks that fit in memory. The tracks do not depend on the chunk size.
type plan struct {
	config trackgen.Config // num_envs counts the whole batch
	chunk  int             // number of tracks generated at a time
	first  int32           // seed of the first track if seeds is nil
	seeds  []int32         // one per track, or nil for first, first+1, ...
	epoch  int32
}

// defaultChunk returns the number of tracks that fit within the limits of a chunk.
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

// lastSeed returns the largest first seed with which the seeds of all envs are int32 values.
func lastSeed(envs int) int64 { return math.MaxInt32 - int64(envs) + 1 }

// result holds the counters and the time of a run.
type result struct {
	counters trackgen.Counters
	elapsed  time.Duration // time to generate and read the tracks, without writing them
}

// generate generates the whole batch and calls take with each chunk, in the order of the envs. take may keep the chunk.
func (p plan) generate(ctx context.Context, device trackgen.Device, take func(*trackgen.Batch) error) (result, error) {
	var total result
	for lo := 0; lo < p.config.NumEnvs; {
		// A generator has a fixed size: one generates all full chunks, a second one the rest.
		size := min(p.chunk, p.config.NumEnvs-lo)
		count := (p.config.NumEnvs - lo) / size
		if err := p.generateChunks(ctx, device, lo, size, count, &total, take); err != nil {
			return total, err
		}
		lo += size * count
	}
	return total, nil
}

// generateChunks generates count chunks of the given size, starting at track lo.
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
	tracks := generator.Track() // NewGenerator has generated the first chunk
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
