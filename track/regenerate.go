package track

import (
	"context"
	"sync"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernels/selection"
)

// maxRegenerations is how many different masks a generator remembers the work of; beyond it, it forgets all of them.
const maxRegenerations = 64

// regenerationKey names the work of one Regenerate: equal keys mean the same launches on the same buffers (R68).
type regenerationKey struct {
	advance bool
	mask    backend.View
}

// regeneration is the work of one key, made once so that later calls allocate nothing.
type regeneration struct {
	key      any
	body     exec.Enqueue
	segments []exec.Segment // instead of body, of a program with HOST stages
}

// regenerations remembers the work of masks. Calls from several goroutines are an error that the runner reports; here
// they only must not disturb each other.
type regenerations struct {
	mutex sync.Mutex
	known map[regenerationKey]*regeneration
}

// RegenerateOption is an option of Regenerate. It is a plain value, so that calls allocate nothing.
type RegenerateOption struct{ sameEpoch bool }

// SameEpoch leaves the epochs as they are: the envs of the mask get the same tracks again, unless their seeds have
// changed.
func SameEpoch() RegenerateOption { return RegenerateOption{sameEpoch: true} }

// advances reports whether the epochs go forward.
func advances(options []RegenerateOption) bool {
	for _, o := range options {
		if o.sameEpoch {
			return false
		}
	}
	return true
}

// Regenerate makes new tracks for the envs whose mask is not 0 and leaves every byte of the others. Their epochs go
// forward first, unless SameEpoch is given. mask has one int32 per env and is read on the device: its content may
// change between calls, and between replays of a graph.
//
// The work is proportional to the number of masked envs. Inside a capture all of it is skipped on the device when no
// mask bit is set, where the device has conditionals. It allocates nothing on an eager CPU device, but for the first
// call with a mask.
//
// The Counters are then those of the masked envs; with an empty mask they stay as they are.
func (g *Generator) Regenerate(ctx context.Context, mask exec.Array[int32],
	options ...RegenerateOption) (*Track, error) {
	if err := g.checkOpen("regenerate"); err != nil {
		return nil, err
	}
	if err := g.state.CheckMask(mask, "mask"); err != nil {
		return nil, during("regenerate", err)
	}
	r, err := g.regeneration(mask, advances(options))
	if err != nil {
		return nil, during("regenerate", err)
	}
	if r.segments != nil {
		_, err = g.runner.RunSegments(ctx, r.segments, exec.RunOptions{Key: r.key})
	} else {
		_, err = g.runner.Run(ctx, r.body, exec.RunOptions{Key: r.key})
	}
	if err != nil {
		return nil, during("regenerate", err)
	}
	return g.track, nil
}

// regeneration returns the work for a mask.
func (g *Generator) regeneration(mask exec.Array[int32], advance bool) (*regeneration, error) {
	key := regenerationKey{advance: advance, mask: mask.View()}
	g.regenerations.mutex.Lock()
	defer g.regenerations.mutex.Unlock()
	if known, ok := g.regenerations.known[key]; ok {
		return known, nil
	}
	made := &regeneration{key: key, body: func(lc *exec.LaunchContext) { g.enqueueRegenerate(lc, mask, advance) }}
	if g.segments != nil {
		parts, err := g.program.Segments(g.masked)
		if err != nil {
			return nil, err
		}
		selectEnvs := exec.Segment{StageID: "select",
			Body: func(lc *exec.LaunchContext) { g.enqueueSelection(lc, mask, advance) }}
		made.segments = append([]exec.Segment{selectEnvs}, parts...)
	}
	if len(g.regenerations.known) >= maxRegenerations || g.regenerations.known == nil {
		g.regenerations.known = make(map[regenerationKey]*regeneration)
	}
	g.regenerations.known[key] = made
	return made, nil
}

// EnqueueRegenerate emits one Regenerate on lc, without any policy.
func (g *Generator) EnqueueRegenerate(lc *exec.LaunchContext, mask exec.Array[int32], options ...RegenerateOption) {
	g.enqueueRegenerate(lc, mask, advances(options))
}

// enqueueRegenerate emits one Regenerate on lc.
func (g *Generator) enqueueRegenerate(lc *exec.LaunchContext, mask exec.Array[int32], advance bool) {
	g.enqueueSelection(lc, mask, advance)
	if g.unconditional {
		g.enqueueMasked(lc)
		return
	}
	// The length of the list is the flag: a generation of no envs changes nothing (R23).
	exec.SkipUnless(lc, g.anyMasked, g.generateMasked)
}

// enqueueSelection advances the envs of a mask, if wanted, and lists them.
func (g *Generator) enqueueSelection(lc *exec.LaunchContext, mask exec.Array[int32], advance bool) {
	if advance {
		g.state.AdvanceMasked(lc, mask)
	}
	selection.Compact(lc, 1, int32(g.config.NumEnvs), mask, g.masked)
}

// enqueueMasked emits the generation of the envs that the last compaction listed.
func (g *Generator) enqueueMasked(lc *exec.LaunchContext) { g.program.EnqueueEnvs(lc, g.masked) }
