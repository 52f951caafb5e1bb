package command

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/trackgen-go/trackgen"
)

// producer generates chunks of one size. A new producer has generated its first chunk.
type producer[B any] interface {
	SetSeeds(ctx context.Context, values []int32) error
	SetEpoch(ctx context.Context, epoch int32) error
	SetFirstEnv(ctx context.Context, first int) error       // sets the number of the first env of the next chunk
	again(ctx context.Context) error                        // generates the next chunk
	read(ctx context.Context) (B, trackgen.Counters, error) // reads the last chunk
	Close() error
}

// production is the generation of a batch, of tracks or of gate courses, in chunks.
type production[B any] struct {
	schedule
	envs   int
	things string                                           // what it generates, in messages
	open   func(lo int, seeds []int32) (producer[B], error) // opens a producer of envs lo, lo+1, ..., one for each seed
	take   func(B) error                                    // is called with each chunk, in the order of the envs
}

// run generates the whole batch.
func (p *production[B]) run(ctx context.Context) (result, error) {
	var total result
	size := p.chunk
	if p.adapt {
		size = 1 // the first env is complete as soon as possible, whatever an env costs
	}
	for lo := 0; lo < p.envs; {
		done, next, err := p.generateChunks(ctx, lo, min(size, p.envs-lo), &total)
		if err != nil {
			return total, err
		}
		lo, size = lo+done, next
	}
	return total, nil
}

// generateChunks generates chunks of the given size, starting at env lo, with one producer, whose size is fixed. It
// stops if the rest is smaller than a chunk, or if the next chunk needs another size. It returns the number of
// generated envs and the next size.
func (p *production[B]) generateChunks(ctx context.Context, lo, size int, total *result) (done, next int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, 0, err
	}
	start := time.Now()
	source, err := p.open(lo, p.seedsOf(lo, lo+size))
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	for next = size; next == size && lo+size <= p.envs; lo += size {
		if done > 0 {
			start = time.Now()
			if err := errors.Join(ctx.Err(), source.SetSeeds(ctx, p.seedsOf(lo, lo+size)),
				source.SetEpoch(ctx, p.epoch), source.SetFirstEnv(ctx, lo)); err != nil {
				return done, 0, err
			}
			if err := source.again(ctx); err != nil {
				return done, 0, err
			}
		}
		batch, counters, err := source.read(ctx)
		if err != nil {
			return done, 0, err
		}
		total.elapsed += time.Since(start)
		total.counters.Truncated += counters.Truncated
		total.counters.Dropped += counters.Dropped
		if err := p.take(batch); err != nil {
			return done, 0, fmt.Errorf("%s %d to %d: %w", p.things, lo, lo+size-1, err)
		}
		done += size
		if p.adapt {
			next = nextChunk(size, time.Since(start), p.chunk)
		}
	}
	return done, next, nil
}
