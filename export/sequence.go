package export

import "github.com/trackgen-go/trackgen/track"

// Sequence checks the chunks of a batch for an Encoder of another package: that each is a whole batch, that they share
// N_max with the announced shape, and that as many envs come as were announced.
type Sequence struct{ inner sequence }

// NewSequence starts a batch of the given shape, which is checked.
func NewSequence(shape Shape, options ...EncoderOption) (*Sequence, error) {
	inner, err := newSequence(shape, options...)
	if err != nil {
		return nil, err
	}
	return &Sequence{inner}, nil
}

// Take checks the next chunk and returns the env that it starts with.
func (s *Sequence) Take(chunk *track.Batch) (int, error) { return s.inner.take(chunk) }

// Number is what an env of the file is called.
func (s *Sequence) Number(env int) int { return s.inner.number(env) }

// Finish checks that every env has come.
func (s *Sequence) Finish() error { return s.inner.finish() }
