package export

import "github.com/trackgen-go/trackgen/track"

// Sequence checks the chunks of a batch for an Encoder of another package: that each is a whole batch, that they share
// N_max with the announced shape, and that as many envs come as were announced.
type Sequence struct{ inner sequence }

// NewSequence starts a batch of the given shape, which is checked.
func NewSequence(shape Shape) (*Sequence, error) {
	inner, err := newSequence(shape)
	if err != nil {
		return nil, err
	}
	return &Sequence{inner}, nil
}

// Take checks the next chunk and returns the env that it starts with.
func (s *Sequence) Take(chunk *track.Batch) (int, error) { return s.inner.take(chunk) }

// Finish checks that every env has come.
func (s *Sequence) Finish() error { return s.inner.finish() }
