package course

import (
	"context"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/seeds"
	"github.com/trackgen-go/trackgen/track"
)

// Source is what a course drives on: a batch of tracks or one of gate courses, in device memory.
type Source struct {
	Tracks *track.Track
	Gates  *gate.Sequence
}

// envs returns the number of envs.
func (s Source) envs() int {
	if s.Gates != nil {
		return s.Gates.Envs
	}
	return s.Tracks.Envs
}

// check refuses none or two batches.
func (s Source) check(op string) error {
	switch {
	case s.Tracks == nil && s.Gates == nil:
		return &backend.ArgumentError{Op: op, Argument: "source", Value: "empty", Allowed: "tracks or gates"}
	case s.Tracks != nil && s.Gates != nil:
		return &backend.ArgumentError{Op: op, Argument: "source", Value: "of tracks and gates", Allowed: "one of the two"}
	}
	return nil
}

// generator is a generator of tracks or of gate courses.
type generator interface {
	generate(ctx context.Context) error
	regenerate(ctx context.Context, mask exec.Array[int32], options ...RegenerateOption) error

	Enqueue(lc *exec.LaunchContext)
	EnqueueRegenerate(lc *exec.LaunchContext, mask exec.Array[int32], options ...RegenerateOption)
	SetSeeds(ctx context.Context, values []int32) error
	SetEpoch(ctx context.Context, epoch int32) error
	Seeds() *seeds.State
	Close() error
}

// maker is a generator whose batches have the type B.
type maker[B any] interface {
	Generate(ctx context.Context) (B, error)
	Regenerate(ctx context.Context, mask exec.Array[int32], options ...RegenerateOption) (B, error)

	Enqueue(lc *exec.LaunchContext)
	EnqueueRegenerate(lc *exec.LaunchContext, mask exec.Array[int32], options ...RegenerateOption)
	SetSeeds(ctx context.Context, values []int32) error
	SetEpoch(ctx context.Context, epoch int32) error
	Seeds() *seeds.State
	Close() error
}

// filling is a generator that always fills the same batch, which callers have.
type filling[B any] struct{ maker[B] }

func (f filling[B]) generate(ctx context.Context) error {
	_, err := f.Generate(ctx)
	return err
}

func (f filling[B]) regenerate(ctx context.Context, mask exec.Array[int32], options ...RegenerateOption) error {
	_, err := f.Regenerate(ctx, mask, options...)
	return err
}

// Option is an option of New and Over.
type Option = generation.Option

// WithSeed gives the envs the seeds first, first+1, ...; the default is 0, 1, ...
func WithSeed(first int32) Option { return generation.WithSeed(first) }

// WithSeeds gives env e the seed values[e]; there must be one for each env.
func WithSeeds(values []int32) Option { return generation.WithSeeds(values) }

// WithEpoch sets the first epoch of every env; the default is 0.
func WithEpoch(epoch int32) Option { return generation.WithEpoch(epoch) }

// WithStream sets the stream of calls for which neither the call nor an ambient context names one (R6).
func WithStream(stream backend.Stream) Option { return generation.WithStream(stream) }

// WithWarnings passes warnings to warn instead of the default logger.
func WithWarnings(warn exec.WarnFunc) Option { return generation.WithWarnings(warn) }

// RegenerateOption is an option of Regenerate. It is a plain value, so that calls allocate nothing.
type RegenerateOption = generation.RegenerateOption

// SameEpoch leaves the epochs as they are: the envs of the mask get the same courses again, unless their seeds have
// changed.
func SameEpoch() RegenerateOption { return generation.SameEpoch() }
