package world

import (
	"context"
	"errors"
	"time"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/internal/settings"
)

// done is the last frame of an answer.
type done struct {
	Kind         string  `json:"kind"` // "done"
	Envs         int     `json:"envs"`
	Valid        int     `json:"valid"`
	Milliseconds float64 `json:"milliseconds"` // to generate them, without encoding
}

// generate answers the call "generate": frames of courses, and a last frame "done".
func (w *World) generate(ctx context.Context, r Request, file []byte, emit Emit) error {
	if err := r.check(MaxEnvs); err != nil {
		return err
	}
	end := done{Kind: "done"}
	first := 0
	var err error
	switch r.Course {
	case CourseGates:
		err = w.gates(ctx, r, &end, func(b *trackgen.GateBatch) error {
			f := gateFrame(b, first)
			first += b.Envs
			end.Valid += b.NumValid()
			return emit(f)
		})
	case CourseCircuit:
		return w.circuit(ctx, r, file, emit)
	case CourseTracks:
		c, wrong := configure(settings.Tracks, r.Settings, r.Mix, trackgen.Config.Validate)
		if wrong != nil {
			return wrong
		}
		if err := affordStored(r.envs(), c.Output.MaxPoints, "output.max_points"); err != nil {
			return err
		}
		err = w.tracks(ctx, r, c, &end, func(b *trackgen.Batch) error {
			f := trackFrame(b, first, faultsOf(b, c.Resolved()))
			first += b.Envs
			end.Valid += b.NumValid()
			return emit(f)
		})
	default:
		err = refuse("course", r.Course, "tracks, gates or circuit")
	}
	if err != nil {
		return err
	}
	end.Envs = first
	return emit(Frame{Head: end})
}

// tracks generates tracks in chunks, and calls take with each, in order.
func (w *World) tracks(ctx context.Context, r Request, c trackgen.Config, end *done,
	take func(*trackgen.Batch) error) error {
	iterations, most, err := afford(trackgen.DryRun(c))
	if err != nil {
		return err
	}
	return w.chunks(ctx, r.seeds(), c.Generator, iterations, min(most, c.MaxEnvs()), end, func(lo int, seeds []int32) (
		func() error, error) {
		c.NumEnvs = len(seeds)
		generator, err := trackgen.NewGenerator(w.device, c, trackgen.WithSeeds(seeds), trackgen.WithEpoch(int32(r.Epoch)))
		if err != nil {
			return nil, err
		}
		batch, err := generator.Track().Batch(ctx)
		return func() error { return take(batch) }, errors.Join(err, generator.Close())
	})
}

// gates generates gate courses in chunks, and calls take with each, in order.
func (w *World) gates(ctx context.Context, r Request, end *done, take func(*trackgen.GateBatch) error) error {
	c, err := configure(settings.Gates, r.Settings, r.Mix, trackgen.GateConfig.Validate)
	if err != nil {
		return err
	}
	iterations, most, err := afford(trackgen.GateDryRun(c))
	if err != nil {
		return err
	}
	return w.chunks(ctx, r.seeds(), "gates "+c.Generator, iterations, min(most, c.MaxEnvs()), end, func(lo int,
		seeds []int32) (func() error, error) {
		c.NumEnvs = len(seeds)
		generator, err := trackgen.NewGateGenerator(w.device, c, trackgen.WithSeeds(seeds),
			trackgen.WithEpoch(int32(r.Epoch)), trackgen.WithFirstEnv(lo))
		if err != nil {
			return nil, err
		}
		batch, err := generator.Sequence().Batch(ctx)
		return func() error { return take(batch) }, errors.Join(err, generator.Close())
	})
}

// chunks calls make with the seeds of each chunk. What make returns is called with the chunk made, and does not count
// as time of the generation.
func (w *World) chunks(ctx context.Context, seeds []int32, generator string, iterations, most int, end *done,
	make func(lo int, seeds []int32) (take func() error, err error)) error {
	for lo := 0; lo < len(seeds); {
		if err := ctx.Err(); err != nil {
			return err
		}
		size := w.pace.size(generator, iterations, min(most, len(seeds)-lo))
		start := time.Now()
		take, err := make(lo, seeds[lo:lo+size])
		took := time.Since(start)
		if err != nil {
			return err
		}
		w.pace.note(generator, iterations, size, took)
		end.Milliseconds += float64(took.Microseconds()) / 1000
		if err := take(); err != nil {
			return err
		}
		lo += size
	}
	return nil
}
