package course

import (
	"context"
	"fmt"

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

// sizes returns those of the batch.
func (s Source) sizes() sizes {
	if s.Gates != nil {
		return sizes{envs: s.Gates.Envs, gates: s.Gates.MaxGates}
	}
	return sizes{envs: s.Tracks.Envs}
}

// check refuses none or two batches, and one that is not of a generator or an import: its sizes do not fit its arrays.
func (s Source) check(op string) error {
	switch {
	case s.Tracks == nil && s.Gates == nil:
		return &backend.ArgumentError{Op: op, Argument: "source", Value: "empty", Allowed: "tracks or gates"}
	case s.Tracks != nil && s.Gates != nil:
		return &backend.ArgumentError{Op: op, Argument: "source", Value: "of tracks and gates", Allowed: "one of the two"}
	case s.Tracks != nil:
		return checkRows(op, "tracks", s.Tracks.Envs, s.Tracks.Count.Len())
	}
	gates := s.Gates
	if err := checkRows(op, "gates", gates.Envs, gates.Count.Len()); err != nil {
		return err
	}
	if gates.MaxGates < 1 || gates.Position.Len()/gates.Envs != gates.MaxGates {
		return &backend.ArgumentError{Op: op, Argument: "max_gates of gates", Value: gates.MaxGates,
			Allowed: fmt.Sprintf("that of the arrays, %d", gates.Position.Len()/gates.Envs)}
	}
	return nil
}

// checkRows refuses a number of envs that is not that of the arrays of a batch.
func checkRows(op, batch string, envs, rows int) error {
	if envs >= 1 && envs == rows {
		return nil
	}
	return &backend.ArgumentError{Op: op, Argument: "envs of " + batch, Value: envs,
		Allowed: fmt.Sprintf("that of the arrays, %d, and at least 1", rows)}
}

// generator is a generator of tracks or of gate courses.
type generator interface {
	generate(ctx context.Context) error
	regenerate(ctx context.Context, mask exec.Array[int32], options ...RegenerateOption) error

	commands
}

// commands are the methods of generators in which the type of the batch does not stand.
type commands interface {
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

	commands
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
