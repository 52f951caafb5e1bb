package export

import (
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/track"
)

// Sequence checks the chunks of a batch for an Encoder in another package: that each chunk is a well-formed batch, that
// each has the N_max of the announced shape, and that their envs add up to the announced number.
type Sequence struct{ inner sequence }

// NewSequence starts a batch of the given shape. It returns an error if the shape is out of range.
func NewSequence(shape Shape, options ...EncoderOption) (*Sequence, error) {
	inner, err := newSequence(shape, options...)
	if err != nil {
		return nil, err
	}
	return &Sequence{inner}, nil
}

// Take checks the next chunk and returns the index of its first env.
func (s *Sequence) Take(chunk *track.Batch) (int, error) { return s.inner.take(chunk) }

// TakeGates checks the next chunk of gate courses and returns the index of its first env.
func (s *Sequence) TakeGates(chunk *gate.Batch) (int, error) { return s.inner.takeGates(chunk) }

// Number returns the number under which the file lists an env.
func (s *Sequence) Number(env int) int { return s.inner.number(env) }

// Extra returns the columns of ExtraColumns, nil without that option.
func (s *Sequence) Extra() *Extra { return s.inner.extra }

// Finish returns an error if envs are missing.
func (s *Sequence) Finish() error { return s.inner.finish() }
