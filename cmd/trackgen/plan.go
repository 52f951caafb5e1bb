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
	// maxChunk is large enough to fill a GPU.
	maxChunk = 4096
	// chunkTime is the target time of a chunk: short enough for progress in every second and a prompt Ctrl-C, and
	// long compared to the launches and the allocations of a chunk.
	chunkTime = 400 * time.Millisecond
	// chunkGrowth is the largest factor from one chunk to the next. The time of a few tracks says little about that of
	// many: their costs differ, and few do not fill the device.
	chunkGrowth = 16
)

// plan describes a batch to generate in chunks that fit in memory. The tracks do not depend on the chunk size.
type plan struct {
	config trackgen.Config // num_envs counts the whole batch
	chunk  int             // largest number of tracks generated at a time
	adapt  bool            // adapt the size of chunks to the time that they take (see nextChunk), at most chunk
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
	return max(1, min(int(chunkBytes/perEnv), maxChunk, c.NumEnvs, c.MaxEnvs())), nil
}

// nextChunk returns the size of the next chunk, at most most, after a chunk of the given size took the given time. At
// the same speed, the next chunk takes about chunkTime. The same size needs no new generator, so nextChunk keeps it if
// the chunk took between half and twice chunkTime.
func nextChunk(size int, took time.Duration, most int) int {
	took = max(took, 1)
	if took > chunkTime/2 && took < 2*chunkTime {
		return size
	}
	next := float64(size) * min(float64(chunkTime)/float64(took), chunkGrowth)
	return max(1, min(int(next), most))
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
	size := p.chunk
	if p.adapt {
		size = 1 // the first track is complete as soon as possible, whatever a track costs
	}
	for lo := 0; lo < p.config.NumEnvs; {
		done, next, err := p.generateChunks(ctx, device, lo, min(size, p.config.NumEnvs-lo), &total, take)
		if err != nil {
			return total, err
		}
		lo, size = lo+done, next
	}
	return total, nil
}

// generateChunks generates chunks of the given size, starting at track lo, with one generator, whose size is fixed. It
// stops if the rest is smaller than a chunk, or if the next chunk needs another size. It returns the number of
// generated tracks and the next size.
func (p plan) generateChunks(ctx context.Context, device trackgen.Device, lo, size int, total *result,
	take func(*trackgen.Batch) error) (done, next int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, 0, err
	}
	config := p.config
	config.NumEnvs = size
	start := time.Now()
	generator, err := trackgen.NewGenerator(device, config, trackgen.WithSeeds(p.seedsOf(lo, lo+size)),
		trackgen.WithEpoch(p.epoch))
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, generator.Close()) }()
	tracks := generator.Track() // NewGenerator has generated the first chunk
	for next = size; next == size && lo+size <= p.config.NumEnvs; lo += size {
		if done > 0 {
			start = time.Now()
			if err := errors.Join(ctx.Err(), generator.SetSeeds(ctx, p.seedsOf(lo, lo+size)),
				generator.SetEpoch(ctx, p.epoch)); err != nil {
				return done, 0, err
			}
			if tracks, err = generator.Generate(ctx); err != nil {
				return done, 0, err
			}
		}
		counters, err := generator.Counters(ctx)
		if err != nil {
			return done, 0, err
		}
		batch, err := tracks.Batch(ctx)
		if err != nil {
			return done, 0, err
		}
		total.elapsed += time.Since(start)
		total.counters.Truncated += counters.Truncated
		total.counters.Dropped += counters.Dropped
		if err := take(batch); err != nil {
			return done, 0, fmt.Errorf("tracks %d to %d: %w", lo, lo+size-1, err)
		}
		done += size
		if p.adapt {
			next = nextChunk(size, time.Since(start), p.chunk)
		}
	}
	return done, next, nil
}
