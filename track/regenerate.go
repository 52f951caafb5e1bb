package track

import (
	"context"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
)

// RegenerateOption is an option of Regenerate. It is a plain value, so that calls allocate nothing.
type RegenerateOption = generation.RegenerateOption

// SameEpoch leaves the epochs as they are: the envs of the mask get the same tracks again, unless their seeds have
// changed.
func SameEpoch() RegenerateOption { return generation.SameEpoch() }

// Regenerate makes new tracks for the envs whose mask is not 0, and changes no byte of the other envs. It first
// advances the epochs of the masked envs, unless SameEpoch is given. mask has one int32 per env and is read on the
// device, so its values may change between calls and between replays of a graph. The zero array stands for all envs.
//
// The work is proportional to the number of masked envs. Inside a capture on a device with conditionals, the device
// skips all work if no env is masked. On an eager CPU device, only the first call with a mask allocates.
//
// Afterwards, Counters returns those of the masked envs. With an empty mask they stay as they are.
func (g *Generator) Regenerate(ctx context.Context, mask exec.Array[int32],
	options ...RegenerateOption) (*Track, error) {
	if err := g.core().Regenerate(ctx, mask, options...); err != nil {
		return nil, err
	}
	return g.track, nil
}

// EnqueueRegenerate emits one Regenerate on lc without any policy.
func (g *Generator) EnqueueRegenerate(lc *exec.LaunchContext, mask exec.Array[int32], options ...RegenerateOption) {
	g.core().EnqueueRegenerate(lc, mask, options...)
}
